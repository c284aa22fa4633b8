//! Choosing a node for a pod (`schedule_one.go: schedulePod`): a search for nodes that pass the
//! filters, which ends early in large clusters, then scores.

use super::algorithm::{Algorithm, Diagnosis, Incoming, Outcome, Tied};
use super::cycle_state::ClusterState;
use super::framework::feasible_nodes_to_find;
use super::plugins::dynamic_resources::PodDevices;
use super::plugins::node_affinity;
use super::single_node::Found;
use crate::controllers::scheduler::prelude::*;

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
                let chosen = several[self.select_host(&totals, pick)];
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
}
