//! How long a Job waits before it replaces failed pods (`pkg/controller/job/backoff_utils.go`, 1.27
//! on).

use crate::controllers::prelude::*;
use crate::plan::FailedBefore;

/// The delay after one failure (`DefaultJobPodFailureBackOff`).
const DEFAULT_BACKOFF: Dur = Dur::from_secs(10);

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
