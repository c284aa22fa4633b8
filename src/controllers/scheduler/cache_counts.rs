//! Counts of pods by selector, and of nodes by domain, as spread asks for them. They are kept up to
//! date as pods come and go, so that spread needs no walk over all pods.

use super::cache::Codes;
use crate::controllers::scheduler::prelude::*;

impl Cache {
    /// How many pods on a node a constraint of a pod in `namespace` counts: those of its namespace
    /// that its selector selects and that are not being deleted (`countPodsMatchSelector`).
    pub(crate) fn count(&self, node: NodeId, namespace: &str, spread: &Spread) -> i64 {
        if self.indexed {
            return i64::from(self.tallies.on(spread.tally, node));
        }
        self.count_plainly(node, namespace, spread.selector.as_ref())
    }

    /// As [`Cache::count`] for several nodes at once, in their order.
    pub(crate) fn counts(
        &mut self,
        nodes: &[NodeId],
        namespace: &str,
        spread: &Spread,
        mut then: impl FnMut(usize, i64),
    ) {
        let nodes = nodes.iter().enumerate();
        if !self.indexed {
            return nodes.for_each(|(i, id)| then(i, self.count(*id, namespace, spread)));
        }
        let Self { tallies, scratch, .. } = self;
        if let Some(counts) = tallies.dense(spread.tally) {
            let count = |id: &NodeId| counts.get(id.index()).map_or(0, |n| i64::from(*n));
            return nodes.for_each(|(i, id)| then(i, count(id)));
        }
        scratch.resize(self.nodes.len(), 0);
        tallies.for_each(spread.tally, |id, count| scratch[id.index()] += count);
        nodes.for_each(|(i, id)| then(i, i64::from(scratch[id.index()])));
        tallies.for_each(spread.tally, |id, _| scratch[id.index()] = 0);
    }

    /// How many pods a constraint counts on nodes that have any, by their places; a place may come
    /// up several times, with a part each.
    pub(crate) fn each_count(&self, spread: &Spread, mut then: impl FnMut(u32, u32)) {
        self.tallies.for_each(spread.tally, |id, count| {
            if let Some(place) = self.place_of(id) {
                then(place as u32, count);
            }
        });
    }

    /// What several topology keys make of nodes, by place: a number of as many digits, each the
    /// domain and one, or zero for none.
    pub(crate) fn codes_by_place(&mut self, keys: &[KeyId]) -> &[u32] {
        let as_of = (self.lists, self.topologies.changes());
        if self.codes.as_of != as_of || self.codes.keys != keys {
            let mut codes = vec![0; self.list().len()];
            for key in keys {
                let range = self.topologies.domains(*key) as u32 + 1;
                let domains = self.topologies.all(*key);
                let digit = |id: &NodeId| domains.get(id.index()).map_or(0, |d| d.wrapping_add(1));
                for (code, id) in codes.iter_mut().zip(self.list()) {
                    *code = *code * range + digit(id);
                }
            }
            self.codes = Codes { keys: keys.to_vec(), as_of, codes };
        }
        &self.codes.codes
    }

    /// The most that [`Cache::count`] gives for any node, where counts are kept.
    pub(crate) fn most(&mut self, spread: &Spread) -> i64 {
        let Self { tallies, scratch, .. } = self;
        if let Some(counts) = tallies.dense(spread.tally) {
            return counts.iter().max().map_or(0, |most| i64::from(*most));
        }
        scratch.resize(self.nodes.len(), 0);
        let mut most = 0;
        tallies.for_each(spread.tally, |id, count| {
            scratch[id.index()] += count;
            most = most.max(scratch[id.index()]);
        });
        tallies.for_each(spread.tally, |id, _| scratch[id.index()] = 0);
        i64::from(most)
    }

    /// As [`Cache::count`], by walking over the node's pods.
    pub(crate) fn count_plainly(
        &self,
        node: NodeId,
        namespace: &str,
        selector: Option<&Selector>,
    ) -> i64 {
        let Some(selector) = selector.filter(|s| !s.is_empty()) else { return 0 };
        let counted = |p: &&Placed| {
            !p.terminating
                && *p.shape.namespace == *namespace
                && selector.matches(&p.shape.template.labels)
        };
        self.nodes.get(node.index()).map_or(0, |n| n.pods.iter().filter(counted).count() as i64)
    }

    /// How many pods a constraint counts in each domain of its key, over all nodes; none where
    /// counts are not kept.
    pub(crate) fn domain_sums(&mut self, spread: &Spread) -> Option<&[i64]> {
        self.indexed.then(|| self.tallies.sums(spread.tally, spread.key, &self.topologies))
    }
}
