//! What the controller knows when it has been running for long and its objects come from an export:
//! what `nodeHealthMap`, `zoneStates`, the zones' queues with their limiters, and the client's
//! limiter hold then, as far as conditions, leases and taints tell.
//!
//! No release of upstream has such a start. What cannot be known is a draw within its bounds: when
//! the last pass came, within the second that a condition has of it; when the last token of a zone
//! was taken, within the second of the taint; and the order in which nodes wait, which every pass
//! makes anew.

use super::controller::Controller;
use super::node_health::Health;
use super::queue::RateLimitedTimedQueue;
use super::zone_conditions::{Counted, ZoneConditions};
use crate::api::meta::ConditionStatus;
use crate::api::names::TextId;
use crate::api::node::Node;
use crate::api::taint::Effect;
use crate::client::{About, Asked, Recalled, TAINT_LATE_S, unknown_since};
use crate::kernel::{Dur, Time};
use crate::trace::{EventText, ZoneState};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Within a pass something is written at least this often, in seconds; between two passes nothing
/// is for a whole period, which is longer.
pub(super) const PAUSE_IN_PASS_S: i64 = 3;
/// A node that has waited for its taint since so many seconds ago was tried before the start: its
/// zone's queue is looked at ten times a second.
const TRIED_FOR_S: i64 = 2;
/// Requests of one taint's change: GET and PATCH.
const TAINT_REQUESTS: u32 = 2;
pub(super) const SECOND: Dur = Dur::from_secs(1);

/// The last pass of which there are traces.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastPass {
    /// The second in which it first wrote something, and the last.
    pub(super) first: i64,
    pub(super) last: i64,
    /// It is under way.
    pub(super) goes_on: bool,
}

impl Controller {
    /// Takes over what it would know, with its next pass `drawn` from now where nothing tells when
    /// it comes; returns when it does.
    pub(super) fn recall(self: &Rc<Self>, recalled: Recalled, drawn: Dur) -> Dur {
        let nodes = self.informers.nodes();
        let passes = Asked::by_passes(&self.informers, self.config.switches.pod_event);
        let last = self.last_pass(&nodes, &passes);
        let within = self.ctx.phase(self.points.recalled, SECOND).as_nanos() as i64;
        let pass = match recalled.pass {
            Some(pass) => pass.saturating_sub(self.ctx.now().since(Time::ZERO)),
            None => self.next_pass(last, self.pass_ended(recalled, last, within), drawn),
        };
        self.assume_running(pass);
        let began = self.passes_before(&passes, within, pass);
        self.heard_by(&began);
        if let Some(pass) = last.filter(|pass| pass.goes_on) {
            self.judged_by(pass.first * SECOND.as_nanos() as i64 + within);
        }
        self.heard_since_office(recalled, pass);
        let asked = self.and_taints(passes);
        // What a pass under way has changed does not count yet.
        let ended = &began[usize::from(last.is_some_and(|p| p.goes_on)).min(began.len() - 1)..];
        self.recall_zones(&nodes, ended, within, &asked);
        self.recall_queues(&nodes);
        self.recall_unmarked(&nodes);
        let into = within as f64 / SECOND.as_nanos() as f64;
        let left = self.client.recall(&asked, into);
        let waiting = left.map_or(0, |left| left.events);
        self.recall_events(&nodes, waiting as usize);
        pass
    }

    /// With what the controller wrote beside that: taints.
    fn and_taints(&self, mut asked: Asked) -> Asked {
        for node in self.informers.nodes() {
            for taint in &node.taints {
                if let Some(at) = taint.time_added.filter(|_| self.is_own(taint)) {
                    asked.note(at.0, TAINT_REQUESTS, 0);
                }
            }
        }
        asked
    }

    /// Whether a taint is one that follows conditions.
    fn is_own(&self, taint: &crate::api::taint::Taint) -> bool {
        match taint.effect {
            Effect::NoExecute => {
                taint.matches(&self.templates.not_ready)
                    || taint.matches(&self.templates.unreachable)
            }
            Effect::NoSchedule => self.is_condition_taint(&taint.key),
            Effect::PreferNoSchedule => false,
        }
    }

    /// The last pass that wrote something. It goes on if it wrote until now and has something left
    /// to do: silent nodes that are long past their grace, or pods to mark.
    fn last_pass(&self, nodes: &[Rc<Node>], asked: &Asked) -> Option<LastPass> {
        let (first, last) = asked.last_stretch(PAUSE_IN_PASS_S)?;
        let late = self.config.grace_period + self.pass_period() * 2;
        let overdue = |node: &Rc<Node>| {
            let age = self
                .informers
                .lease(node.id)
                .map_or(0, |l| self.now_ns() / 1_000 - l.0);
            unknown_since(node).is_none() && age > (late.as_nanos() / 1_000) as i64
        };
        Some(LastPass {
            first,
            last,
            goes_on: last + PAUSE_IN_PASS_S >= 0
                && nodes.iter().any(|n| overdue(n) || self.has_unmarked(n)),
        })
    }

    /// Each renewal of a lease was seen by the first pass after it, and so was each post of a status.
    /// A pass that sees a status but no renewal makes a new record, without a lease, so that the pass
    /// after it takes the lease for renewed (`tryUpdateNodeHealth`).
    fn heard_by(&self, passes: &[i64]) {
        let seen_by = |at: i64| passes.iter().take_while(|pass| **pass >= at).count();
        for node in self.informers.nodes() {
            let known = self.state.with(|s| s.health.get(node.id.index()).copied());
            let Some(mut health) = known.flatten() else {
                continue;
            };
            // Counted from the next pass, which is the first.
            let renewed = health
                .lease
                .map_or(0, |l| seen_by(l.0.saturating_mul(1_000)));
            let posted = self.posted_later(&node, &health).map_or(0, seen_by);
            if posted > 1 && posted < renewed {
                if posted == 2 {
                    health.lease = None;
                }
                health.probe_ns = passes[(posted - 2).max(1)];
            } else if renewed > 1 {
                health.probe_ns = passes[renewed - 1];
            }
            self.save_health(node.id, health);
        }
    }

    /// When a node's status was posted, if that was after its lease was renewed: some time in the
    /// second that it says.
    fn posted_later(&self, node: &Node, health: &Health) -> Option<i64> {
        let second = SECOND.as_nanos() as i64;
        let posted = node.ready()?.last_heartbeat_time.0.saturating_mul(second);
        let renewed = health.lease?.0.saturating_mul(1_000);
        (posted.saturating_add(second) > renewed).then(|| {
            let point = self.points.recalled;
            let within = self
                .ctx
                .uniform(point, self.object(node.id), 0, SECOND.as_nanos() - 1);
            posted.saturating_add(within as i64)
        })
    }

    /// A pass that goes on has looked at its nodes when it began: whose grace was not over then is
    /// left to the next.
    fn judged_by(&self, begun_ns: i64) {
        let grace = self.config.grace_period.as_nanos() as i64;
        let spared = self.now_ns() - grace;
        self.state.with(|s| {
            for health in s.health.iter_mut().flatten() {
                if begun_ns.saturating_sub(health.probe_ns) <= grace {
                    health.probe_ns = health.probe_ns.max(spared);
                }
            }
        });
    }

    /// A process that took office a while ago counts from its first pass what it has heard nothing
    /// of since.
    fn heard_since_office(&self, recalled: Recalled, next: Dur) {
        let Some(office) = recalled.office_ns else {
            return;
        };
        let next_ns = (self.ctx.now() + next).as_nanos() as i64;
        let period = (self.pass_period().as_nanos() as i64).max(1);
        let first_pass = next_ns - next_ns.saturating_sub(office) / period * period;
        self.state.with(|s| {
            for health in s.health.iter_mut().flatten() {
                health.probe_ns = health.probe_ns.max(first_pass);
                health.transition_ns = health.transition_ns.max(office);
            }
        });
    }

    /// The zones' states and their limiters, as the last pass that ended has left them; `passes` are when those began
    /// that come after it, it, and those before it, the latest first.
    fn recall_zones(&self, nodes: &[Rc<Node>], passes: &[i64], within: i64, asked: &Asked) {
        let counted = self.counted_before(nodes, passes[0], within);
        let rates = self.rates(&counted);
        let started = self.started(nodes, &rates, passes, within);
        let taken = self.last_tokens(nodes);
        let waits = self.waits_since(nodes);
        for (zone, conditions) in counted.iter() {
            let state = self.compute_zone_state(conditions);
            let rate = rates[&zone];
            let (taken, waits) = (taken.get(&zone).copied(), waits.get(&zone).copied());
            let tried = waits.filter(|since| *since <= -self.tried_within(*since, asked));
            let second = SECOND.as_nanos() as i64;
            let started = started.get(&zone).copied();
            let begins = started.map(|ns| ns.div_euclid(second));
            let tokens = last_token(taken.max(begins), tried, rate).map_or(1.0, |at| {
                let within = self.ctx.uniform(
                    self.points.recalled,
                    self.zone_object(zone),
                    0,
                    SECOND.as_nanos() - 1,
                );
                let drawn = at.saturating_mul(second).saturating_add(within as i64);
                let at = started.filter(|_| begins == Some(at)).unwrap_or(drawn);
                let tokens = at.saturating_neg().max(0) as f64 / 1e9 * f64::from(rate);
                // Where nodes wait no token is left standing: those since then went for nodes that
                // were tainted already.
                if waits.is_some() {
                    tokens.fract()
                } else {
                    tokens
                }
            });
            let queue = Rc::new(RateLimitedTimedQueue::recalled(&self.ctx, rate, tokens));
            self.state.with(|s| {
                s.zone_states.insert(zone, state);
                s.tainters.insert(zone, queue);
            });
            if state != ZoneState::Normal {
                self.record_zone(zone, state);
            }
        }
    }

    /// At which rate each zone's nodes are tainted.
    fn rates(&self, counted: &Counted) -> BTreeMap<TextId, f32> {
        let of = |z| self.compute_zone_state(z);
        let all_full = counted
            .iter()
            .all(|(_, z)| of(z) == ZoneState::FullDisruption);
        let rate = |z: ZoneConditions| match self.rate_of(of(z), z.size()) {
            _ if all_full => 0.0,
            rate => rate.unwrap_or(self.config.eviction_rate),
        };
        counted.iter().map(|(zone, z)| (zone, rate(z))).collect()
    }

    /// When those zones got their rate, ns from the start, that had none before: a limiter that takes the
    /// place of one that never lets through begins without a token (`SwapLimiter`).
    fn started(
        &self,
        nodes: &[Rc<Node>],
        rates: &BTreeMap<TextId, f32>,
        passes: &[i64],
        within: i64,
    ) -> BTreeMap<TextId, i64> {
        let mut started = BTreeMap::new();
        let mut left: Vec<TextId> = rates.keys().copied().collect();
        for pass in passes.iter().skip(1) {
            if left.is_empty() {
                break;
            }
            let before = self.rates(&self.counted_before(nodes, *pass, within));
            left.retain(|zone| {
                let (was, is) = (before.get(zone).copied(), rates[zone]);
                if was == Some(0.0) && is > 0.0 {
                    started.insert(*zone, *pass);
                }
                was == Some(is)
            });
        }
        started
    }

    /// How many seconds ago a node has to have come into its zone's queue, in that second, for its
    /// taint to be there if it was found.
    fn tried_within(&self, since: i64, asked: &Asked) -> i64 {
        match self.client.limits() {
            Some(limits) if asked.drained(since, limits) => TRIED_FOR_S + TAINT_LATE_S,
            _ => TRIED_FOR_S,
        }
    }

    /// Since which second a node of each zone has waited for its NoExecute taint.
    fn waits_since(&self, nodes: &[Rc<Node>]) -> BTreeMap<TextId, i64> {
        let mut waits = BTreeMap::new();
        for node in nodes.iter().filter(|n| self.waits_for_taint(n)) {
            let since = node.ready().map_or(0, |c| c.last_transition_time.0);
            let first = waits.entry(self.zone_of(node).0).or_insert(since);
            *first = since.min(*first);
        }
        waits
    }

    /// Whether a node lacks the NoExecute taint that its condition asks for.
    fn waits_for_taint(&self, node: &Node) -> bool {
        let status = node.ready().map_or(ConditionStatus::True, |c| c.status);
        self.templates
            .of(status)
            .is_some_and(|(taint, _)| !node.has_taint(taint))
    }

    /// The nodes of each zone by their conditions before a pass that began at `pass`, ns from the start;
    /// `within` is what of a second had passed when it wrote.
    fn counted_before(&self, nodes: &[Rc<Node>], pass: i64, within: i64) -> Counted {
        let mut counted = Counted::default();
        let ns = |seconds: i64| seconds.saturating_mul(SECOND.as_nanos() as i64);
        for node in nodes {
            let (zone, excluded) = self.zone_of(node);
            let Some(ready) = node.ready().filter(|_| !excluded) else {
                continue;
            };
            // Conditions without a time are as old as the run.
            let since = ready.last_transition_time.0;
            let changed = since < 0 && ns(since).saturating_add(within) >= pass;
            let ready = (ready.status == ConditionStatus::True) != changed;
            counted.add(
                zone,
                ZoneConditions {
                    ready: u32::from(ready),
                    not_ready: u32::from(!ready),
                },
            );
        }
        counted
    }

    /// The second in which each zone's last token was taken, as its nodes' taints tell.
    fn last_tokens(&self, nodes: &[Rc<Node>]) -> BTreeMap<TextId, i64> {
        let mut taken = BTreeMap::new();
        for node in nodes {
            let (zone, _) = self.zone_of(node);
            let added = node
                .taints
                .iter()
                .filter(|t| t.effect == Effect::NoExecute && self.is_own(t))
                .filter_map(|t| Some(t.time_added?.0))
                .max();
            if let Some(at) = added {
                let last = taken.entry(zone).or_insert(at);
                *last = at.max(*last);
            }
        }
        taken
    }

    /// Nodes that wait for their NoExecute taint, in the order in which a pass came to them, and
    /// those that waited before and have it.
    fn recall_queues(&self, nodes: &[Rc<Node>]) {
        let mut waiting = Vec::new();
        for node in nodes {
            let status = node.ready().map_or(ConditionStatus::True, |c| c.status);
            match self.templates.of(status) {
                None => {}
                Some((taint, _)) if node.has_taint(taint) => {
                    if let Some(queue) = self.tainter_of(node) {
                        queue.worked_on(node.id);
                    }
                }
                Some(_) => waiting.push((node.clone(), status)),
            }
        }
        self.ctx
            .order(self.points.recalled_queue, &mut waiting, |(n, _)| {
                self.object(n.id)
            });
        for (node, status) in waiting {
            self.mark_node_for_tainting(&node, status, false);
        }
    }

    /// Unknown nodes with pods that are not marked NotReady yet: their marking was under way.
    fn recall_unmarked(&self, nodes: &[Rc<Node>]) {
        for node in nodes.iter().filter(|n| self.has_unmarked(n)) {
            self.state.with(|s| s.nodes_to_retry.insert(node.id));
        }
    }

    /// Whether a node is Unknown, and a pod on it is not marked NotReady yet.
    fn has_unmarked(&self, node: &Node) -> bool {
        let is_ready = |p: &Rc<crate::api::pod::Pod>| {
            p.ready.is_some_and(|c| c.status == ConditionStatus::True)
        };
        unknown_since(node).is_some() && self.informers.pods_on(node.id).iter().any(is_ready)
    }

    /// Events that wait behind the client's limiter: those of the pods that were marked last.
    fn recall_events(&self, nodes: &[Rc<Node>], waiting: usize) {
        if waiting == 0 || !self.config.switches.pod_event {
            return;
        }
        let mut marked = Vec::new();
        for node in nodes.iter().filter(|n| unknown_since(n).is_some()) {
            for pod in self.informers.pods_on(node.id) {
                if let Some(ready) = pod.ready.filter(|c| c.status == ConditionStatus::False) {
                    marked.push((ready.last_transition_time, pod));
                }
            }
        }
        marked.sort_by_key(|(at, pod)| (*at, pod.id));
        for (_, pod) in marked.iter().rev().take(waiting).rev() {
            self.recorder.event(
                About::Pod(pod.id, Some(pod.uid)),
                EventText::PodNodeNotReady,
            );
        }
    }
}

/// The second in which a zone's last token was taken: when it last tainted a node, or when the first
/// of those that were tried came into its queue. That one found a token, if any was left, and it went
/// for nothing, as the taint is not there: the controller's cache did not know its condition yet.
fn last_token(tainted: Option<i64>, tried: Option<i64>, rate: f32) -> Option<i64> {
    let in_vain = tried.filter(|since| {
        let was_left = |at: i64| (since - at) as f64 * f64::from(rate) >= 1.0;
        tainted.is_none_or(was_left)
    });
    in_vain.or(tainted)
}
