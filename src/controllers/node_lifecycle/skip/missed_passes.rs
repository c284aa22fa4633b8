//! Health records as passes that were not made would have left them.

use super::super::node_health::{Health, saved, seconds};
use crate::apiserver::{Beat, lease_version};
use crate::controllers::node_lifecycle::prelude::*;

/// The passes that were not made.
pub(super) struct MissedPasses {
    core: Rc<Core>,
    health: Rc<HealthMap>,
}

impl MissedPasses {
    /// Those that would have noted something in these records.
    pub(super) fn new(core: &Rc<Core>, health: &Rc<HealthMap>) -> Self {
        MissedPasses { core: core.clone(), health: health.clone() }
    }

    /// The health record of a node as passes before this process's next one would have left it: its
    /// lease was seen by the first of them that came after the renewal. A node whose lease the next
    /// pass is the first to see has no record yet.
    pub(super) fn assume_heard(&self, node: &Node, next_pass_ns: i64) {
        let (Some(ready), Some(lease)) = (
            node.ready(),
            self.core.informers.lease(node.id).filter(|_| self.core.switches().leases),
        ) else {
            return;
        };
        let renewed_ns = lease.0.saturating_mul(1_000);
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let passes = next_pass_ns.saturating_sub(renewed_ns) / period;
        if passes > 0 {
            let heartbeat =
                self.core.informers.heartbeat(node, self.core.ctx.now()).unwrap_or_default();
            let probe_ns = next_pass_ns - passes * period;
            let transition_ns = seconds(ready.last_transition_time);
            self.health.save_health(
                node.id,
                Health {
                    ready: Some(saved(ready, heartbeat)),
                    probe_ns,
                    transition_ns,
                    lease: Some(lease),
                },
            );
        }
    }

    /// Brings a health record to where skipped passes would have left it.
    pub(super) fn make_up_for(&self, node: NodeId, skipped: Skipped) {
        let Some(health) = self.health.get(node) else { return };
        let health = self.health_after(node, health, skipped);
        self.health.save_health(node, health);
    }

    /// A health record after skipped passes. Only what a node's latest heartbeats did to it can
    /// matter: the pass that first saw the latest renewal set the probe, and those after it may
    /// have seen a status post.
    fn health_after(&self, node: NodeId, mut health: Health, skipped: Skipped) -> Health {
        let pass = |k: u64| skipped.first + skipped.period * k;
        let last = pass(skipped.count - 1);
        let mut from = 0;
        let renewal = self.core.informers.renewal_seen(node, last);
        if let Some(renewed) = renewal {
            let lease = ((renewed.as_nanos() / 1_000) as i64, lease_version(renewed));
            if self.core.switches().leases && health.lease.is_none_or(|l| l.0 < lease.0) {
                let arrived = self.core.informers.renewal_arrives(renewed);
                from = arrived
                    .since(skipped.first)
                    .as_nanos()
                    .div_ceil(skipped.period.as_nanos())
                    .min(skipped.count - 1);
                health.lease = Some(lease);
                health.probe_ns = pass(from).as_nanos() as i64;
                if let Some(ready) = &mut health.ready
                    && let Some(h) = self.core.informers.post_seen(node, pass(from))
                {
                    ready.heartbeat = h;
                }
                from += 1;
            }
        }
        // A node without a Ready condition has no heartbeat to compare. Its first post brings one,
        // and is a change after which passes go on.
        let Some(mut ready) = health.ready else { return health };
        let lease = health.lease;
        let beats = self.core.informers.beat(node) == Beat::Asleep;
        let mut k = from;
        while k < skipped.count {
            if !beats && (health.lease.is_some() || lease.is_none()) {
                // Nothing happens until a pass sees another post. All posts are made: what passes
                // see of them only gets newer.
                let seen = |k: u64| self.core.informers.post_seen(node, pass(k));
                let is_new = |k: u64| seen(k).is_some_and(|h| h != ready.heartbeat);
                k = first_that(k..skipped.count, is_new);
                if k == skipped.count {
                    break;
                }
            }
            let saved_lease = health.lease;
            if let Some(h) = self.core.informers.post_seen(node, pass(k))
                && h != ready.heartbeat
            {
                ready.heartbeat = h;
                health.lease = None;
                health.probe_ns = pass(k).as_nanos() as i64;
            }
            if saved_lease.is_none() && lease.is_some() {
                health.lease = lease;
                health.probe_ns = pass(k).as_nanos() as i64;
            }
            k += 1;
        }
        health.ready = Some(ready);
        health
    }
}

/// The first number of a range that is so, where all after one that is so are so, too; its end if
/// none is.
fn first_that(range: std::ops::Range<u64>, is_so: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (range.start, range.end);
    // Mostly none is.
    if low < high && !is_so(high - 1) {
        return high;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
