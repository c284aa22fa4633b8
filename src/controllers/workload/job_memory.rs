//! What the Job controller remembers between syncs.

use super::expectations::Expectations;
use super::job_backoff::BackoffRecord;
use crate::controllers::prelude::*;

/// What the controller remembers of its Jobs, by name.
#[derive(Default)]
pub(super) struct JobMemory {
    pub(super) expectations: Expectations,
    /// Pods whose finalizer was taken off and that were not seen without it yet
    /// (`uidTrackingExpectations`).
    pub(super) finalizers: BTreeMap<WorkloadId, BTreeSet<Uid>>,
    pub(super) backoff: BTreeMap<WorkloadId, BackoffRecord>,
    /// Jobs that were marked as finished (`finishedJobExpectations`).
    pub(super) finished: BTreeSet<Uid>,
}

impl JobMemory {
    /// A pod was seen without its finalizer, or keeps it.
    pub(super) fn finalizer_gone(&mut self, job: WorkloadId, pod: Uid) {
        if let Some(expected) = self.finalizers.get_mut(&job) {
            expected.remove(&pod);
        }
    }

    /// The Job is gone.
    pub(super) fn forget(&mut self, job: WorkloadId) {
        self.expectations.forget(job);
        self.finalizers.remove(&job);
        self.backoff.remove(&job);
    }
}
