//! The scheduler's loops (`scheduler.go: Run`): the one that tries one pod after the other, and the
//! two that flush the queue.

use super::controller::Controller;
use crate::kernel::{Dur, Time};
use std::rc::Rc;

/// How often pods whose back-off is over are looked for, and pods that have waited for too long.
const BACKOFF_FLUSH: Dur = Dur::from_secs(1);

const LEFTOVER_FLUSH: Dur = Dur::from_secs(30);

/// How many times in a thousand goroutines of the same instant come in between two steps of the loop, where
/// they take drawn turns. With none one more of 135 recordings of 60 runs is rejected by `taintsim conform
/// --odds`; one in four does as well.
pub(super) const LET_IN: u32 = 125;

impl Controller {
    /// Starts the loop and the two flushers (`Run`); the caches are filled. `warm`: they have been
    /// running for long, so that their next ticks come some time within a period.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        // One phase of the longer period is one of the shorter too, as both began at one time.
        let phase = if warm {
            self.ctx.phase(self.phase_point, LEFTOVER_FLUSH)
        } else {
            Dur::ZERO
        };
        self.ticks_at.set(self.ctx.now() + phase);
        self.recall_waiting();
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            loop {
                if c.ctx.is_choosing() && c.state.with(|s| s.queue.is_ready()) {
                    c.ctx.yield_point(c.cycle_points[0], LET_IN).await;
                }
                let next = c.state.with(|s| s.queue.pop());
                match next {
                    Some(entry) => c.schedule_one(entry).await,
                    None => c.ctx.parked(|t| c.idle.set(Some(t))).await,
                }
            }
        });
        let c = self.clone();
        self.ctx.spawn(
            self.group,
            async move { c.flush_backoff_q_completed().await },
        );
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            c.flush_unschedulable_pods_leftover().await
        });
    }

    /// Wakes the loops that have something to do since the queue changed (`activeQ.broadcast`).
    pub(super) fn broadcast(&self) {
        let (ready, backoff, waiting) = self.state.with(|s| {
            (
                s.queue.is_ready(),
                s.queue.has_backoff(),
                s.queue.has_unschedulable(),
            )
        });
        for (due, parked) in [
            (ready, &self.idle),
            (backoff, &self.no_backoff),
            (waiting, &self.no_leftover),
        ] {
            if due
                && let Some(ticket) = parked.take()
                && self.ctx.claim(ticket)
            {
                self.ctx.wake(ticket);
            }
        }
    }

    /// Looks at the back-off queue every second (`flushBackoffQCompleted`), from the start on or,
    /// where it gives pods to an idle scheduler, at whole seconds. Looks at an empty queue are left
    /// out.
    async fn flush_backoff_q_completed(&self) {
        loop {
            if !self.state.with(|s| s.queue.has_backoff()) {
                self.ctx.parked(|t| self.no_backoff.set(Some(t))).await;
                continue;
            }
            let from = if self.config.choice.switches.pops_from_backoff {
                Time::ZERO
            } else {
                self.ticks_at.get()
            };
            self.sleep_to_tick(from, BACKOFF_FLUSH).await;
            self.state
                .with(|s| s.queue.flush_backoff_q_completed(self.ctx.now()));
            self.broadcast();
        }
    }

    /// Looks every 30 s for pods that have waited for too long (`flushUnschedulablePodsLeftover`).
    async fn flush_unschedulable_pods_leftover(&self) {
        loop {
            if !self.state.with(|s| s.queue.has_unschedulable()) {
                self.ctx.parked(|t| self.no_leftover.set(Some(t))).await;
                continue;
            }
            self.sleep_to_tick(self.ticks_at.get(), LEFTOVER_FLUSH)
                .await;
            self.state.with(|s| {
                s.queue
                    .flush_unschedulable_pods_leftover(self.ctx.now(), self.ctx.cause())
            });
            self.broadcast();
        }
    }

    /// Sleeps until the next of the ticks that come every `period`, one of them at `tick`.
    async fn sleep_to_tick(&self, tick: Time, period: Dur) {
        let (now, of) = (self.ctx.now(), |t: Time| t.as_nanos() % period.as_nanos());
        let since_last = (of(now) + period.as_nanos() - of(tick)) % period.as_nanos();
        self.ctx
            .sleep_until(now + Dur::from_nanos(period.as_nanos() - since_last))
            .await;
    }
}
