//! What is skipped, so that cost follows change: passes that cannot change anything, and nodes
//! about which a pass would find nothing to do. The steps of the controller tell [`Skipper`] what
//! may end that, and a pass asks it for its nodes.
//!
//! After a pass that found nothing to do, and while heartbeats are computed (see
//! `apiserver::Heartbeats`), the next passes would find nothing either until something reaches the
//! caches or a silent node's grace ends. They take no time, so they lie on a grid; the loop goes on
//! at the first one that matters, after making up for what the skipped ones would have noted in the
//! health records. The rounds of the NoExecute loop are skipped while all queues are empty.
//!
//! Passes also leave out nodes that rest: those about which they would find nothing to do. A node
//! rests if its heartbeats are computed and it is healthy and free of NoExecute taints, or
//! if it is silent, Unknown and tainted; until its heartbeats change or another version of it
//! reaches the cache. A pass over it would count it in its zone, which is done for all that rest at
//! once, and note its latest heartbeats in its health record, which is made up for when it is
//! roused: what a pass notes follows from when it was.

use super::core::NODE_EVICTION_PERIOD;
use super::ids::Ids;
use super::roster::{Rest, Roster};
use super::round::Round;
use crate::apiserver::Beat;
use crate::controllers::node_lifecycle::prelude::*;
use crate::kernel::Idler;
use crate::plan::switches::node_lifecycle::{EvictionMode, Requeue};

/// The shortest period of others' loops that may fall on a pass's instant, the pod garbage
/// collector's. Who comes first in an instant is fixed when the wait begins: one period before,
/// except for a pass after skipped ones, which begins to wait at some time within that period. So a
/// pass with a longer period is never skipped.
const SHORTEST_LOOP: Dur = Dur::from_secs(20);

/// What a pass found that matters for the next ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Findings {
    /// Something was done, or would be done again by the next pass.
    restless: bool,
    /// When the first silent node's grace ends, ns from the start.
    deadline_ns: Option<i64>,
}

/// The state of both loops while they rest.
#[derive(Default)]
struct Loops {
    findings: Findings,
    pass_waits: Option<Ticket>,
    /// While passes are skipped: the last one that was not, and those made up for since.
    skipping: Option<Skipped>,
    /// In a search: the eviction loop while it rests.
    tainting_waits: Option<Ticket>,
    /// The eviction pass of the instant at which a node was queued came before that.
    tainting_missed: bool,
}

/// Who skips passes and leaves nodes out.
pub(super) struct Skipper {
    core: Rc<Core>,
    health: Rc<HealthMap>,
    zones: Rc<Zones>,
    /// Which nodes rest.
    roster: Shared<Roster>,
    rest: Shared<Loops>,
    /// The pass that is under way, if one is.
    pub(super) round: Shared<Round>,
    /// The eviction loop, while all queues are empty.
    idler: Idler,
}

impl Skipper {
    /// Nothing was skipped yet.
    pub(super) fn new((core, zones, health): Base) -> Rc<Self> {
        let (roster, rest, round) = Default::default();
        let idler = core.ctx.idler();
        Rc::new(Self { core, health, zones, roster, rest, round, idler })
    }

    /// The pass did something, or will do it again.
    pub(super) fn restless(&self) {
        self.rest.with(|r| r.findings.restless = true);
    }

    /// The NoExecute loop has something to do at its next turn, a node that was queued, or something
    /// to wait for, its lock. `by_worker`: not by the health pass itself, whose turn was fixed long
    /// before.
    ///
    /// In a search, an eviction pass of this instant, whose turn was fixed one period ago, has come
    /// before a worker that began to run in this instant, or sent its last request after that.
    pub(super) fn tainting_is_due(&self, by_worker: bool) {
        self.core.ctx.take_turn(self.idler);
        let began_now = self.round.with(|r| r.listed) == self.core.ctx.now();
        let waits = self.rest.with(|r| {
            r.tainting_missed =
                by_worker && (began_now || self.core.client.round_trip() <= NODE_EVICTION_PERIOD);
            r.tainting_waits.take()
        });
        self.core.wake(waits);
    }

    /// The cache has a new version of a node, or has it no more.
    pub(super) fn node_changed(&self, id: NodeId, was: bool, is: bool) {
        self.rouse(id);
        if was != is {
            self.roster.with(|r| r.member(id, is));
        }
    }

    /// Something reached the caches of nodes, or may come of a node that was quiet.
    pub(super) fn stirred(&self) {
        self.core.wake(self.rest.with(|r| r.pass_waits.take()));
    }

    /// A node's heartbeats are computed up to now, and no more.
    pub(super) fn wakes(&self, node: NodeId) {
        self.make_up_so_far();
        self.rouse(node);
        self.hear_as_listed(node);
    }

    /// The pass of that number begins. All nodes, in its order; none if there is nothing to register, to
    /// forget, or to give a queue.
    pub(super) fn list_nodes(&self, number: u32) -> Option<Vec<Rc<Node>>> {
        let now = self.core.ctx.now();
        let mut nodes = self.round.with(|r| {
            (r.under_way, r.listed) = (true, now);
            std::mem::take(&mut r.nodes)
        });
        self.list_awake_nodes(number, &mut nodes);
        let every = self.has_to_see_every_node(&nodes).then(|| {
            self.rouse_all();
            let all = self.core.informers.nodes_as_they_are();
            self.round.with(|r| r.all = Some(all.clone()));
            self.core.in_order(number, all.iter().flatten().cloned().collect())
        });
        let nodes = every.clone().unwrap_or(nodes);
        self.round.with(|r| (r.number, r.nodes) = (number, nodes));
        every
    }

    /// Lists the nodes that do not rest, in the order in which a pass over all of them comes to
    /// them.
    fn list_awake_nodes(&self, number: u32, nodes: &mut Vec<Rc<Node>>) {
        let (core, roster) = (&self.core, &self.roster);
        let whole = roster.with_ref(|r| {
            nodes.extend(r.awake().filter_map(|id| core.informers.node(id)));
            r.len()
        });
        core.ctx.order_some(
            core.ctx.point("node-lister-order"),
            Some(number),
            whole,
            nodes,
            |n| roster.with_ref(|r| r.place(n.id)),
            |n| core.client.node_object(n.id),
        );
    }

    /// Whether nodes that rest matter to this pass: nodes came or went, a zone has no state, or
    /// everybody waits for the lock.
    fn has_to_see_every_node(&self, awake: &[Rc<Node>]) -> bool {
        let zones = &self.zones;
        let has_state = |zone| zones.zone_state(zone).is_some();
        let all_have_state = self.roster.with_ref(|r| r.zones().all(has_state));
        self.roster.with(Roster::take_members_changed)
            || zones.is_locked()
            || !all_have_state
            || !awake.iter().all(|n| zones.zone_has_state(n))
    }

    /// The workers of a pass begin.
    pub(super) fn workers_begin(&self) {
        let (first, period) = (self.core.ctx.now(), self.core.pass_period());
        self.round.with(|round| {
            self.roster.with(|r| {
                round.resting.extend(r.counted());
                round.rested = Some(r.note_passes(Skipped { first, period, count: 1 }));
            });
        });
    }

    /// One more worker has to wait, about that node. From the one on that keeps the last of them
    /// busy the workers come to the other nodes one by one as time goes on: to those that rest,
    /// too. Returns those of them that come before that node.
    pub(super) fn worker_waits(&self, about: NodeId) -> Vec<Rc<Node>> {
        let waiting = self.round.with(|r| {
            r.waiting += 1;
            r.all.get_or_insert_with(|| self.core.informers.nodes_as_they_are());
            r.waiting
        });
        if waiting != self.core.switches().pass_workers {
            return Vec::new();
        }
        let Some(rested) = self.round.with(|r| r.rested.take()) else { return Vec::new() };
        let nodes = self.every_node();
        let seen = nodes.iter().position(|n| n.id == about).map_or(0, |i| i + 1);
        let mut roused = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            if self.rouse_before(node.id, rested) && i < seen {
                roused.push(node.clone());
            }
        }
        self.round.with(|r| (r.nodes, r.taken) = (nodes, seen));
        roused
    }

    /// All nodes as they were when the pass began, in its order.
    pub(super) fn every_node(&self) -> Vec<Rc<Node>> {
        let (number, all) = self.round.with(|r| (r.number, r.all.clone()));
        let all = all.unwrap_or_else(|| self.core.informers.nodes_as_they_are());
        self.core.in_order(number, all.iter().flatten().cloned().collect())
    }

    /// A pass that is under way may come to a node long after it was listed: before the node wakes,
    /// what it had posted by then is noted.
    fn hear_as_listed(&self, node: NodeId) {
        let is_new = |r: &mut Round| r.under_way && !r.heard.contains_key(&node);
        let listed = self.round.with(|r| is_new(r).then_some(r.listed));
        if self.core.informers.beat(node) == Beat::Asleep
            && let Some(post) = listed.and_then(|at| self.core.informers.post_seen(node, at))
        {
            self.round.with(|r| r.heard.insert(node, post));
        }
    }

    /// Brings the health records to where the passes skipped before this instant would have left
    /// them; those of nodes that rest follow when they are roused.
    fn make_up_so_far(&self) {
        let Some(before) = self.rest.with(|r| r.skipping) else { return };
        // The one that went over the nodes, and those after it that are past.
        let past = self.core.ctx.now().since(before.first).as_nanos();
        let passes = past.div_ceil(before.period.as_nanos()).max(1);
        if passes == before.count {
            return;
        }
        self.rest.with(|r| r.skipping = Some(Skipped { count: passes, ..before }));
        let first = before.first + before.period * before.count;
        let skipped = Skipped { first, count: passes - before.count, ..before };
        for node in self.roster.with_ref(|r| r.awake().collect::<Vec<_>>()) {
            self.health.make_up_for(node, skipped);
        }
        self.roster.with(|r| r.note_passes(skipped));
    }

    /// Notes of a node that needed nothing when the next pass has to look at it.
    pub(super) fn note_quiet_node(&self, node: &Rc<Node>, tried: &Tried) {
        if !self.core.lazy {
            return;
        }
        let (current, decides) = (tried.current, tried.decisive(self.core.switches()));
        let tainted = decides.is_some_and(|d| !self.core.templates.lacks(node, d));
        let waits_for_taint = decides.is_some_and(|d| d != ConditionStatus::True) && !tainted;
        let beat = self.core.informers.beat(node.id);
        let by_timeout = self.core.switches().eviction_mode == EvictionMode::Timeout
            && current != Some(ConditionStatus::True);
        if waits_for_taint || by_timeout || beat == Beat::Awake || self.takes_up_old_lease(node.id)
        {
            self.restless();
            let s = self.core.switches();
            let plain = s.requeue == Requeue::Correct
                && s.eviction_mode == EvictionMode::Taints
                && !s.lease_circuit_breaker;
            if plain
                && beat == Beat::Silent
                && (current, decides)
                    == (Some(ConditionStatus::Unknown), Some(ConditionStatus::Unknown))
            {
                self.let_wait(node);
            }
        } else if beat == Beat::Silent
            && (current != Some(ConditionStatus::Unknown)
                || self.core.switches().lease_circuit_breaker)
        {
            // The breaker reads the live lease in every pass from then on, even of a node that is
            // Unknown.
            self.note_deadline(node.id, current.is_some());
        } else if self.core.switches().lease_circuit_breaker {
            // Whether a node is looked at depends on others' leases too.
        } else if beat == Beat::Asleep && current == Some(ConditionStatus::True) {
            self.let_rest(node, true);
        } else if beat == Beat::Silent && decides == Some(ConditionStatus::Unknown) {
            self.let_rest(node, false);
        }
    }

    /// Notes when the grace of a silent node ends.
    fn note_deadline(&self, node: NodeId, has_ready: bool) {
        let grace = self.core.grace(has_ready);
        let Some(health) = self.health.get(node) else { return };
        let ends = health.probe_ns.saturating_add(grace.as_nanos() as i64);
        self.rest.with(|r| {
            r.findings.deadline_ns = r.findings.deadline_ns.into_iter().chain([ends]).min();
        });
    }

    /// Whether the next pass saves a lease that this one dropped with a new heartbeat, and takes
    /// it for a sign of life, though it is none of the renewals that are computed.
    fn takes_up_old_lease(&self, node: NodeId) -> bool {
        let saved = self.health.get(node).is_none_or(|h| h.lease.is_some());
        self.core.switches().leases
            && !saved
            && self.core.informers.lease(node).is_some()
            && self.core.informers.renewal_seen(node, self.core.ctx.now()).is_none()
    }

    /// A pass begins.
    pub(super) fn pass_begins(&self) {
        self.rest.with(|r| r.findings = Findings::default());
    }

    /// What the pass found that began then and is over, if those that follow it every `period` can
    /// be skipped.
    pub(super) fn pass_ends(&self, began: Time, period: Dur) -> Option<Findings> {
        let computed = self.core.informers.heartbeats_are_computed() && period <= SHORTEST_LOOP;
        let findings = self.rest.with(|r| r.findings);
        (computed && !findings.restless && self.core.ctx.now() == began).then_some(findings)
    }

    /// Skips passes after the one that began then, until one may find something; returns how many
    /// have passed with it.
    pub(super) async fn skip_passes(&self, began: Time, period: Dur, findings: Findings) -> u64 {
        self.rest.with(|r| r.skipping = Some(Skipped { first: began, period, count: 1 }));
        self.wait_for_stir(findings.deadline_ns).await;
        // Before the next pass comes, which may be long after: of heartbeats only the latest
        // are known.
        self.make_up_so_far();
        self.rest.with(|r| r.skipping.take()).map_or(1, |s| s.count)
    }

    /// Waits until something reaches the caches of nodes, a node's heartbeats cease to be computed,
    /// or the deadline is over.
    async fn wait_for_stir(&self, deadline_ns: Option<i64>) {
        let ctx = &self.core.ctx;
        let deadline = deadline_ns.and_then(|d| u64::try_from(d).ok());
        ctx.parked(|ticket| {
            self.rest.with(|r| r.pass_waits = Some(ticket));
            if let Some(ns) = deadline {
                ctx.wake_at(Time::from_nanos(ns.saturating_add(1)), ticket);
            }
        })
        .await;
        self.rest.with(|r| r.pass_waits = None);
    }

    /// Skips rounds of the NoExecute loop, which come every `period`, while all queues are empty.
    pub(super) async fn skip_rounds(&self, period: Dur) {
        let (ctx, began) = (&self.core.ctx, self.core.ctx.now());
        if !ctx.is_searching() {
            return ctx.idle(self.idler, period).await;
        }
        // A search tries other orders within an instant anyway, and each event that does
        // nothing would be one more order to try.
        ctx.parked(|ticket| self.rest.with(|r| r.tainting_waits = Some(ticket))).await;
        let waited = ctx.now().since(began).as_nanos();
        let periods = waited.div_ceil(period.as_nanos()).max(1);
        let missed = waited == periods * period.as_nanos() && self.rest.with(|r| r.tainting_missed);
        let next = began + period * (periods + u64::from(missed));
        // What others have posted in this instant comes after a pass of this instant.
        if next > ctx.now() {
            ctx.sleep_until(next).await;
        }
    }

    /// Lets a node rest from this pass on, if it is steady.
    fn let_rest(&self, node: &Rc<Node>, ready: bool) {
        if !self.is_steady(node) {
            return;
        }
        let (zone, excluded) = self.zones.zone_of(node);
        self.roster.with(|r| r.rest(node.id, Rest { zone, ready, excluded, as_of: r.passes }));
    }

    /// From now on passes only queue a node again, if it is steady.
    fn let_wait(&self, node: &Rc<Node>) {
        if self.is_steady(node) {
            self.roster.with(|r| r.waiting.insert(node.id));
        }
    }

    /// Whether this is the version that the cache has, and nothing that is late may still come.
    fn is_steady(&self, node: &Rc<Node>) -> bool {
        self.core.informers.heartbeats_are_computed()
            && self.core.informers.node(node.id).is_some_and(|n| Rc::ptr_eq(&n, node))
    }

    /// Whether all there is to do about a node is to queue it again.
    pub(super) fn only_waits(&self, id: NodeId) -> bool {
        !self.zones.is_locked() && self.roster.with_ref(|r| r.waiting.contains(id))
    }

    /// A node has to be looked at again.
    fn rouse(&self, id: NodeId) {
        let now = self.roster.with_ref(|r| r.passes);
        self.rouse_before(id, now);
    }

    /// Has a node looked at again that has rested since before that pass; its health record then
    /// knows of the passes before it. False if there was no such rest.
    fn rouse_before(&self, id: NodeId, pass: u64) -> bool {
        let Some(rest) = self.roster.with(|r| r.take(id, pass)) else { return false };
        // What is silent leaves nothing to note.
        if rest.ready {
            let from = self.first_that_counts(id, pass).max(rest.as_of);
            for passes in self.roster.with_ref(|r| r.passes_between(from, pass)) {
                self.health.make_up_for(id, passes);
            }
        }
        true
    }

    /// The first pass since the latest renewal that the one before `pass` saw: who first sees a
    /// renewal overwrites all that a health record knows of heartbeats, so that passes before it do
    /// not count.
    fn first_that_counts(&self, id: NodeId, pass: u64) -> u64 {
        let last = self.roster.with_ref(|r| r.time_before(pass));
        let last = last.filter(|_| self.core.switches().leases);
        let renewed = last.and_then(|last| self.core.informers.renewal_seen(id, last));
        renewed.map_or(0, |t| self.roster.with_ref(|r| r.first_pass_from(t)))
    }

    /// All nodes have to be looked at again.
    pub(super) fn rouse_all(&self) {
        for id in self.roster.with_ref(Roster::resting) {
            self.rouse(id);
        }
        self.roster.with(|r| r.waiting = Ids::default());
    }
}
