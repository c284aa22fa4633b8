//! PodTopologySpread (`plugins/podtopologyspread`), its filter: pods that are alike are to lie
//! evenly over domains of nodes. Terminating pods do not count.

use super::{node_affinity, taint_toleration};
use crate::controllers::scheduler::prelude::*;

/// Counts of matching pods by domain; none where no eligible node is in the domain.
type Counts = Vec<Option<i64>>;

/// What the filter needs to know of all nodes (`preFilterState`).
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterState {
    counts: Vec<Counts>,
    least: Vec<i64>,
}

impl FilterState {
    /// Counts pods over all nodes (`calPreFilterState`); nothing for a pod without required spread.
    pub(crate) fn of(shape: &Shape, cache: &Cache, switches: &Switches) -> Option<Self> {
        if shape.hard_spread.is_empty() {
            return None;
        }
        let mut counts: Vec<Counts> =
            shape.hard_spread.iter().map(|c| vec![None; cache.topologies.domains(c.key)]).collect();
        for &id in cache.list() {
            let Some(info) = cache.node(id) else { continue };
            if !has_all_keys(&shape.hard_spread, cache, id) {
                continue;
            }
            for (constraint, counts) in shape.hard_spread.iter().zip(&mut counts) {
                if eligible(shape, constraint, info, switches)
                    && let Some(domain) = cache.topologies.domain(constraint.key, id)
                {
                    let count = counts[domain as usize].get_or_insert(0);
                    if !switches.spread_counts_all {
                        *count += cache.count(id, &shape.namespace, constraint);
                    }
                }
            }
        }
        // Which domains count the nodes say on which the pod may be; who is in them, all nodes do.
        for &id in cache.list().iter().filter(|_| switches.spread_counts_all) {
            for (constraint, counts) in shape.hard_spread.iter().zip(&mut counts) {
                if let Some(domain) = cache.topologies.domain(constraint.key, id)
                    && let Some(count) = &mut counts[domain as usize]
                {
                    *count += cache.count(id, &shape.namespace, constraint);
                }
            }
        }
        let mut state = Self { least: vec![0; counts.len()], counts };
        for i in 0..state.counts.len() {
            state.find_least(i);
        }
        Some(state)
    }

    fn find_least(&mut self, i: usize) {
        self.least[i] =
            self.counts[i].iter().flatten().copied().min().unwrap_or(i64::from(i32::MAX));
    }

    /// Counts a pod of `other` in on a node, or out (`updateWithPod`).
    pub(crate) fn change(
        &mut self,
        shape: &Shape,
        other: &Shape,
        node: (NodeId, &NodeInfo),
        cache: &Cache,
        switches: &Switches,
        by: i64,
    ) {
        let (id, info) = node;
        if other.namespace != shape.namespace || !has_all_keys(&shape.hard_spread, cache, id) {
            return;
        }
        for (i, constraint) in shape.hard_spread.iter().enumerate() {
            if constraint.selects(&other.template.labels)
                && eligible(shape, constraint, info, switches)
                && let Some(domain) = cache.topologies.domain(constraint.key, id)
            {
                *self.counts[i][domain as usize].get_or_insert(0) += by;
                self.find_least(i);
            }
        }
    }

    /// Rejects a node in a domain that would hold too many more than the emptiest one.
    pub(crate) fn filter(&self, shape: &Shape, id: NodeId, cache: &Cache) -> Verdict {
        for (i, constraint) in shape.hard_spread.iter().enumerate() {
            let Some(domain) = cache.topologies.domain(constraint.key, id) else {
                let reason =
                    "node(s) didn't match pod topology spread constraints (missing required label)";
                return Err(Rejection::unresolvable(Plugin::PodTopologySpread, reason));
            };
            let domains = self.counts[i].iter().flatten().count();
            let least = if domains < constraint.min_domains { 0 } else { self.least[i] };
            let own = i64::from(constraint.selects(&shape.template.labels));
            if self.counts[i][domain as usize].unwrap_or(0) + own - least > constraint.max_skew {
                let reason = "node(s) didn't match pod topology spread constraints";
                return Err(Rejection::resolvable(Plugin::PodTopologySpread, reason));
            }
        }
        Ok(())
    }
}

pub(super) fn has_all_keys(constraints: &[Spread], cache: &Cache, id: NodeId) -> bool {
    constraints.iter().all(|c| cache.topologies.domain(c.key, id).is_some())
}

/// Whether a node's pods and domain count (`matchNodeInclusionPolicies`).
pub(super) fn eligible(
    shape: &Shape,
    constraint: &Spread,
    info: &NodeInfo,
    switches: &Switches,
) -> bool {
    let Some(node) = &info.node else { return false };
    (!constraint.honor_affinity || node_affinity::matches(shape, &info.name, &node.labels))
        && (!constraint.honor_taints
            || taint_toleration::untolerated(shape, node, switches.comparison_operators).is_none())
}
