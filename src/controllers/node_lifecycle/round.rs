//! The pass over the nodes that is under way.

use super::zone_conditions::Counted;
use crate::api::node::Node;
use crate::kernel::Time;
use std::rc::Rc;

/// A pass: the nodes that its workers go through, and what they gather. There is one at a time, and
/// its tables serve the next.
#[derive(Default)]
pub(super) struct Round {
    pub(super) number: u32,
    /// When its nodes were listed.
    pub(super) listed: Time,
    pub(super) nodes: Vec<Rc<Node>>,
    /// How many of them have been taken.
    pub(super) taken: usize,
    /// How many had to wait.
    pub(super) waiting: usize,
    /// The cache as it was when the pass began, by id; taken when the pass has to wait for the
    /// first time.
    pub(super) all: Option<Vec<Rc<Node>>>,
    /// How many passes there were when the nodes that the workers leave out, because they rest,
    /// already did; none once the workers go through these, too.
    pub(super) rested: Option<u64>,
    /// The conditions of those.
    pub(super) resting: Counted,
    pub(super) counted: Counted,
}

impl Round {
    /// When its nodes were listed.
    pub(super) fn listed(&self) -> Time {
        self.listed
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
        self.counted.clear();
        (self.taken, self.waiting, self.all, self.rested) = (0, 0, None, None);
    }
}
