//! What the Job controller remembers between syncs, and what one sync goes by.

use super::expectations::Expectations;
use super::job_backoff::BackoffRecord;
use crate::api::workload::{JobEnd, JobSpec, WorkloadStatus};
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

/// A sync of one Job (`syncJobCtx`).
pub(super) struct SyncJobCtx {
    pub(super) job: Rc<Workload>,
    pub(super) spec: JobSpec,
    pub(super) status: WorkloadStatus,
    pub(super) pods: Vec<Rc<Pod>>,
    pub(super) active: Vec<Rc<Pod>>,
    /// The pods whose finalizer has been taken off as far as the controller knows.
    pub(super) released: BTreeSet<Uid>,
    pub(super) succeeded: i32,
    pub(super) terminating: i32,
    pub(super) ready: i32,
    pub(super) backoff: BackoffRecord,
    /// How the Job ends, if it does.
    pub(super) end: Option<JobEnd>,
}

impl SyncJobCtx {
    /// What is known of a Job before anything is made of it. `released`: see there.
    pub(super) fn new(
        job: Rc<Workload>,
        spec: JobSpec,
        pods: Vec<Rc<Pod>>,
        released: BTreeSet<Uid>,
        backoff: BackoffRecord,
    ) -> Self {
        let active: Vec<Rc<Pod>> = pods.iter().filter(|p| p.is_active()).cloned().collect();
        let ends = |p: &&Rc<Pod>| p.is_terminating() && !p.phase.is_terminal();
        SyncJobCtx {
            ready: active.iter().filter(|p| p.is_ready()).count() as i32,
            terminating: pods.iter().filter(ends).count() as i32,
            status: job.status.clone(),
            succeeded: 0,
            end: None,
            backoff,
            released,
            active,
            pods,
            spec,
            job,
        }
    }

    /// The pod waits to be counted.
    pub(super) fn holds(&self, pod: &Pod) -> bool {
        pod.job_finalizer && !self.released.contains(&pod.uid)
    }
}
