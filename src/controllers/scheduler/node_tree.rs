//! The order of nodes (`backend/cache/node_tree.go`): round robin over zones, so that a search that
//! ends early has seen all of them.

use crate::api::node::zone_key;
use crate::controllers::prelude::*;

/// Nodes by zone, both in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeTree {
    zones: Vec<(String, Vec<NodeId>)>,
}

impl NodeTree {
    /// Adds a node that is not there to the end of its zone (`addNode`).
    pub(crate) fn add(&mut self, node: &Node) {
        let zone = zone_key(&node.labels, false);
        match self.zones.iter_mut().find(|(z, _)| *z == zone) {
            Some((_, nodes)) => nodes.push(node.id),
            None => self.zones.push((zone, vec![node.id])),
        }
    }

    /// Takes a node away; a zone without nodes goes too (`removeNode`).
    pub(crate) fn remove(&mut self, node: &Node) {
        let zone = zone_key(&node.labels, false);
        if let Some((_, nodes)) = self.zones.iter_mut().find(|(z, _)| *z == zone) {
            nodes.retain(|n| *n != node.id);
        }
        self.zones.retain(|(_, nodes)| !nodes.is_empty());
    }

    /// Moves a node whose zone changed; true if it did (`updateNode`).
    pub(crate) fn update(&mut self, old: &Node, new: &Node) -> bool {
        if zone_key(&old.labels, false) == zone_key(&new.labels, false) {
            return false;
        }
        self.remove(old);
        self.add(new);
        true
    }

    /// The first node of each zone, then the second of each, and so on (`list`).
    pub(crate) fn list(&self) -> Vec<NodeId> {
        let longest = self.zones.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(0);
        (0..longest)
            .flat_map(|i| self.zones.iter().filter_map(move |(_, nodes)| nodes.get(i).copied()))
            .collect()
    }
}
