//! The machines that faults and maintenances keep off.

use crate::api::names::NodeId;
use std::collections::BTreeSet;

/// What keeps a machine off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OffBy {
    /// A fault of the timeline.
    Fault,
    /// A maintenance.
    Maintenance,
}

/// The machines that are off, and why. One that two things keep off boots when both have ended.
#[derive(Default)]
pub(super) struct Off(pub(super) BTreeSet<(NodeId, OffBy)>);

impl Off {
    /// A node is deleted: what joins under its name is another machine.
    pub(super) fn forget(&mut self, node: NodeId) {
        self.0.retain(|(n, _)| *n != node);
    }
}
