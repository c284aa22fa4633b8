//! A workload's name in a work queue.

use crate::api::names::WorkloadId;
use crate::client::QueueKey;

/// A workload's name in a work queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Item(pub(super) WorkloadId);

impl QueueKey for Item {
    fn slot(self) -> usize {
        self.0.index()
    }
}
