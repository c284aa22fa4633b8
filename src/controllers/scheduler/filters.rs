//! What all filters say of a node, with the pods that are nominated to it.

use super::algorithm::{Algorithm, Incoming};
use super::cycle_state::ClusterState;
use super::single_node::{Found, filter_and_score, run_filter_plugins};
use crate::controllers::scheduler::prelude::*;

impl Algorithm {
    /// What is found out about a node, its rejection first of all; nominated pods of the same or
    /// higher priority are taken as there, and then as not there
    /// (`RunFilterPluginsWithNominatedPods`).
    pub(super) fn run_filter_plugins_with_nominated_pods(
        &mut self,
        of: Incoming<'_>,
        node: NodeId,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Found {
        if !nominator.is_empty() {
            let verdict = self.add_nominated_pods(of, node, None, state, nominator);
            if verdict.is_err() {
                return Found { rejection: self.rejections.number(verdict), ..Found::default() };
            }
        }
        let found = if let Some((kind, place)) = self.kind.zip(self.cache.place_of(node)) {
            let numbers = &mut self.rejections;
            let mut known = self.memo.of(kind, &self.cache, &self.choice, numbers);
            known.rejection(place);
            known.found(place)
        } else {
            self.cache.node(node).map_or_else(Found::default, |info| {
                filter_and_score(of.shape, info, &self.choice, &mut self.rejections)
            })
        };
        if found.rejection != 0 || state.is_empty() {
            return found;
        }
        let verdict = self.cache.node(node).map_or(Ok(()), |info| {
            state.check(of, (node, info), &self.cache, &self.choice.switches)
        });
        Found { rejection: self.rejections.number(verdict), ..found }
    }

    /// What filters say of a node, or of `changed` in its place, once nominated pods are added.
    fn add_nominated_pods(
        &self,
        of: Incoming<'_>,
        node: NodeId,
        changed: Option<&NodeInfo>,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Verdict {
        let stronger =
            |p: &&PodAndShape| p.1.priority >= of.shape.priority && p.0.uid != of.pod.uid;
        let added: Vec<_> = nominator.on(node).iter().filter(stronger).collect();
        let info = changed.or_else(|| self.cache.node(node)).filter(|_| !added.is_empty());
        let Some(mut info) = info.cloned() else { return Ok(()) };
        let mut state = state.clone();
        let known = (&self.cache, &self.choice.switches);
        for (pod, shape) in added {
            info.add(Placed::new(pod, shape));
            state.change(of, (pod, shape), (node, &info), known, 1);
        }
        self.check(of, node, &info, &state)
    }

    /// What all filters say of a node with the pods that `info` has.
    fn check(
        &self,
        of: Incoming<'_>,
        node: NodeId,
        info: &NodeInfo,
        state: &ClusterState,
    ) -> Verdict {
        run_filter_plugins(of.shape, info, &self.choice.switches)?;
        state.check(of, (node, info), &self.cache, &self.choice.switches)
    }

    /// What filters say of a node in a dry run, nominated pods included.
    pub(crate) fn dry_run(
        &self,
        of: Incoming<'_>,
        node: NodeId,
        info: &NodeInfo,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Verdict {
        self.add_nominated_pods(of, node, Some(info), state, nominator)?;
        self.check(of, node, info, state)
    }
}
