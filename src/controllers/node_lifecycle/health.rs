//! `tryUpdateNodeHealth`: whether a node was heard of in time, and what its status becomes if not;
//! with what the controller remembers of a node's health (`nodeHealthData`), and what one try to
//! update it found.

use super::core::Core;
use super::roster::Skipped;
use super::zones::Zones;
use crate::api::node::NodeReason;
use crate::apiserver::{Beat, lease_version};
use crate::controllers::prelude::*;
use crate::kernel::Key;
use crate::plan::switches::node_lifecycle::Switches;

/// What most parts work on.
pub(super) type Base = (Rc<Core>, Rc<Zones>, Rc<HealthMap>);

/// The health records (`nodeHealthMap`); one survives its node.
pub(super) struct HealthMap {
    core: Rc<Core>,
    records: Shared<Vec<Option<Health>>>,
    key: Key,
    /// The lease circuit breaker of 1.37 (gate NodeControllerLeaseCircuitBreaker): a node past its
    /// grace is acted on only if the live lease is the one the cache had; otherwise no node is, until
    /// the lease cache has caught up (`tryUpdateNodeHealth`;
    /// `pkg/controller/util/consistency/consistency.go`). This is the resourceVersion that the lease
    /// cache has to reach before nodes are looked at again; zero is none.
    wanted_lease: Cell<u64>,
}

impl HealthMap {
    /// Nothing was heard of any node.
    pub(super) fn new(core: Rc<Core>) -> Rc<Self> {
        let (key, records) = (core.ctx.key(), Shared::default());
        Rc::new(Self { core, records, key, wanted_lease: Cell::default() })
    }

    /// The record of a node.
    pub(super) fn get(&self, node: NodeId) -> Option<Health> {
        self.core.ctx.reads(self.key);
        self.records.with(|r| r.get(node.index()).copied().flatten())
    }

    /// A node counts as heard of at that time.
    pub(super) fn count_as_heard(&self, node: NodeId, at_ns: i64) {
        self.core.ctx.writes(self.key);
        self.records.with(|r| {
            // Where the lease circuit breaker kept a node from getting a record, upstream crashes
            // here.
            if let Some(Some(health)) = r.get_mut(node.index()) {
                (health.probe_ns, health.transition_ns) = (at_ns, at_ns);
            }
        });
    }

    /// Changes all records.
    pub(super) fn change_each(&self, change: impl Fn(&mut Health)) {
        self.core.ctx.writes(self.key);
        self.records.with(|r| r.iter_mut().flatten().for_each(change));
    }

    /// Whether no node is looked at, as the lease cache is known to lag (`EnsureReady`); once it has
    /// caught up that is forgotten.
    pub(super) fn waits_for_leases(&self) -> bool {
        let waits = self.wanted_lease.get() > self.core.informers.lease_version();
        if !waits {
            self.wanted_lease.set(0);
        }
        waits
    }

    /// The part of `tryUpdateNodeHealth` up to its requests: updates the health record and says
    /// what has to be written. The node was `listed` then from the cache, or else it was read from
    /// the API server.
    pub(super) fn try_update_node_health(&self, node: &Node, listed: Option<Listed>) -> Tried {
        let now = self.core.now_ns();
        let ready = node.ready();
        let observed = ready.map_or(ConditionStatus::Unknown, |c| c.status);
        let grace = self.core.grace(ready.is_some());
        let health = self.health_by_now(node, listed);
        let expired = now > health.probe_ns.saturating_add(grace.as_nanos() as i64);
        self.save_health(node.id, health);
        let mut tried = Tried { observed, current: ready.map(|c| c.status), write: None, expired };
        if expired {
            // If Ready is Unknown already nothing is written, even if other conditions change in
            // memory.
            tried.current = Some(ConditionStatus::Unknown);
            if ready.is_none_or(|c| c.status != ConditionStatus::Unknown) {
                tried.write = Some(self.silenced(node));
            }
        }
        tried
    }

    /// The health record of a node after what the caches say of its heartbeats by now.
    fn health_by_now(&self, node: &Node, listed: Option<Listed>) -> Health {
        let now = self.core.now_ns();
        let created = seconds(node.creation_timestamp);
        let mut health = self.get(node.id);
        let ready = node.ready();
        if ready.is_none() {
            // The saved status is overwritten before it is compared, so losing Ready never counts as
            // a change.
            health = Some(Health { ready: None, ..health.unwrap_or(Health::fresh(None, created)) });
        }
        let saved_lease = health.and_then(|h| h.lease);
        let read = || node.ready().map(|c| c.last_heartbeat_time);
        let as_listed = |listed: Listed| {
            let heartbeat = self.core.informers.heartbeat(node, listed.at)?;
            Some(listed.heard.map_or(heartbeat, |post| post.max(heartbeat)))
        };
        let heartbeat = listed.map_or_else(read, as_listed).unwrap_or_default();
        let forgotten = health.and_then(|h| h.lease.or(h.forgotten));
        let fresh = |transition_ns| Health {
            transition_ns,
            forgotten,
            ..Health::fresh(ready.map(|c| saved(c, heartbeat)), now)
        };
        let mut health = match (health, ready) {
            (None, _) => fresh(now),
            (Some(h), Some(c)) => match h.ready {
                None => fresh(now),
                Some(was) if was.heartbeat != heartbeat => {
                    let same = was.transition_ns == seconds(c.last_transition_time);
                    fresh(if same { h.transition_ns } else { now })
                }
                Some(_) => h,
            },
            (Some(h), None) => h,
        };
        if let Some(lease) = self.observed_lease(node.id)
            && saved_lease.is_none_or(|l| l.0 < lease.0)
        {
            health.lease = Some(lease);
            health.probe_ns = now;
        }
        health
    }

    /// The node with its conditions set to Unknown.
    fn silenced(&self, node: &Node) -> Node {
        let mut node = node.clone();
        let at = self.core.api().timestamp();
        for kind in self.core.switches().silenced() {
            match node.conditions.iter_mut().find(|c| c.kind == kind) {
                None => node.conditions.push(NodeCondition {
                    kind,
                    status: ConditionStatus::Unknown,
                    reason: NodeReason::NodeStatusNeverUpdated,
                    last_heartbeat_time: node.creation_timestamp,
                    last_transition_time: at,
                }),
                Some(c) if c.status != ConditionStatus::Unknown => {
                    c.status = ConditionStatus::Unknown;
                    c.reason = NodeReason::NodeStatusUnknown;
                    c.last_transition_time = at;
                }
                Some(_) => {}
            }
        }
        node
    }

    /// The health record after the status was written: the probe is kept, the lease is what the try
    /// saw.
    pub(super) fn silence_written(
        &self,
        node: &Node,
        written_at_ns: i64,
        lease: Option<(i64, u64)>,
    ) {
        let Some(old) = self.get(node.id) else { return };
        let ready = node.ready().map(|c| SavedReady {
            status: c.status,
            heartbeat: c.last_heartbeat_time,
            // What was written a moment ago has its nanoseconds in memory, unlike what was read.
            transition_ns: written_at_ns,
        });
        let transition_ns = self.core.now_ns();
        self.save_health(node.id, Health { ready, transition_ns, lease, ..old });
    }

    /// Records for how long nothing was heard of a node, and how old its last known
    /// heartbeat is: its lease's renewal, or, before there are leases, the heartbeat of its Ready
    /// condition. Also how old the lease's newest renewal is, where the cache does not have it.
    pub(super) fn note_expired(&self, id: NodeId) {
        let Some(health) = self.get(id) else { return };
        let now = self.core.now_ns();
        let note = |note, then_ns: i64| {
            let ms =
                u32::try_from(now.saturating_sub(then_ns).max(0) / 1_000_000).unwrap_or(u32::MAX);
            self.core.api().record_node(Actor::NodeLifecycle, id, What::Noted(note, ms));
        };
        let status = health.ready.map(|r| seconds(r.heartbeat));
        if let Some(at) = health.lease.map(|l| l.0.saturating_mul(1_000)).or(status) {
            note(Note::LastHeartbeat, at);
        }
        // The whole second that a status names began before what it came after.
        if let (Some(lease), Some(at)) =
            (health.lease.filter(|_| health.forgotten == health.lease), status)
        {
            note(Note::LeaseForgotten, at.max(lease.0.saturating_mul(1_000)));
        }
        if let (Some((_, seen)), Some(newest)) =
            (health.lease, self.core.informers.newest_renewal(id))
            && lease_version(newest) > seen
        {
            note(Note::RenewalUnseen, newest.as_nanos() as i64);
        }
        note(Note::NodeExpired, health.probe_ns);
    }

    /// Makes or replaces the record of a node.
    pub(super) fn save_health(&self, node: NodeId, health: Health) {
        self.core.ctx.writes(self.key);
        self.records.with(|r| *slot(r, node.index()) = Some(health));
    }

    /// The lease as the cache has it (`observedLease`).
    pub(super) fn observed_lease(&self, node: NodeId) -> Option<(i64, u64)> {
        if self.core.switches().leases { self.core.informers.lease(node) } else { None }
    }

    /// The lease as passes before this process's next one knew it. What a clock that was set back
    /// wrote since the run began is no renewal to them.
    fn lease_known(&self, node: NodeId) -> Option<(i64, u64)> {
        let began = self.core.config.leases.get(&node).copied();
        self.observed_lease(node).map(|lease| began.map_or(lease, |began| began.max(lease)))
    }

    /// Reads the live lease of a node that is past its grace. True if it is the one of the health
    /// record, or there is none; if it is another one, the breaker opens.
    pub(super) async fn live_lease_agrees(&self, node: &Rc<Node>) -> bool {
        let known = self.get(node.id).and_then(|h| h.lease).map(|(_, version)| version);
        let id = node.id;
        let about = self.core.client.node_object(id);
        match self.core.client.get(about, move |api, _| api.get_lease(id)).await {
            Err(ApiError::NotFound) => true,
            Err(_) => false,
            Ok(live) if Some(live.resource_version) == known => true,
            Ok(live) => {
                self.wanted_lease.set(self.wanted_lease.get().max(live.resource_version));
                false
            }
        }
    }

    /// The health record of a node as passes before this process's next one would have left it: its
    /// lease, or the status that it posted then, was seen by the first of them that came after that. A node of
    /// which the next pass is the first to hear has no record yet.
    pub(super) fn assume_heard(&self, node: &Node, posted_ns: Option<i64>, next_pass_ns: i64) {
        let lease = self.lease_known(node.id);
        let renewed_ns = lease.map(|lease| lease.0.saturating_mul(1_000));
        let (Some(ready), Some(heard_ns)) = (node.ready(), renewed_ns.or(posted_ns)) else {
            return;
        };
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let passes = next_pass_ns.saturating_sub(heard_ns) / period;
        if passes > 0 {
            let heartbeat =
                self.core.informers.heartbeat(node, self.core.ctx.now()).unwrap_or_default();
            let probe_ns = next_pass_ns - passes * period;
            let transition_ns = seconds(ready.last_transition_time);
            let ready = Some(saved(ready, heartbeat));
            let health = Health { ready, probe_ns, transition_ns, lease, forgotten: None };
            self.save_health(node.id, health);
        }
    }

    /// Brings a health record to where skipped passes would have left it.
    pub(super) fn make_up_for(&self, node: NodeId, skipped: Skipped) {
        let Some(health) = self.get(node) else { return };
        let health = self.health_after(node, health, skipped);
        self.save_health(node, health);
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
                let late = arrived.since(skipped.first).as_nanos();
                from = late.div_ceil(skipped.period.as_nanos()).min(skipped.count - 1);
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
                health.forgotten = health.lease.or(health.forgotten);
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

/// The Ready condition of the status that a health record points to. Times are nanoseconds from the
/// start: what the controller wrote itself keeps its fraction of a second in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SavedReady {
    pub(super) status: ConditionStatus,
    pub(super) heartbeat: Timestamp,
    pub(super) transition_ns: i64,
}

/// `nodeHealthData`
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Health {
    /// The Ready condition of the saved status.
    pub(super) ready: Option<SavedReady>,
    /// `probeTimestamp`, ns from the start.
    pub(super) probe_ns: i64,
    /// `readyTransitionTimestamp`, ns from the start.
    pub(super) transition_ns: i64,
    /// The lease that was last seen: renewTime in microseconds, resourceVersion.
    pub(super) lease: Option<(i64, u64)>,
    /// The one of the record before, which a new heartbeat of the status replaced. The pass after
    /// takes it for new, if it is the last one still.
    pub(super) forgotten: Option<(i64, u64)>,
}

impl Health {
    /// That of a node that was heard of just then, of its status and not of its lease.
    pub(super) fn fresh(ready: Option<SavedReady>, at_ns: i64) -> Self {
        Self { ready, probe_ns: at_ns, transition_ns: at_ns, lease: None, forgotten: None }
    }
}

/// When a node was listed from the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub(super) at: Time,
    /// Its latest post by then, if it woke since and that was computed.
    pub(super) heard: Option<Timestamp>,
}

/// What one try found.
pub(super) struct Tried {
    /// Ready before this try.
    pub(super) observed: ConditionStatus,
    /// Ready after it; none if the node never had any and is within its grace.
    pub(super) current: Option<ConditionStatus>,
    /// The status to write, if the node was silent for too long.
    pub(super) write: Option<Node>,
    /// The node is past its grace (and the live lease has to be looked at first, where the release
    /// does).
    pub(super) expired: bool,
}

impl Tried {
    /// The status that decides about taints; none while a node never had a Ready condition and is
    /// within its grace.
    pub(super) fn decisive(&self, switches: &Switches) -> Option<ConditionStatus> {
        let current = self.current?;
        Some(if switches.taint_on_observed { self.observed } else { current })
    }
}

pub(super) fn seconds(t: Timestamp) -> i64 {
    t.0.saturating_mul(1_000_000_000)
}

pub(super) fn saved(c: &NodeCondition, heartbeat: Timestamp) -> SavedReady {
    SavedReady { status: c.status, heartbeat, transition_ns: seconds(c.last_transition_time) }
}
