//! Passes that cannot change anything are skipped.
//!
//! After a pass that found nothing to do, and while heartbeats are computed (see
//! `apiserver::Heartbeats`), the next passes would find nothing either until something reaches the
//! caches or a silent node's grace ends. They take no time, so they lie on a grid; the loop goes on
//! at the first one that matters, after making up for what the skipped ones would have noted in the
//! health records.

use super::super::controller::Controller;
use super::super::skipped::{Findings, Skipped};
use super::awake_nodes::AwakeNodes;
use crate::kernel::{Dur, Time};
use std::rc::Rc;

/// The shortest period of others' loops that may fall on a pass's instant, the pod garbage
/// collector's. Who comes first in an instant is fixed when the wait begins: one period before,
/// except for a pass after skipped ones, which begins to wait at some time within that period. So a
/// pass with a longer period is never skipped.
const SHORTEST_LOOP: Dur = Dur::from_secs(20);

impl Controller {
    /// Runs passes for ever, the first one after `wait`, except for those that cannot change
    /// anything.
    pub(crate) async fn monitor_loop(self: Rc<Self>, wait: Dur) {
        let period = self.pass_period();
        if wait > Dur::ZERO {
            self.ctx.sleep(wait).await;
        }
        // Passes are counted from the beginning of the run, so that a process that starts later
        // draws orders of its own.
        let mut number = (self.ctx.now().as_nanos() / period.as_nanos().max(1)) as u32;
        loop {
            self.ctx.set_cause(u32::MAX);
            let began = self.ctx.now();
            self.rest.with(|r| {
                r.findings = Some(Findings {
                    restless: false,
                    deadline_ns: None,
                })
            });
            self.monitor_node_health(AwakeNodes::new(&self, number))
                .await;
            let findings = self.rest.with(|r| r.findings.take());
            number += 1;
            // Where eviction passes hold the lock across requests, a health pass may have to wait
            // for one.
            let free = !self.config.switches.lock_across_calls || self.queues_are_empty();
            let computed = self.informers.heartbeats_are_computed() && period <= SHORTEST_LOOP;
            let quiet =
                findings.filter(|f| computed && free && !f.restless && self.ctx.now() == began);
            let Some(findings) = quiet else {
                self.ctx.sleep(period).await;
                continue;
            };
            self.rest.with(|r| {
                r.skipping = Some(Skipped {
                    first: began,
                    period,
                    count: 1,
                })
            });
            self.wait_for_stir(findings.deadline_ns).await;
            // Before the next pass comes, which may be long after: of heartbeats only the latest
            // are known.
            self.make_up_so_far();
            let passed = self.rest.with(|r| r.skipping.take()).map_or(1, |s| s.count);
            number += (passed - 1) as u32;
            self.ctx.sleep_until(began + period * passed).await;
        }
    }

    /// Waits until something reaches the caches of nodes, a node's heartbeats cease to be computed,
    /// or the deadline is over.
    async fn wait_for_stir(&self, deadline_ns: Option<i64>) {
        let deadline = deadline_ns
            .and_then(|d| u64::try_from(d).ok())
            .map(|d| Time::from_nanos(d.saturating_add(1)));
        self.ctx
            .parked(|ticket| {
                self.rest.with(|r| r.pass_waits = Some(ticket));
                if let Some(at) = deadline {
                    self.ctx.wake_at(at, ticket);
                }
            })
            .await;
        self.rest.with(|r| r.pass_waits = None);
    }
}
