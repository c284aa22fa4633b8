//! What the controller knows when it has been running for long and its objects come from an export:
//! what `nodeHealthMap`, `zoneStates`, the zones' queues with their limiters, and the client's
//! limiter hold then, as far as conditions, leases and taints tell.
//!
//! No release of upstream has such a start. What cannot be known is a draw within its bounds: when
//! the last pass came, within the second that a condition has of it; when the last token of a zone
//! was taken, within the second of the taint; and the order in which nodes wait, which every pass
//! makes anew.
//!
//! When its passes came, and when the next one does, is reckoned as far as an export tells. One pass
//! begins a period after the end of the one before. A real control plane of 24 nodes shows how long
//! passes over nodes that are well take: its events tell three of them, six and sixteen passes
//! apart, to the microsecond. Of a leader that took office less than one grace period ago the first came as
//! its controllers started; longer ago that tells nothing, as they take between one second and nearly five.

use super::decision::{Decision, Eviction};
use super::health::{Health, seconds};
use super::memory_of_zones::{PastZones, SECOND_NS};
use super::pass::Monitor;
use crate::client::{Asked, Recalled, unknown_since};
use crate::controllers::node_lifecycle::prelude::*;

/// Within a pass something is written at least this often, in seconds; between two passes nothing
/// is for a whole period, which is longer.
const PAUSE_IN_PASS_S: i64 = 3;
/// A node that is silent for so many periods longer than its grace is given up.
const REACH_PERIODS: u64 = 4;
/// No more passes than this are reckoned back, however short their period is.
const PASSES_MAX: usize = 10_000;
/// What a pass over nodes that are well takes is between this part of the overhead that runs have and,
/// with so many nodes, twice of it. A real cluster of 12 to 24 nodes took 1.0 to 1.25 ms.
const OVERHEAD_APART: i64 = 5;
const OVERHEAD_DOUBLES_AT: i64 = 250;
/// What one request takes behind a limiter that has nothing left: 20 a second.
const HELD_UP_BY_REQUEST: Dur = Dur::from_millis(50);

/// Requests of one taint's change: GET and PATCH.
const TAINT_REQUESTS: u32 = 2;

/// When nodes posted their statuses, in ns from the start, where those are their heartbeats.
pub(super) type Posted = BTreeMap<NodeId, i64>;

/// Takes over what the controller would know.
pub(super) struct Recaller<'a> {
    pub(super) core: &'a Core,
    pub(super) zones: &'a Zones,
    pub(super) health: &'a HealthMap,
    pub(super) eviction: &'a Eviction,
    pub(super) monitor: &'a Monitor,
}

impl Recaller<'_> {
    fn past_zones(&self) -> PastZones<'_> {
        PastZones { core: self.core, zones: self.zones }
    }

    /// Takes over what it would know, with its next pass `drawn` from now where nothing tells when
    /// it comes; returns when it does.
    pub(super) fn recall(&self, recalled: Recalled, drawn: Dur) -> Dur {
        let nodes = self.core.informers.nodes();
        let passes = Asked::by_passes(&self.core.informers, self.core.switches().pod_event);
        let last = self.last_pass(&nodes, &passes);
        let within = self.past_zones().within_second(Object::NONE);
        let pass = match recalled.pass {
            Some(pass) => pass.saturating_sub(self.core.ctx.now().since(Time::ZERO)),
            None => self.next_pass(last, self.pass_ended(recalled, last, within), drawn),
        };
        let posted = self.posted(&nodes);
        self.assume_running(pass, &posted);
        let began = self.passes_before(&passes, within, pass);
        self.heard_by(&began, &posted);
        if let Some(pass) = last.filter(|pass| pass.goes_on) {
            self.judged_by(pass.first * SECOND_NS + within);
        }
        self.heard_since_office(recalled);
        let asked = self.and_taints(passes);
        // What a pass under way has changed does not count yet.
        let ended = &began[usize::from(last.is_some_and(|p| p.goes_on)).min(began.len() - 1)..];
        self.past_zones().recall_zones(&nodes, ended, within, &asked);
        self.recall_queues(&nodes);
        self.recall_unmarked(&nodes);
        let into = within as f64 / SECOND_NS as f64;
        let left = self.core.client.recall(&asked, into);
        self.recall_events(&nodes, left.map_or(0, |left| left.events as usize));
        pass
    }

    /// With what the controller wrote beside that: taints.
    fn and_taints(&self, mut asked: Asked) -> Asked {
        let past_zones = self.past_zones();
        for node in self.core.informers.nodes() {
            for taint in &node.taints {
                if let Some(at) = taint.time_added.filter(|_| past_zones.is_own(taint)) {
                    asked.note(at.0, TAINT_REQUESTS, 0);
                }
            }
        }
        asked
    }

    /// Each renewal of a lease was seen by the first pass after it, and so was each post of a status.
    /// A pass that sees a status but no renewal makes a new record, without a lease, so that the pass
    /// after it takes the lease for renewed (`tryUpdateNodeHealth`).
    fn heard_by(&self, passes: &[i64], posted: &Posted) {
        let seen_by = |at: i64| passes.iter().take_while(|pass| **pass >= at).count();
        for node in self.core.informers.nodes() {
            let Some(mut health) = self.health.get(node.id) else { continue };
            // Counted from the next pass, which is the first.
            let renewed = health.lease.map(|l| l.0.saturating_mul(1_000));
            let renewed = renewed.or(posted.get(&node.id).copied()).map_or(0, seen_by);
            let posted = self.posted_later(&node, &health).map_or(0, seen_by);
            if posted > 1 && posted < renewed {
                health.forgotten = health.lease;
                if posted == 2 {
                    health.lease = None;
                }
                health.probe_ns = passes[(posted - 2).max(1)];
            } else if renewed > 1 {
                health.probe_ns = passes[renewed - 1];
            }
            self.health.save_health(node.id, health);
        }
    }

    /// Where leases do not count, when each node's status was posted: some time in the second that it says.
    fn posted(&self, nodes: &[Rc<Node>]) -> Posted {
        let posted = nodes.iter().filter(|_| !self.core.switches().leases).filter_map(|node| {
            let object = self.core.client.node_object(node.id);
            let at = seconds(node.ready()?.last_heartbeat_time);
            Some((node.id, at.saturating_add(self.past_zones().within_second(object))))
        });
        posted.collect()
    }

    /// When a node's status was posted, if that was after its lease was renewed: some time in the
    /// second that it says.
    fn posted_later(&self, node: &Node, health: &Health) -> Option<i64> {
        let posted = seconds(node.ready()?.last_heartbeat_time);
        let renewed = health.lease?.0.saturating_mul(1_000);
        (posted.saturating_add(SECOND_NS) > renewed).then(|| {
            let object = self.core.client.node_object(node.id);
            posted.saturating_add(self.past_zones().within_second(object))
        })
    }

    /// A pass that goes on has looked at its nodes when it began: whose grace was not over then is
    /// left to the next.
    fn judged_by(&self, begun_ns: i64) {
        let grace = self.core.flags().node_monitor_grace_period.as_nanos() as i64;
        let spared = self.core.now_ns() - grace;
        self.health.change_each(|health| {
            if begun_ns.saturating_sub(health.probe_ns) <= grace {
                health.probe_ns = health.probe_ns.max(spared);
            }
        });
    }

    /// A process that took office a while ago counts from its first pass, which came as it started, what it has
    /// heard nothing of since.
    fn heard_since_office(&self, recalled: Recalled) {
        let Some(office) = recalled.office_ns else { return };
        self.health.change_each(|health| {
            health.probe_ns = health.probe_ns.max(office);
            health.transition_ns = health.transition_ns.max(office);
        });
    }

    /// Nodes that wait for their NoExecute taint, in the order in which a pass came to them, and
    /// those that waited before and have it.
    fn recall_queues(&self, nodes: &[Rc<Node>]) {
        let mut waiting = Vec::new();
        for node in nodes {
            let status = node.ready().map_or(ConditionStatus::True, |c| c.status);
            match self.core.templates.of(status) {
                None => {}
                Some((taint, _)) if node.has_taint(taint) => {
                    self.zones.tainter_of(node).iter().for_each(|queue| queue.worked_on(node.id));
                }
                Some(_) => waiting.push((node.clone(), status)),
            }
        }
        let object = |(n, _): &(Rc<Node>, ConditionStatus)| self.core.client.node_object(n.id);
        self.core.ctx.order(self.core.ctx.point("node-recalled-queue"), &mut waiting, object);
        for (node, status) in waiting {
            self.eviction.process_at_once(&node, Decision::MarkNodeForTainting(status));
        }
    }

    /// Unknown nodes with pods that are not marked NotReady yet: their marking was under way.
    fn recall_unmarked(&self, nodes: &[Rc<Node>]) {
        for node in nodes.iter().filter(|n| self.has_unmarked(n)) {
            self.monitor.nodes_to_retry.with(|r| r.insert(node.id));
        }
    }

    /// Events that wait behind the client's limiter: those of the pods that were marked last.
    fn recall_events(&self, nodes: &[Rc<Node>], waiting: usize) {
        if waiting == 0 || !self.core.switches().pod_event {
            return;
        }
        let mut marked = Vec::new();
        for node in nodes.iter().filter(|n| unknown_since(n).is_some()) {
            for pod in self.core.informers.pods_on(node.id) {
                if let Some(ready) = pod.ready.filter(|c| c.status == ConditionStatus::False) {
                    marked.push((ready.last_transition_time, pod));
                }
            }
        }
        marked.sort_by_key(|(at, pod)| (*at, pod.id));
        for (_, pod) in marked.iter().rev().take(waiting).rev() {
            self.core.recorder.event(About::Pod(pod.id, Some(pod.uid)), EventText::PodNodeNotReady);
        }
    }

    /// Takes over what a process that had been running for long would know: its nodes, how long ago
    /// a pass heard of each, and its zones as normal. `next`: when the next pass comes.
    pub(super) fn assume_running(&self, next: Dur, posted: &Posted) {
        let next_ns = (self.core.ctx.now() + next).as_nanos() as i64;
        for node in self.core.informers.nodes() {
            let (zone, _) = self.zones.zone_of(&node);
            self.monitor.know(node.id, Some(node.uid));
            self.zones.assume_normal(zone);
            self.health.assume_heard(&node, posted.get(&node.id).copied(), next_ns);
        }
    }

    /// The last pass that wrote something. It goes on if it wrote until now and has something left
    /// to do: silent nodes that are long past their grace, or pods to mark.
    fn last_pass(&self, nodes: &[Rc<Node>], asked: &Asked) -> Option<LastPass> {
        let (first, last) = asked.last_stretch(PAUSE_IN_PASS_S)?;
        let late = self.core.flags().node_monitor_grace_period + self.core.pass_period() * 2;
        let overdue = |node: &Rc<Node>| {
            let lease = self.core.informers.lease(node.id);
            let age = lease.map_or(0, |l| self.core.now_ns() / 1_000 - l.0);
            unknown_since(node).is_none() && age > (late.as_nanos() / 1_000) as i64
        };
        Some(LastPass {
            first,
            last,
            goes_on: last + PAUSE_IN_PASS_S >= 0
                && nodes.iter().any(|n| overdue(n) || self.has_unmarked(n)),
        })
    }

    /// Whether a node is Unknown, and a pod on it is not marked NotReady yet.
    fn has_unmarked(&self, node: &Node) -> bool {
        let is_ready = |p: &Rc<Pod>| p.ready.is_some_and(|c| c.status == ConditionStatus::True);
        unknown_since(node).is_some() && self.core.informers.pods_on(node.id).iter().any(is_ready)
    }

    /// A draw of when the next pass comes, within what is known of it: a silent node that has not been
    /// given up yet will be before it is overdue. The first pass after its last renewal heard of it,
    /// which was within a period; the first pass of more than its grace after that gives it up.
    fn before_overdue(&self, drawn: Dur) -> Dur {
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let spared = self.core.flags().node_monitor_grace_period.as_nanos() as i64 / period;
        let until = |heard_ns: i64| {
            let until = heard_ns.saturating_add(period.saturating_mul(spared + 2));
            until.saturating_sub(self.core.now_ns())
        };
        let nodes = self.core.informers.nodes();
        let heard = nodes.iter().filter(|n| unknown_since(n).is_none());
        // Who is overdue for long is held up by something else.
        let soon = heard
            .filter_map(|n| Some(until(self.heard_at_the_latest(n)?)))
            .filter(|ns| *ns > -period);
        match soon.min().filter(|ns| *ns < period) {
            Some(ns) => {
                let scaled = i128::from(drawn.as_nanos()) * i128::from(ns.max(0));
                Dur::from_nanos((scaled / i128::from(period)) as u64)
            }
            None => drawn,
        }
    }

    /// From when on the first pass has heard of a node for the last time, at the latest: since its
    /// lease was renewed or, of a status that was posted after that, since the pass that saw it.
    fn heard_at_the_latest(&self, node: &Node) -> Option<i64> {
        let posted = node.ready().map(|c| seconds(c.last_heartbeat_time).saturating_add(SECOND_NS));
        if !self.core.switches().leases {
            return posted;
        }
        let renewed = self.core.informers.lease(node.id)?.0.saturating_mul(1_000);
        let later = posted.filter(|at| *at > renewed);
        let period = self.core.pass_period().as_nanos() as i64;
        Some(later.map_or(renewed, |at| at.saturating_add(period)))
    }

    /// When the last pass of which something is known ended, ns from the start: an event tells it to
    /// the moment, a condition to its second.
    fn pass_ended(&self, recalled: Recalled, last: Option<LastPass>, within: i64) -> Option<i64> {
        let wrote = last.map(|pass| pass.last.saturating_mul(SECOND_NS));
        let grace = self.core.flags().node_monitor_grace_period.as_nanos() as i64;
        let is_new = |office: &i64| self.core.now_ns().saturating_sub(*office) < grace;
        let told = recalled.passed_ns.or(recalled.office_ns.filter(is_new));
        let later = wrote.filter(|wrote| told.is_none_or(|told| told < *wrote));
        later.map_or(told, |wrote| Some(wrote.saturating_add(within)))
    }

    /// How long it is to the next pass, `ended` being when one ended. The more passes have come since,
    /// the less is known: each took a little time, and one that gave up a node that is back took as
    /// long as that needed.
    fn next_pass(&self, last: Option<LastPass>, ended: Option<i64>, drawn: Dur) -> Dur {
        let Some(ended) = ended else { return self.before_overdue(drawn) };
        if last.is_some_and(|pass| pass.goes_on) {
            return Dur::ZERO;
        }
        let since = self.core.now_ns().saturating_sub(ended).max(0);
        let monitor = (self.core.flags().node_monitor_period.as_nanos() as i64).max(1);
        let nodes = self.core.informers.nodes();
        let overhead = self.core.config.pass_overhead.as_nanos() as i64;
        let least = overhead / OVERHEAD_APART;
        let most = overhead
            .saturating_add(overhead.saturating_mul(nodes.len() as i64) / OVERHEAD_DOUBLES_AT);
        let period = monitor.saturating_add(least);
        let passes = since / period;
        let held_up = nodes.iter().map(|n| self.may_have_held_up(n, ended)).sum::<i64>();
        let unsure = passes.saturating_mul(most - least).saturating_add(held_up);
        if unsure >= period {
            return self.before_overdue(drawn);
        }
        let point = self.core.ctx.point("node-recalled-pass");
        let late = self.core.ctx.uniform(point, Object::NONE, 0, unsure.max(0) as u64);
        let ended = ended.saturating_add(late as i64);
        let next = ended.saturating_sub(self.core.now_ns()).rem_euclid(period);
        Dur::from_nanos(next as u64)
    }

    /// How long a pass may have taken over a node that was given up after that time and is back: a
    /// request for it and one for each of its pods, behind the client's limiter.
    fn may_have_held_up(&self, node: &Node, ended: i64) -> i64 {
        let is_back = node.ready().is_some_and(|c| {
            c.status == ConditionStatus::True && seconds(c.last_transition_time) > ended
        });
        if !is_back || seconds(node.creation_timestamp) > ended {
            return 0;
        }
        (1 + self.core.informers.pods_on(node.id).len() as i64)
            * HELD_UP_BY_REQUEST.as_nanos() as i64
    }

    /// When passes began, ns from the start, the latest first: the next one, and those before it
    /// for as long as nodes may have been silent without being given up. One pass begins a period
    /// after the end of the one before, which some took long to reach.
    fn passes_before(&self, asked: &Asked, within: i64, next: Dur) -> Vec<i64> {
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let reach =
            self.core.flags().node_monitor_grace_period + self.core.pass_period() * REACH_PERIODS;
        let until = self.core.now_ns() - reach.as_nanos() as i64;
        let mut passes = vec![self.core.now_ns() + next.as_nanos() as i64];
        let back_to = |passes: &mut Vec<i64>, end: i64| {
            let mut begins = passes.last().copied().unwrap_or_default() - period;
            while begins >= end + period / 2 && passes.len() < PASSES_MAX {
                passes.push(begins);
                begins -= period;
            }
        };
        for (first, last) in asked.stretches(PAUSE_IN_PASS_S).into_iter().rev() {
            if last * SECOND_NS < until {
                break;
            }
            back_to(&mut passes, last * SECOND_NS + within);
            passes.push((first * SECOND_NS + within).min(passes.last().copied().unwrap_or(0)));
        }
        back_to(&mut passes, until);
        passes
    }
}

/// The last pass of which there are traces.
#[derive(Clone, Copy, Debug)]
struct LastPass {
    /// The second in which it first wrote something, and the last.
    first: i64,
    last: i64,
    /// It is under way.
    goes_on: bool,
}
