//! Finding nodes by what is remembered of them, in place of trying one after the other.
//!
//! What filters and scores make of a node on its own is remembered until the node changes, for each
//! kind of pod. A pod that names the few nodes that it can be on, as each daemon pod does, is of a
//! kind of its own: nothing is remembered of it, and only those nodes are looked at.

use super::algorithm::{Algorithm, Diagnosis, Incoming};
use super::cycle_state::ClusterState;
use super::framework::feasible_nodes_to_find;
use super::single_node::Found;
use crate::controllers::scheduler::prelude::*;

/// Of pods that name no more nodes than this, nothing is remembered.
const FEW_NAMED: usize = 4;

impl Algorithm {
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
}
