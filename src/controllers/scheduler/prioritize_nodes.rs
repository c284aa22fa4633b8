//! Scores (`schedule_one.go: prioritizeNodes`), and the choice of the node with the highest
//! (`selectHost`).

use super::algorithm::{Algorithm, Incoming, Tied};
use super::plugins::{
    image_locality, inter_pod_affinity, node_affinity, pod_topology_spread_score, selector_spread,
    taint_toleration,
};
use super::single_node::Found;
use crate::controllers::scheduler::prelude::*;

/// The weight of DynamicResources.
const DYNAMIC_RESOURCES: i64 = 2;

impl Algorithm {
    /// The weighted sums of the scores of feasible nodes (`prioritizeNodes`).
    pub(super) fn prioritize_nodes(
        &mut self,
        of: Incoming<'_>,
        nodes: &[NodeId],
        found: &[Found],
    ) -> Vec<i64> {
        let (switches, shape) = (self.choice.switches, of.shape);
        let mut totals = self.scores_of_single_nodes(found);
        self.add_topology_spread(of, nodes, found, &mut totals);
        if let Some(raw) = inter_pod_affinity::score(shape, nodes, &self.cache) {
            let scores = inter_pod_affinity::normalize(&raw, &switches);
            add(&mut totals, &scores, switches.weights.inter_pod_affinity);
        }
        let how = switches.image_scores;
        if let Some(scores) = image_locality::score(shape, nodes, &self.cache, how) {
            add(&mut totals, &scores, 1);
        }
        if let Some(devices) = of.devices.filter(|_| switches.scores_devices)
            && let Some(scores) = devices.score(nodes)
        {
            add(&mut totals, &scores, DYNAMIC_RESOURCES);
        }
        if switches.selector_spread
            && !shape.has_spread()
            && let Some(selector) = of.owners
        {
            let namespace = &shape.namespace;
            let scores = selector_spread::score(namespace, selector, nodes, &self.cache);
            add(&mut totals, &scores, 1);
        }
        totals
    }

    /// The scores that look at one node alone. Where nothing was found out about any node but a
    /// score, that lies in the memo.
    fn scores_of_single_nodes(&mut self, found: &[Found]) -> Vec<i64> {
        let weights = self.choice.switches.weights;
        let most_taints = found.iter().map(|f| f.taints).max().unwrap_or(0);
        let most_liked = found.iter().map(|f| f.affinity).max().unwrap_or(0);
        let own = |f: &Found| {
            i64::from(f.score)
                + weights.taint_toleration
                    * taint_toleration::normalize(i64::from(f.taints), i64::from(most_taints))
                + weights.node_affinity
                    * node_affinity::normalize(i64::from(f.affinity), i64::from(most_liked))
        };
        let mut totals = std::mem::take(&mut self.spare.totals);
        totals.clear();
        match found {
            [] => {
                let alike = own(&Found::default());
                let known = self.kind.map_or(&[][..], |kind| self.memo.found(kind));
                let of = |place: &u32| alike + i64::from(known[*place as usize].score);
                totals.extend(self.spare.places.iter().map(of));
            }
            found => totals.extend(found.iter().map(own)),
        }
        totals
    }

    fn add_topology_spread(
        &mut self,
        of: Incoming<'_>,
        nodes: &[NodeId],
        found: &[Found],
        totals: &mut [i64],
    ) {
        let (switches, shape) = (self.choice.switches, of.shape);
        let by_default = !shape.has_spread();
        let constraints = if by_default { self.default_constraints(of) } else { None };
        let constraints = constraints.as_deref().unwrap_or(&shape.soft_spread);
        if constraints.is_empty() {
            return;
        }
        let places = found.is_empty().then_some(&*self.spare.places);
        let (nodes, cache) = ((nodes, places), &mut self.cache);
        let raw = pod_topology_spread_score::score(
            shape,
            constraints,
            !by_default,
            nodes,
            cache,
            &switches,
        );
        let of_class = pod_topology_spread_score::normalize(&raw.of_class, switches.spread_score);
        let weighted: Vec<i64> =
            of_class.iter().map(|score| switches.weights.topology_spread * score).collect();
        for (total, class) in totals.iter_mut().zip(&raw.class_of) {
            *total += weighted[*class as usize];
        }
        self.cache.spare = raw.class_of;
    }

    /// The constraints that a pod gets that has none, if its owner selects pods.
    fn default_constraints(&mut self, of: Incoming<'_>) -> Option<Rc<[Spread]>> {
        let selector =
            of.owners.filter(|s| self.choice.switches.default_spread && !s.is_empty())?;
        let shape = of.shape.id as usize;
        if let Some(Some((known, spread))) = self.default_spread.get(shape)
            && Rc::ptr_eq(known, selector)
        {
            return Some(spread.clone());
        }
        let spread: Rc<[Spread]> = pod_topology_spread_score::default_constraints(
            &mut self.cache,
            &of.shape.namespace,
            selector,
        )
        .into();
        *slot(&mut self.default_spread, shape) = Some((selector.clone(), spread.clone()));
        Some(spread)
    }

    /// The place of a node with the highest score (`selectHost`). `pick` chooses among nodes that
    /// are equally good; `first_fits` where the node that was looked at first is among them all.
    pub(super) fn select_host(
        &self,
        totals: &[i64],
        first_fits: bool,
        pick: &mut dyn FnMut(Tied) -> u32,
    ) -> usize {
        let (mut most, mut count) = (i64::MIN, 0);
        for total in totals {
            if *total > most {
                (most, count) = (*total, 0);
            }
            count += u32::from(*total == most);
        }
        let mut ties = totals.iter().enumerate().filter(|(_, t)| **t == most).map(|(i, _)| i);
        let chosen = if self.choice.switches.ties_by_heap {
            let tied = Tied::Overtaken(totals.len() as u32, first_fits);
            let overtaken = if count > 1 { pick(tied) as usize } else { 0 };
            let place = |found: usize| match found {
                _ if overtaken == 0 => found,
                _ if found == overtaken => found - 1,
                _ if found + 1 == overtaken => overtaken,
                _ => found,
            };
            let order = |a: &usize, b: &usize| heap_order(place(*a), place(*b));
            match pick(Tied::InHeap(count)) {
                0 => ties.min_by(order),
                another => {
                    let mut places: Vec<usize> = ties.collect();
                    places.sort_by(order);
                    places.get(another as usize).copied()
                }
            }
        } else {
            ties.nth(pick(Tied::ByLot(count)) as usize)
        };
        chosen.unwrap_or(0)
    }
}

/// Adds the scores of a plugin, weighted.
fn add(totals: &mut [i64], scores: &[i64], weight: i64) {
    totals.iter_mut().zip(scores).for_each(|(t, s)| *t += weight * s);
}

/// Which of two equal elements comes to the top of a Go heap: the first from above, left before
/// right.
fn heap_order(a: usize, b: usize) -> std::cmp::Ordering {
    // The path from the root: the bits of the place, counted from one, after the first.
    let (x, y) = (a + 1, b + 1);
    let (depth_x, depth_y) = (x.ilog2(), y.ilog2());
    let shallower = depth_x.min(depth_y);
    (x >> (depth_x - shallower)).cmp(&(y >> (depth_y - shallower))).then(depth_x.cmp(&depth_y))
}

#[cfg(test)]
mod tests {
    use super::heap_order;

    /// A node stands before its children, and the left subtree before the right one. Of seven
    /// places, counted from 0: 0, 1, 3, 4, 2, 5, 6.
    #[test]
    fn the_order_of_a_heap() {
        let mut places: Vec<usize> = (0..7).collect();
        places.sort_by(|a, b| heap_order(*a, *b));
        assert_eq!(places, [0, 1, 3, 4, 2, 5, 6]);
    }
}
