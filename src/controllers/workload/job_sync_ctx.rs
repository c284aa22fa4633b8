//! What one sync of a Job goes by (`syncJobCtx`).

use super::job_backoff::BackoffRecord;
use crate::api::workload::{JobEnd, JobSpec, WorkloadStatus};
use crate::controllers::prelude::*;

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
        SyncJobCtx {
            ready: active.iter().filter(|p| p.is_ready()).count() as i32,
            terminating: pods
                .iter()
                .filter(|p| p.is_terminating() && !p.phase.is_terminal())
                .count() as i32,
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
