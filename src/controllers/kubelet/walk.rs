//! The loops of a kubelet that sleeps: where they are is computed.
//!
//! Both loops go on in thought: the times of their ticks follow from where they stood and, where
//! they jitter, from draws by the number of the tick, so that computed and simulated ticks are the
//! same ones.

use super::jitter::Sleeps;
use crate::controllers::prelude::*;

/// Whether a status check at `at` posts although nothing changed: so long after the last post, and
/// by so many nanoseconds later.
pub(super) fn report_is_due(at: Time, last_post: Time, report: Dur, offset_ns: i64) -> bool {
    at.since(last_post).as_nanos() as i64 >= report.as_nanos() as i64 + offset_ns
}

/// The ticks of a loop, followed in thought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The next tick, and its number.
    pub(super) next: (Time, u32),
    /// What the loop did last and before that: a renewal, or a post.
    pub(super) done: [Option<Time>; 2],
}

/// A kubelet's loops while it sleeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asleep {
    pub(super) lease: Walk,
    pub(super) status: Walk,
    /// When it last posted its status, and by how much the next periodic report is moved.
    pub(super) last_post: Time,
    pub(super) report_offset_ns: i64,
}

impl Walk {
    /// Notes what the loop did last.
    fn did(&mut self, at: Time) {
        self.done = [Some(at), self.done[0]];
    }
}

impl Asleep {
    /// Notes a post.
    fn posted(&mut self, at: Time) {
        self.status.did(at);
        self.last_post = at;
        self.report_offset_ns = 0;
    }

    /// Follows the renewals up to `t`; the loop sleeps for a period, or for `sleeps` where it jitters.
    pub(super) fn follow_lease(
        &mut self,
        t: Time,
        period: Dur,
        sleeps: Option<&Sleeps<'_>>,
    ) -> Walk {
        let lease = &mut self.lease;
        while lease.next.0 <= t {
            let (at, number) = lease.next;
            lease.did(at);
            lease.next = match sleeps {
                // All but the last two ticks are passed over.
                None => {
                    let skip = t.since(at).as_nanos() / period.as_nanos().max(1);
                    let skip = skip.saturating_sub(2);
                    if skip > 0 {
                        lease.did(at + period * skip);
                    }
                    let next = number.wrapping_add(skip as u32).wrapping_add(1);
                    (at + period * (skip + 1), next)
                }
                Some(sleeps) => {
                    // Two more come after those that are passed over: none is longer than twice the
                    // period.
                    let most = t.since(at).saturating_sub(period * 4);
                    ahead(sleeps, lease.next, most)
                }
            };
        }
        *lease
    }

    /// Follows the status checks up to `t`, of which one posts each `report`.
    pub(super) fn follow_status(
        &mut self,
        t: Time,
        period: Dur,
        sleeps: Option<&Sleeps<'_>>,
        report: Dur,
    ) -> Walk {
        while self.status.next.0 <= t {
            let (at, number) = self.status.next;
            if report_is_due(at, self.last_post, report, self.report_offset_ns) {
                self.posted(at);
                let posts = sleeps.and_then(|s| s.posts_ahead(number, report, t.since(at)));
                if let Some([(_, before), (last, then)]) = posts {
                    self.posted(at + before);
                    self.status.next = (at + then, last);
                    continue;
                }
            }
            let due =
                self.last_post.as_nanos() as i64 + report.as_nanos() as i64 + self.report_offset_ns;
            self.status.next = match sleeps {
                None => {
                    // This many ticks certainly come before the next report and not after `t`.
                    let until = due.min(t.as_nanos() as i64) - at.as_nanos() as i64;
                    let idle = until.max(0) as u64 / period.as_nanos().max(1);
                    let idle = idle.saturating_sub(1);
                    let next = number.wrapping_add(idle as u32).wrapping_add(1);
                    (at + period * (idle + 1), next)
                }
                Some(sleeps) => {
                    let until = Time::from_nanos(due.max(0) as u64).min(t);
                    ahead(sleeps, self.status.next, until.since(at))
                }
            };
        }
        self.status
    }
}

/// The tick after that one, or one that is farther ahead by no more than `most`.
fn ahead(sleeps: &Sleeps<'_>, (at, number): (Time, u32), most: Dur) -> (Time, u32) {
    let (ticks, slept) = sleeps.ahead(number, most).unwrap_or_else(|| (1, sleeps.after(number)));
    (at + slept, number.wrapping_add(ticks))
}
