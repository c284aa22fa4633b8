//! What the Job controller remembers between syncs, and what one sync goes by; how
//! long a Job waits before it replaces failed pods among that (`pkg/controller/job/backoff_utils.go`,
//! 1.27 on).

use super::expectations::Expectations;
use crate::api::workload::{JobEnd, JobSpec, WorkloadStatus};
use crate::controllers::prelude::*;
use crate::plan::FailedBefore;

/// The delay after one failure (`DefaultJobPodFailureBackOff`).
const DEFAULT_BACKOFF: Dur = Dur::from_secs(10);

/// What the controller remembers of its Jobs, by name.
#[derive(Default)]
pub(super) struct JobMemory {
    pub(super) expectations: Expectations<BTreeSet<Uid>>,
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

/// Failures since the last success, and when the last one was, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct BackoffRecord {
    failures: u32,
    last_failure: Option<i64>,
}

impl BackoffRecord {
    /// That of failures before the start. Within bounds, where pods are gone, it is a draw.
    pub(super) fn drawn(ctx: &Ctx, point: PointId, job: Object, failed: &FailedBefore) -> Self {
        let (least, most) = failed.failures;
        let count = ctx.uniform(point, job, least.into(), most.into());
        let (from, until) = failed.last;
        let span = until.saturating_sub(from).max(0).unsigned_abs();
        let last = from.saturating_add_unsigned(ctx.uniform(point, job, 0, span));
        BackoffRecord {
            failures: u32::try_from(count).unwrap_or(u32::MAX),
            last_failure: Some(last),
        }
    }

    /// The record with these newly finished pods (`newBackoffRecord`).
    pub(super) fn with(self, succeeded: &[Rc<Pod>], failed: &[Rc<Pod>]) -> Self {
        let latest = |pods: &[Rc<Pod>]| pods.iter().map(|p| finished_at(p)).max();
        let Some(success) = latest(succeeded) else {
            let last_failure = latest(failed).or(self.last_failure);
            return BackoffRecord { failures: self.failures + failed.len() as u32, last_failure };
        };
        let after: Vec<i64> =
            failed.iter().map(|p| finished_at(p)).filter(|t| *t > success).collect();
        BackoffRecord { failures: after.len() as u32, last_failure: after.into_iter().max() }
    }

    /// How long to wait still (`getRemainingTime`).
    pub(super) fn remaining(self, now: Time, max: Dur) -> Dur {
        let Some(last) = self.last_failure.filter(|_| self.failures > 0) else { return Dur::ZERO };
        let doubled = u128::from(DEFAULT_BACKOFF.as_nanos()) << (self.failures - 1).min(63);
        let backoff = u64::try_from(doubled).map_or(max, Dur::from_nanos).min(max);
        let elapsed = i128::from(now.as_nanos()) - i128::from(last) * 1_000_000_000;
        Dur::from_nanos(u64::try_from(i128::from(backoff.as_nanos()) - elapsed).unwrap_or_default())
    }
}

/// When a pod finished (`getFinishedTime`): when it stopped being ready, else when its deletion
/// began, else its creation. Containers' own times are not modelled.
fn finished_at(pod: &Pod) -> i64 {
    let unready =
        pod.ready.filter(|c| c.status == ConditionStatus::False).map(|c| c.last_transition_time.0);
    let deleted = || pod.deletion.map(|d| d.timestamp.0 - d.grace_period_seconds);
    unready.or_else(deleted).unwrap_or(pod.creation_timestamp.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 s, 20 s, 40 s … up to the limit, from the last failure on.
    #[test]
    fn the_delay_doubles() {
        let max = Dur::from_secs(600);
        let left = |failures, at: u64| {
            BackoffRecord { failures, last_failure: Some(100) }.remaining(Time::from_secs(at), max)
        };
        assert_eq!(
            [1, 2, 3, 7, 60].map(|f| left(f, 100)),
            [10, 20, 40, 600, 600].map(Dur::from_secs)
        );
        assert_eq!([left(1, 104), left(1, 110), left(1, 400)], [6, 0, 0].map(Dur::from_secs));
        assert_eq!(BackoffRecord::default().remaining(Time::ZERO, max), Dur::ZERO);
    }
}
