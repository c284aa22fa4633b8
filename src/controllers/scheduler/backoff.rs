//! How long pods back off (`backend/queue/backoff_queue.go`).

use crate::controllers::scheduler::prelude::*;

/// The first and the longest back-off (`podInitialBackoffSeconds`, `podMaxBackoffSeconds`).
const INITIAL_BACKOFF: Dur = Dur::from_secs(1);
const MAX_BACKOFF: Dur = Dur::from_secs(10);

/// The back-off of a release.
#[derive(Debug)]
pub(super) struct Backoff(pub(super) Switches);

impl Backoff {
    /// When a pod's back-off ends (`getBackoffTime`).
    pub(super) fn get_backoff_time(&self, entry: &QueuedPod) -> Time {
        if let Some(before) = entry.before {
            return self.align(before.backoff_ends);
        }
        let count = match self.0.backoff_counts_rejections {
            false => entry.attempts,
            true if entry.errors > 0 => entry.errors,
            true => entry.rejections,
        };
        if count == 0 {
            return Time::ZERO;
        }
        let doubled = 1_u64
            .checked_shl(count - 1)
            .and_then(|n| INITIAL_BACKOFF.checked_mul(n))
            .unwrap_or(MAX_BACKOFF);
        self.align(entry.timestamp + doubled.min(MAX_BACKOFF))
    }

    fn align(&self, t: Time) -> Time {
        if self.0.pops_from_backoff { Time::from_secs(t.as_secs()) } else { t }
    }

    /// Whether a back-off that ends then is still on (`isPodBackingoff`).
    pub(super) fn is_pod_backing_off(&self, until: Time, now: Time) -> bool {
        if until == Time::ZERO {
            false
        } else if self.0.pops_from_backoff {
            until >= self.align(now)
        } else {
            until > now
        }
    }
}
