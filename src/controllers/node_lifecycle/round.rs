//! The pass over the nodes that is under way.

use super::health::Listed;
use crate::client::Nodes;
use crate::controllers::node_lifecycle::prelude::*;

/// A pass: the nodes that its workers go through, and what they gather. There is one at a time, and
/// its tables serve the next.
#[derive(Default)]
pub(super) struct Round {
    pub(super) number: u32,
    /// Whether it is under way.
    pub(super) under_way: bool,
    /// When its nodes were listed.
    pub(super) listed: Time,
    /// The latest posts that had come when the nodes were listed and that were computed, of nodes
    /// that woke since: who is awake tells of its last posts only.
    pub(super) heard: BTreeMap<NodeId, Timestamp>,
    pub(super) nodes: Vec<Rc<Node>>,
    /// How many of them have been taken.
    pub(super) taken: usize,
    /// How many had to wait.
    pub(super) waiting: usize,
    /// The cache as it was when the pass began, by id; taken when the pass has to wait for the
    /// first time.
    pub(super) all: Option<Nodes>,
    /// How many passes there were when the nodes that the workers leave out, because they rest,
    /// already did; none once the workers go through these, too.
    pub(super) rested: Option<u64>,
    /// The conditions of those.
    pub(super) resting: Counted,
    pub(super) counted: Counted,
}

impl Round {
    /// When a node of it was listed, and what was heard of it by then.
    pub(super) fn listed_node(&self, node: NodeId) -> Listed {
        Listed { at: self.listed, heard: self.heard.get(&node).copied() }
    }

    /// The conditions of all zones, once the workers are done.
    pub(super) fn zone_conditions(&mut self) -> Counted {
        if self.rested.is_some() {
            for (zone, of) in &self.resting {
                self.counted.entry(*zone).or_default().add(*of);
            }
        }
        std::mem::take(&mut self.counted)
    }

    /// Takes the next node.
    pub(super) fn next(&mut self) -> Option<Rc<Node>> {
        let node = self.nodes.get(self.taken).cloned();
        self.taken += 1;
        node
    }

    /// Empties all tables.
    pub(super) fn end(&mut self) {
        self.nodes.clear();
        self.resting.clear();
        self.heard.clear();
        self.under_way = false;
        (self.taken, self.waiting, self.all, self.rested) = (0, 0, None, None);
    }
}
