//! Names of workloads, nodes and pods in a work queue.

use crate::api::names::{NodeId, PodId, WorkloadId};
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

/// A pod's name in a work queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PodItem(pub(super) PodId);

impl QueueKey for PodItem {
    fn slot(self) -> usize {
        self.0.index()
    }
}
