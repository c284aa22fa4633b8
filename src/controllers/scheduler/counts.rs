//! Counts by node, small where only few nodes have any: most selectors select the pods of one
//! workload.

use crate::api::names::NodeId;

/// With more nodes than this there is a place for every node.
const FEW: usize = 128;

/// With more nodes than this, too, where they are a quarter of those there are.
const DENSE: usize = 16;

/// The number of a count: that of a selector's pods in a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TallyId(pub(super) u32);

/// How many of something are on each node.
#[derive(Clone, Debug)]
pub(crate) enum Counts {
    /// The nodes that have any, sorted.
    Few(Vec<(NodeId, u32)>),
    /// By node; none beyond the end.
    Many(Vec<u32>),
}

impl Default for Counts {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Counts {
    /// Counts in, or out where `by` is negative.
    pub(crate) fn add(&mut self, node: NodeId, by: i32) {
        let nodes = match self {
            Self::Many(counts) => {
                if counts.len() <= node.index() {
                    counts.resize(node.index() + 1, 0);
                }
                counts[node.index()] = counts[node.index()].wrapping_add_signed(by);
                return;
            }
            Self::Few(nodes) => nodes,
        };
        match nodes.binary_search_by_key(&node, |(n, _)| *n) {
            Ok(at) => {
                nodes[at].1 = nodes[at].1.wrapping_add_signed(by);
                if nodes[at].1 == 0 {
                    nodes.remove(at);
                }
            }
            Err(_) if by == 0 => {}
            Err(at) => {
                let most = nodes.last().map_or(node, |(last, _)| node.max(*last)).index();
                if nodes.len() < DENSE || nodes.len() < FEW && nodes.len() * 4 <= most {
                    return nodes.insert(at, (node, 0_u32.wrapping_add_signed(by)));
                }
                let mut counts = vec![0; most + 1];
                nodes.iter().for_each(|(n, count)| counts[n.index()] = *count);
                *self = Self::Many(counts);
                self.add(node, by);
            }
        }
    }

    /// How many on a node.
    pub(crate) fn on(&self, node: NodeId) -> u32 {
        match self {
            Self::Few(nodes) => {
                nodes.binary_search_by_key(&node, |(n, _)| *n).map_or(0, |at| nodes[at].1)
            }
            Self::Many(counts) => counts.get(node.index()).copied().unwrap_or(0),
        }
    }

    /// The nodes that have any, in order, with how many.
    pub(crate) fn for_each(&self, mut then: impl FnMut(NodeId, u32)) {
        match self {
            Self::Few(nodes) => nodes.iter().for_each(|(n, count)| then(*n, *count)),
            Self::Many(counts) => {
                counts
                    .iter()
                    .enumerate()
                    .filter(|(_, count)| **count > 0)
                    .for_each(|(i, count)| then(NodeId(i as u32), *count));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    proptest::proptest! {
        /// A plain map says the same, however many nodes there are.
        #[test]
        fn as_a_map(steps in proptest::collection::vec((0_u32..400, proptest::bool::weighted(0.7)), 0..1_200)) {
            let (mut counts, mut plain) = (Counts::default(), BTreeMap::<u32, u32>::new());
            for (node, more) in steps {
                let there = plain.entry(node).or_default();
                if more || *there > 0 {
                    *there = if more { *there + 1 } else { *there - 1 };
                    counts.add(NodeId(node), if more { 1 } else { -1 });
                }
            }
            plain.retain(|_, n| *n > 0);
            let mut listed = BTreeMap::new();
            counts.for_each(|n, count| {
                listed.insert(n.0, count);
            });
            proptest::prop_assert_eq!(&listed, &plain);
            for node in 0..400 {
                proptest::prop_assert_eq!(counts.on(NodeId(node)), plain.get(&node).copied().unwrap_or(0));
            }
        }
    }
}
