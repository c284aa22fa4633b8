//! Passes that cannot change anything are skipped.
//!
//! After a pass that found nothing to do, and while heartbeats are computed (see
//! `apiserver::Heartbeats`), the next passes would find nothing either until something reaches the
//! caches or a silent node's grace ends. They take no time, so they lie on a grid; the loop goes on
//! at the first one that matters, after making up for what the skipped ones would have noted in the
//! health records. The same holds for the NoExecute loop while all queues are empty.

use super::controller::{Controller, NODE_EVICTION_PERIOD};
use super::health::Health;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::apiserver::Beat;
use crate::kernel::{Dur, Ticket, Time};
use crate::plan::switches::node_lifecycle::{EvictionMode, Requeue};
use std::rc::Rc;

/// The shortest period of others' loops that may fall on a pass's instant, the pod garbage
/// collector's. Who comes first in an instant is fixed when the wait begins: one period before,
/// but for a pass after skipped ones, which begins to wait at some time within that period. So a
/// pass with a longer period is never skipped.
const SHORTEST_LOOP: Dur = Dur::from_secs(20);

/// What a pass found that matters for the next ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Findings {
    /// Something was done, or would be done again by the next pass.
    restless: bool,
    /// When the first silent node's grace ends, ns from the start.
    deadline_ns: Option<i64>,
}

/// Passes that were skipped: the first one's time, the period, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Skipped {
    pub(super) first: Time,
    pub(super) period: Dur,
    pub(super) count: u64,
}

impl Skipped {
    /// Whether `next` comes right after these, on the same grid.
    pub(super) fn goes_on_with(&self, next: &Skipped) -> bool {
        self.period == next.period && self.first + self.period * self.count == next.first
    }

    /// Those from number `from` on up to number `to`; none if there are none.
    pub(super) fn part(&self, from: u64, to: u64) -> Option<Skipped> {
        let count = to.min(self.count).saturating_sub(from);
        (count > 0).then(|| Skipped {
            first: self.first + self.period * from,
            count,
            ..*self
        })
    }
}

/// The state of both loops while they rest.
#[derive(Default)]
pub(super) struct Rest {
    findings: Option<Findings>,
    pass_waits: Option<Ticket>,
    /// While passes are skipped: the last one that was not, and those made up for since.
    skipping: Option<Skipped>,
    tainting_waits: Option<Ticket>,
    /// The eviction pass of the instant at which a node was queued came before that.
    tainting_missed: bool,
}

impl Controller {
    /// Runs passes for ever, the first one after `wait`, but for those that cannot change anything.
    pub(super) async fn monitor_loop(self: Rc<Self>, wait: Dur) {
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
            self.monitor_node_health(number).await;
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

    /// From one pass to the next, where neither has to wait.
    pub(super) fn pass_period(&self) -> Dur {
        self.config.monitor_period + self.config.pass_overhead
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

    /// Something reached the caches of nodes, or may come of a node that was quiet.
    pub(super) fn stirred(&self) {
        if let Some(t) = self.rest.with(|r| r.pass_waits.take())
            && self.ctx.claim(t)
        {
            self.ctx.wake(t);
        }
    }

    /// Runs the eviction pass for ever, first after `wait`, but for times at which all queues are
    /// empty.
    pub(super) async fn eviction_loop(self: Rc<Self>, wait: Dur, period: Dur) {
        if wait > Dur::ZERO {
            self.ctx.sleep(wait).await;
        }
        loop {
            self.do_eviction_pass().await;
            let began = self.ctx.now();
            if !self.lazy || !self.queues_are_empty() {
                self.ctx.sleep(period).await;
                continue;
            }
            self.ctx
                .parked(|ticket| self.rest.with(|r| r.tainting_waits = Some(ticket)))
                .await;
            let waited = self.ctx.now().since(began).as_nanos();
            let periods = waited.div_ceil(period.as_nanos()).max(1);
            let missed =
                waited == periods * period.as_nanos() && self.rest.with(|r| r.tainting_missed);
            let next = began + period * (periods + u64::from(missed));
            // What others have posted in this instant comes after a pass of this instant.
            if next > self.ctx.now() {
                self.ctx.sleep_until(next).await;
            }
        }
    }

    /// A node was queued. `by_worker`: not by the health pass itself, whose turn was fixed long
    /// before. An eviction pass of this instant, whose turn was fixed one period ago, has come
    /// before a worker that began to run in this instant, or sent its last request after that.
    pub(super) fn queue_filled(&self, by_worker: bool) {
        let began_now = self.round.with(|r| r.listed()) == self.ctx.now();
        let waits = self.rest.with(|r| {
            r.tainting_missed =
                by_worker && (began_now || self.client.round_trip() <= NODE_EVICTION_PERIOD);
            r.tainting_waits.take()
        });
        if let Some(t) = waits
            && self.ctx.claim(t)
        {
            self.ctx.wake(t);
        }
    }

    pub(super) fn queues_are_empty(&self) -> bool {
        self.state
            .with(|s| s.tainters.values().all(|q| q.is_empty()))
    }

    /// The pass did something, or will do it again.
    pub(super) fn restless(&self) {
        self.rest.with(|r| {
            if let Some(f) = &mut r.findings {
                f.restless = true;
            }
        });
    }

    /// Notes of a node that needed nothing when the next pass has to look at it.
    pub(super) fn note_quiet_node(
        &self,
        node: &Rc<Node>,
        current: Option<ConditionStatus>,
        decides: Option<ConditionStatus>,
        tainted: bool,
    ) {
        if !self.lazy {
            return;
        }
        let waits_for_taint = decides.is_some_and(|d| d != ConditionStatus::True) && !tainted;
        let beat = self.informers.beat(node.id);
        let by_timeout = self.config.switches.eviction_mode == EvictionMode::Timeout
            && current != Some(ConditionStatus::True);
        if waits_for_taint || by_timeout || beat == Beat::Awake || self.takes_up_old_lease(node.id)
        {
            self.restless();
            let s = &self.config.switches;
            let plain = s.requeue == Requeue::Correct
                && s.eviction_mode == EvictionMode::Taints
                && !s.lease_circuit_breaker;
            if plain
                && beat == Beat::Silent
                && (current, decides)
                    == (
                        Some(ConditionStatus::Unknown),
                        Some(ConditionStatus::Unknown),
                    )
            {
                self.let_wait(node);
            }
        } else if beat == Beat::Silent
            && (current != Some(ConditionStatus::Unknown)
                || self.config.switches.lease_circuit_breaker)
        {
            // The breaker reads the live lease in every pass from then on, even of a node that is
            // Unknown.
            let grace = if current.is_some() {
                self.config.grace_period
            } else {
                self.config.startup_grace_period
            };
            let Some(health) = self
                .state
                .with(|s| s.health.get(node.id.index()).copied().flatten())
            else {
                return;
            };
            let ends = health.probe_ns.saturating_add(grace.as_nanos() as i64);
            self.rest.with(|r| {
                if let Some(f) = &mut r.findings {
                    f.deadline_ns = Some(f.deadline_ns.map_or(ends, |d| d.min(ends)));
                }
            });
        } else if self.config.switches.lease_circuit_breaker {
            // Whether a node is looked at hangs on others' leases too.
        } else if beat == Beat::Asleep && current == Some(ConditionStatus::True) {
            self.let_rest(node, true);
        } else if beat == Beat::Silent && decides == Some(ConditionStatus::Unknown) {
            self.let_rest(node, false);
        }
    }

    /// Whether the next pass saves a lease that this one dropped with a new heartbeat, and takes
    /// it for a sign of life, though it is none of the renewals that are computed.
    fn takes_up_old_lease(&self, node: NodeId) -> bool {
        let saved = self
            .state
            .with(|s| s.health.get(node.index()).copied().flatten())
            .is_none_or(|h| h.lease.is_some());
        self.config.switches.leases
            && !saved
            && self.informers.lease(node).is_some()
            && self.informers.renewal_seen(node, self.ctx.now()).is_none()
    }

    /// A node's heartbeats are computed up to now, and no more.
    pub(super) fn wakes(&self, node: NodeId) {
        self.make_up_so_far();
        self.rouse(node);
    }

    /// Brings the health records to where the passes skipped before this instant would have left
    /// them; those of nodes that rest follow when they are roused.
    fn make_up_so_far(&self) {
        let Some(before) = self.rest.with(|r| r.skipping) else {
            return;
        };
        // The one that went over the nodes, and those after it that are past.
        let passes = self
            .ctx
            .now()
            .since(before.first)
            .as_nanos()
            .div_ceil(before.period.as_nanos())
            .max(1);
        if passes == before.count {
            return;
        }
        self.rest.with(|r| {
            r.skipping = Some(Skipped {
                count: passes,
                ..before
            })
        });
        let first = before.first + before.period * before.count;
        let skipped = Skipped {
            first,
            count: passes - before.count,
            ..before
        };
        for node in self.roster.with_ref(|r| r.awake().collect::<Vec<_>>()) {
            self.make_up_for(node, skipped);
        }
        self.roster.with(|r| r.note_passes(skipped));
    }

    /// Brings a health record to where skipped passes would have left it.
    pub(super) fn make_up_for(&self, node: NodeId, skipped: Skipped) {
        let Some(health) = self
            .state
            .with(|s| s.health.get(node.index()).copied().flatten())
        else {
            return;
        };
        if let Some(health) = self.health_after(node, health, skipped) {
            self.save_health(node, health);
        }
    }

    /// A health record after skipped passes. Only what a node's latest heartbeats did to it can
    /// matter: the pass that first saw the latest renewal set the probe, and those after it may
    /// have seen a status post.
    fn health_after(&self, node: NodeId, mut health: Health, skipped: Skipped) -> Option<Health> {
        let mut ready = health.ready?;
        let pass = |k: u64| skipped.first + skipped.period * k;
        let last = pass(skipped.count - 1);
        let mut from = 0;
        let renewal = self.informers.renewal_seen(node, last);
        if let Some(renewed) = renewal {
            let lease = (
                (renewed.as_nanos() / 1_000) as i64,
                crate::apiserver::lease_version(renewed),
            );
            if self.config.switches.leases && health.lease.is_none_or(|l| l.0 < lease.0) {
                let arrived = self.informers.renewal_arrives(renewed);
                from = arrived
                    .since(skipped.first)
                    .as_nanos()
                    .div_ceil(skipped.period.as_nanos())
                    .min(skipped.count - 1);
                health.lease = Some(lease);
                health.probe_ns = pass(from).as_nanos() as i64;
                if let Some(h) = self.informers.post_seen(node, pass(from)) {
                    ready.heartbeat = h;
                }
                from += 1;
            }
        }
        let lease = health.lease;
        for k in from..skipped.count {
            let saved_lease = health.lease;
            if let Some(h) = self.informers.post_seen(node, pass(k))
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
        }
        health.ready = Some(ready);
        Some(health)
    }
}
