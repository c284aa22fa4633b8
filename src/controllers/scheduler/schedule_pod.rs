//! Choosing a node for a pod (`schedule_one.go: schedulePod`): a search for nodes that pass the
//! filters, which ends early in large clusters, then scores. Where it can, it finds nodes by what is
//! remembered of them, in place of trying one after the other.
//!
//! What filters and scores make of a node on its own is remembered until the node changes, for each
//! kind of pod. A pod that names the few nodes that it can be on, as each daemon pod does, is of a
//! kind of its own: nothing is remembered of it, and only those nodes are looked at.

use super::algorithm::{Algorithm, Diagnosis, Incoming, Outcome, Tied};
use super::cycle_state::ClusterState;
use super::framework::feasible_nodes_to_find;
use super::plugins::dynamic_resources::PodDevices;
use super::plugins::node_affinity;
use super::single_node::{Found, filter_and_score, run_filter_plugins};
use crate::controllers::scheduler::prelude::*;

/// Of pods that name no more nodes than this, nothing is remembered.
const FEW_NAMED: usize = 4;

impl Algorithm {
    /// Finds a node (`schedulePod`). `pick` chooses among nodes that are equally good.
    pub fn schedule_pod(
        &mut self,
        of: Incoming<'_>,
        nominator: &Nominator,
        pick: &mut dyn FnMut(Tied) -> u32,
    ) -> Outcome {
        if self.cache.list().is_empty() {
            return Outcome::NoNodes;
        }
        let mut diagnosis = Diagnosis { nodes: self.cache.list().len(), ..Diagnosis::default() };
        let first = self.cache.list()[self.next_start % diagnosis.nodes];
        let (feasible, found) = self.find_nodes_that_fit_pod(of, nominator, &mut diagnosis);
        let outcome = match feasible.as_slice() {
            [] => {
                for (_, number) in &diagnosis.rejected {
                    if let Some(r) = self.rejections.get(*number) {
                        diagnosis.plugins.insert(r.plugin);
                    }
                }
                if let Some(r) = &diagnosis.at_once {
                    diagnosis.plugins.insert(r.plugin);
                }
                Outcome::Unfit(Box::new(diagnosis))
            }
            [only] => Outcome::Fits(*only),
            several => {
                let totals = self.prioritize_nodes(of, several, &found);
                let chosen = several[self.select_host(&totals, several[0] == first, pick)];
                self.spare.totals = totals;
                Outcome::Fits(chosen)
            }
        };
        (self.spare.feasible, self.spare.found) = (feasible, found);
        outcome
    }

    /// The nodes that will do, and what was found out about each (`findNodesThatFitPod`). Where
    /// that is no more than a score, it is left where it is, and the places of the nodes are noted.
    fn find_nodes_that_fit_pod(
        &mut self,
        of: Incoming<'_>,
        nominator: &Nominator,
        diagnosis: &mut Diagnosis,
    ) -> (Vec<NodeId>, Vec<Found>) {
        let narrows = self.choice.switches.affinity_narrows;
        let named = match self.named_nodes(of.shape) {
            Err(rejection) if narrows => {
                diagnosis.at_once = Some(rejection);
                return (Vec::new(), Vec::new());
            }
            named => named.unwrap_or(None),
        };
        let of_volumes = of.volumes.map_or(Ok(()), |v| v.pre_filter(&self.choice.switches));
        let of_devices = || of.devices.map_or(Ok(()), PodDevices::pre_filter);
        if let Err(rejection) = of_volumes.and_then(|()| of_devices()) {
            diagnosis.at_once = Some(rejection);
            return (Vec::new(), Vec::new());
        }
        let few = self.few_named(named.as_ref());
        self.remember_kind(of.shape, few);
        diagnosis.state = ClusterState::of(of, &self.cache, &self.choice.switches);
        let nominated = of.pod.unscheduled.as_ref().and_then(|u| u.nominated);
        if let Some(node) = nominated
            && let Some(found) = self.evaluate_nominated_node(of, node, nominator, diagnosis)
        {
            return (vec![node], vec![found]);
        }
        if let Some(few) = few.filter(|_| !narrows && nominated.is_none())
            && let Some(found) = self.find_among_few(few, of, &diagnosis.state, nominator)
        {
            return found;
        }
        let named = named.filter(|_| narrows);
        if named.is_some() && self.choice.switches.left_out_counted {
            diagnosis.left_out = Some("node(s) didn't satisfy plugin(s) [NodeAffinity]");
            diagnosis.plugins.insert(Plugin::NodeAffinity);
        }
        let alone = named.is_none()
            && nominated.is_none()
            && nominator.is_empty()
            && diagnosis.state.is_empty();
        match self.kind.filter(|_| alone) {
            // Each node for itself, which is what most attempts are about.
            Some(kind) => self.find_among_known(kind, diagnosis),
            None => self.find_nodes_that_pass_filters(of, named.as_deref(), nominator, diagnosis),
        }
    }

    /// What was found out about the node that the pod is nominated to, where that is tried first
    /// and will do (`evaluateNominatedNode`).
    fn evaluate_nominated_node(
        &mut self,
        of: Incoming<'_>,
        node: NodeId,
        nominator: &Nominator,
        diagnosis: &mut Diagnosis,
    ) -> Option<Found> {
        if !self.choice.switches.nominated_node_first || self.cache.node(node).is_none() {
            return None;
        }
        let state = &diagnosis.state;
        let found = self.run_filter_plugins_with_nominated_pods(of, node, state, nominator);
        if found.rejection == 0 {
            return Some(found);
        }
        diagnosis.rejected.push((node, found.rejection));
        None
    }

    /// Tries nodes one by one, from where the attempt before stopped, until there are enough that
    /// will do (`findNodesThatPassFilters`): those that the pod names, or all.
    fn find_nodes_that_pass_filters(
        &mut self,
        of: Incoming<'_>,
        named: Option<&[NodeId]>,
        nominator: &Nominator,
        diagnosis: &mut Diagnosis,
    ) -> (Vec<NodeId>, Vec<Found>) {
        let nominated = of.pod.unscheduled.as_ref().and_then(|u| u.nominated);
        let all = self.cache.list().len();
        let count = named.map_or(all, <[NodeId]>::len);
        let wanted = feasible_nodes_to_find(count, self.choice.percentage_of_nodes_to_score);
        let (mut feasible, mut all_found) = self.take_spare();
        let mut at = if count == 0 { 0 } else { self.next_start % count };
        for _ in 0..count {
            let node = named.map_or_else(|| self.cache.list()[at], |named| named[at]);
            at = if at + 1 == count { 0 } else { at + 1 };
            let state = &diagnosis.state;
            let found = self.run_filter_plugins_with_nominated_pods(of, node, state, nominator);
            match found.rejection {
                0 => {
                    feasible.push(node);
                    all_found.push(found);
                }
                number
                    if nominated == Some(node)
                        && diagnosis.rejected.first().is_some_and(|(n, _)| *n == node) =>
                {
                    diagnosis.rejected[0].1 = number;
                }
                number => diagnosis.rejected.push((node, number)),
            }
            if feasible.len() == wanted {
                break;
            }
        }
        let modulus =
            if self.choice.switches.narrow_search_resets_start { count.max(1) } else { all };
        self.next_start = (self.next_start + feasible.len() + diagnosis.rejected.len()) % modulus;
        (feasible, all_found)
    }

    /// The nodes that required affinity names, by name, if it names all that it admits; an error if
    /// its terms contradict each other.
    fn named_nodes(&self, shape: &Shape) -> Result<Option<Vec<NodeId>>, Rejection> {
        let terms = shape.spec().and_then(|s| s.required_nodes.as_ref());
        let Some(names) = terms.and_then(|t| node_affinity::named_nodes(t)) else {
            return Ok(None);
        };
        if names.is_empty() {
            return Err(Rejection::unresolvable(
                Plugin::NodeAffinity,
                "pod affinity terms conflict",
            ));
        }
        Ok(Some(names.iter().filter_map(|name| self.cache.named(name)).collect()))
    }

    /// The nodes that a pod names, if they are so few that only these are to be looked at.
    pub(super) fn few_named<'a>(&self, named: Option<&'a Vec<NodeId>>) -> Option<&'a Vec<NodeId>> {
        named.filter(|named| self.choice.indexed && named.len() <= FEW_NAMED)
    }

    /// Looks up the kind of the pod that is about to be placed, if anything is remembered of it.
    pub(super) fn remember_kind(&mut self, shape: &Rc<Shape>, few: Option<&Vec<NodeId>>) {
        self.kind = (self.choice.indexed && few.is_none()).then(|| self.memo.kind(shape));
    }

    /// Empty lists for the nodes that will do, and for what was found out about each.
    pub(super) fn take_spare(&mut self) -> (Vec<NodeId>, Vec<Found>) {
        let (mut feasible, mut found) =
            (std::mem::take(&mut self.spare.feasible), std::mem::take(&mut self.spare.found));
        feasible.clear();
        found.clear();
        (feasible, found)
    }

    /// What a search through all nodes finds where each node is judged for itself.
    pub(super) fn find_among_known(
        &mut self,
        kind: usize,
        diagnosis: &mut Diagnosis,
    ) -> (Vec<NodeId>, Vec<Found>) {
        let all = self.cache.list().len();
        let wanted = feasible_nodes_to_find(all, self.choice.percentage_of_nodes_to_score);
        let (mut feasible, mut all_found) = self.take_spare();
        let at = self.next_start % all;
        let numbers = &mut self.rejections;
        let mut known = self.memo.of(kind, &self.cache, &self.choice, numbers);
        let list = self.cache.list();
        let places = &mut self.spare.places;
        places.clear();
        let looked_at = known.search(at, wanted, places);
        feasible.extend(places.iter().map(|place| list[*place as usize]));
        if known.notable() {
            all_found.extend(places.iter().map(|place| known.found(*place as usize)));
        }
        if feasible.is_empty() {
            let rejection = |place| (list[place], known.rejection(place));
            diagnosis.rejected = (at..all).chain(0..at).map(rejection).collect();
        }
        self.next_start = (self.next_start + looked_at) % all;
        (feasible, all_found)
    }

    /// What a search through all nodes finds for a pod that can be on these only. None if none of
    /// them will do, so that all the others have to say why not, or if enough of them do that the
    /// search ends early.
    pub(super) fn find_among_few(
        &mut self,
        named: &[NodeId],
        of: Incoming<'_>,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Option<(Vec<NodeId>, Vec<Found>)> {
        let all = self.cache.list().len();
        let first = self.next_start % all;
        let mut named = named.to_vec();
        named.sort_by_key(|node| {
            self.cache.place_of(*node).map(|place| (place + all - first) % all)
        });
        let found: Vec<Found> = named
            .iter()
            .map(|node| self.run_filter_plugins_with_nominated_pods(of, *node, state, nominator))
            .collect();
        let (feasible, found): (Vec<_>, Vec<_>) =
            named.into_iter().zip(found).filter(|(_, found)| found.rejection == 0).unzip();
        let wanted = feasible_nodes_to_find(all, self.choice.percentage_of_nodes_to_score);
        if feasible.is_empty() || feasible.len() >= wanted {
            return None;
        }
        // It looked at every node, and the next one begins where it began.
        self.next_start = first;
        Some((feasible, found))
    }

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
        let all = self.choice.switches.fit_words.are_names();
        if state.is_empty() || found.rejection != 0 && !all {
            return found;
        }
        let verdict = self.cache.node(node).map_or(Ok(()), |info| {
            state.check(of, (node, info), &self.cache, &self.choice.switches)
        });
        let alone = self.rejections.get(found.rejection).cloned().map_or(Ok(()), Err);
        Found { rejection: self.rejections.number(both(alone, verdict)), ..found }
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
