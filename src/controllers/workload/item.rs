//! Names of workloads and nodes in a work queue.

use crate::api::names::{NodeId, WorkloadId};
use crate::client::QueueKey;

/// A workload's name in a work queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Item(pub(super) WorkloadId);

impl QueueKey for Item {
    fn slot(self) -> usize {
        self.0.index()
    }
}

/// A node's name in a work queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct NodeItem(pub(super) NodeId);

impl QueueKey for NodeItem {
    fn slot(self) -> usize {
        self.0.index()
    }
}
