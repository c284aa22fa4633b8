//! What the controller knows when it has been running for long and its objects come from an export:
//! what `nodeHealthMap`, `zoneStates`, the zones' queues with their limiters, and the client's
//! limiter hold then, as far as conditions, leases and taints tell.
//!
//! No release of upstream has such a start. What cannot be known is a draw within its bounds: when
//! the last pass came, within the second that a condition has of it; when the last token of a zone
//! was taken, within the second of the taint; and the order in which nodes wait, which every pass
//! makes anew.

use super::controller::Controller;
use super::queue::RateLimitedTimedQueue;
use super::zone_conditions::{Counted, ZoneConditions};
use crate::api::meta::ConditionStatus;
use crate::api::names::TextId;
use crate::api::node::Node;
use crate::api::taint::Effect;
use crate::client::{About, Asked, Recalled};
use crate::kernel::{Dur, Time};
use crate::trace::{EventText, ZoneState};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Within a pass something is written at least this often, in seconds; between two passes nothing
/// is for a whole period, which is longer.
const PAUSE_IN_PASS_S: i64 = 3;
/// A node that is silent for so many periods longer than its grace is given up.
const REACH_PERIODS: u64 = 4;
/// No more passes than this are reckoned back, however short their period is.
const PASSES_MAX: usize = 10_000;
/// Passes drift: how far back the time of one tells the times of the next, in seconds.
const PASSES_KNOWN_FOR_S: i64 = 60;
/// Requests of one taint's change: GET and PATCH.
const TAINT_REQUESTS: u32 = 2;
const SECOND: Dur = Dur::from_secs(1);

/// The last pass of which there are traces.
#[derive(Clone, Copy, Debug)]
struct LastPass {
    /// The second in which it first wrote something, and the last.
    first: i64,
    last: i64,
    /// It is under way.
    goes_on: bool,
}

impl Controller {
    /// Takes over what it would know, with its next pass `drawn` from now where nothing tells when
    /// it comes; returns when it does.
    pub(super) fn recall(self: &Rc<Self>, recalled: Recalled, drawn: Dur) -> Dur {
        let (nodes, passes) = (self.informers.nodes(), self.asked_by_passes());
        let last = self.last_pass(&nodes, &passes);
        let within = self.ctx.phase(self.points.recalled, SECOND).as_nanos() as i64;
        let pass = match recalled.pass {
            Some(pass) => pass.saturating_sub(self.ctx.now().since(Time::ZERO)),
            None => self.next_pass(last, within, self.before_overdue(drawn)),
        };
        self.assume_running(pass);
        self.heard_by(&self.passes_before(&passes, within, pass));
        if let Some(pass) = last.filter(|pass| pass.goes_on) {
            self.judged_by(pass.first * SECOND.as_nanos() as i64 + within);
        }
        self.heard_since_office(recalled, pass);
        self.recall_zones(&nodes, last);
        self.recall_queues(&nodes);
        self.recall_unmarked(&nodes);
        let asked = self.and_taints(passes);
        let into = within as f64 / SECOND.as_nanos() as f64;
        let left = self.client.recall(&asked, into);
        let waiting = left.map_or(0, |left| left.events);
        self.recall_events(&nodes, waiting as usize);
        pass
    }

    /// What passes wrote of late: conditions, and pods that they marked NotReady. Taints come at
    /// other times, and tell nothing of passes: those of zones' queues at their rate.
    fn asked_by_passes(&self) -> Asked {
        let mut asked = Asked::default();
        for node in self.informers.nodes() {
            let Some(since) = unknown_since(&node) else {
                continue;
            };
            asked.note(since, 1, 1);
            for pod in self.informers.pods_on(node.id) {
                let marked = pod
                    .ready
                    .filter(|c| c.status == ConditionStatus::False)
                    .map(|c| c.last_transition_time.0);
                if let Some(at) = marked.filter(|at| *at >= since) {
                    asked.note(at, 1, u32::from(self.config.switches.pod_event));
                }
            }
        }
        asked
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

    /// A draw of when the next pass comes, within what is known of it: a silent node that has not been
    /// given up yet will be before it is overdue. The first pass after its last renewal heard of it,
    /// which was within a period; the first pass of more than its grace after that gives it up.
    fn before_overdue(&self, drawn: Dur) -> Dur {
        let period = (self.pass_period().as_nanos() as i64).max(1);
        let spared = self.config.grace_period.as_nanos() as i64 / period;
        let until = |renewed_us: i64| {
            renewed_us
                .saturating_mul(1_000)
                .saturating_add(period.saturating_mul(spared + 2))
                .saturating_sub(self.now_ns())
        };
        let nodes = self.informers.nodes();
        let heard = nodes.iter().filter(|n| unknown_since(n).is_none());
        let leases = heard.filter_map(|n| self.informers.lease(n.id));
        // Who is overdue for long is held up by something else.
        let soon = leases
            .map(|lease| until(lease.0))
            .filter(|ns| *ns > -period);
        match soon.min().filter(|ns| *ns < period) {
            Some(ns) => {
                let scaled = i128::from(drawn.as_nanos()) * i128::from(ns.max(0));
                Dur::from_nanos((scaled / i128::from(period)) as u64)
            }
            None => drawn,
        }
    }

    /// How long it is to the next pass.
    fn next_pass(&self, last: Option<LastPass>, within: i64, drawn: Dur) -> Dur {
        let Some(last) = last.filter(|p| p.last >= -PASSES_KNOWN_FOR_S) else {
            return drawn;
        };
        if last.goes_on {
            return Dur::ZERO;
        }
        let period = self.pass_period().as_nanos() as i64;
        let ended = last.last * SECOND.as_nanos() as i64 + within;
        let next = (ended - self.now_ns()).rem_euclid(period.max(1));
        Dur::from_nanos(next as u64)
    }

    /// When passes began, ns from the start, the latest first: the next one, and those before it
    /// for as long as nodes may have been silent without being given up. One pass begins a period
    /// after the end of the one before, which some took long to reach.
    fn passes_before(&self, asked: &Asked, within: i64, next: Dur) -> Vec<i64> {
        let period = (self.pass_period().as_nanos() as i64).max(1);
        let second = SECOND.as_nanos() as i64;
        let reach = self.config.grace_period + self.pass_period() * REACH_PERIODS;
        let until = self.now_ns() - reach.as_nanos() as i64;
        let mut passes = vec![self.now_ns() + next.as_nanos() as i64];
        let back_to = |passes: &mut Vec<i64>, end: i64| {
            let mut begins = passes.last().copied().unwrap_or_default() - period;
            while begins >= end + period / 2 && passes.len() < PASSES_MAX {
                passes.push(begins);
                begins -= period;
            }
        };
        for (first, last) in asked.stretches(PAUSE_IN_PASS_S).into_iter().rev() {
            if last * second < until {
                break;
            }
            back_to(&mut passes, last * second + within);
            passes.push((first * second + within).min(passes.last().copied().unwrap_or(0)));
        }
        back_to(&mut passes, until);
        passes
    }

    /// Each renewal of a lease was seen by the first pass after it.
    fn heard_by(&self, passes: &[i64]) {
        self.state.with(|s| {
            for health in s.health.iter_mut().flatten() {
                let renewed_ns = health.lease.map(|l| l.0.saturating_mul(1_000));
                let seen =
                    renewed_ns.and_then(|at| passes.iter().take_while(|pass| **pass >= at).last());
                if let Some(seen) = seen.filter(|seen| Some(*seen) != passes.first()) {
                    health.probe_ns = *seen;
                }
            }
        });
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

    /// The zones' states and their limiters, as the last pass that ended has left them.
    fn recall_zones(&self, nodes: &[Rc<Node>], last: Option<LastPass>) {
        let counted = self.counted_before(nodes, last);
        let all_full = counted
            .iter()
            .all(|(_, z)| self.compute_zone_state(z) == ZoneState::FullDisruption);
        let taken = self.last_tokens(nodes);
        let untainted = nodes.iter().filter(|n| self.waits_for_taint(n));
        let waits: BTreeSet<TextId> = untainted.map(|n| self.zone_of(n).0).collect();
        for (zone, conditions) in counted.iter() {
            let state = self.compute_zone_state(conditions);
            let rate = if all_full {
                0.0
            } else {
                self.rate_of(state, conditions.size())
                    .unwrap_or(self.config.eviction_rate)
            };
            let tokens = taken.get(&zone).map_or(1.0, |second| {
                let within = self.ctx.uniform(
                    self.points.recalled,
                    self.zone_object(zone),
                    0,
                    SECOND.as_nanos() - 1,
                );
                let ago = -(second * SECOND.as_nanos() as i64) - within as i64;
                let tokens = ago.max(0) as f64 / 1e9 * f64::from(rate);
                // Where nodes wait no token is left standing: those since then went for nodes that
                // were tainted already.
                if waits.contains(&zone) {
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

    /// Whether a node lacks the NoExecute taint that its condition asks for.
    fn waits_for_taint(&self, node: &Node) -> bool {
        let status = node.ready().map_or(ConditionStatus::True, |c| c.status);
        self.templates
            .of(status)
            .is_some_and(|(taint, _)| !node.has_taint(taint))
    }

    /// The nodes of each zone by their conditions; what a pass that is under way has changed does
    /// not count yet.
    fn counted_before(&self, nodes: &[Rc<Node>], last: Option<LastPass>) -> Counted {
        let mut counted = Counted::default();
        for node in nodes {
            let (zone, excluded) = self.zone_of(node);
            let Some(ready) = node.ready().filter(|_| !excluded) else {
                continue;
            };
            let began = last.filter(|p| p.goes_on).map_or(i64::MAX, |p| p.first);
            let ready = ready.status == ConditionStatus::True
                || unknown_since(node).is_some_and(|since| since >= began);
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

/// The second since which nobody has known a node's state; none if somebody does.
fn unknown_since(node: &Node) -> Option<i64> {
    node.ready()
        .filter(|c| c.status == ConditionStatus::Unknown)
        .map(|c| c.last_transition_time.0)
}
