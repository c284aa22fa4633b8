//! What the controller knows when it has been running for long and its objects come from an export:
//! what `nodeHealthMap`, `zoneStates`, the zones' queues with their limiters, and the client's
//! limiter hold then, as far as conditions, leases and taints tell.
//!
//! No release of upstream has such a start. What cannot be known is a draw within its bounds: when
//! the last pass came, within the second that a condition has of it; when the last token of a zone
//! was taken, within the second of the taint; and the order in which nodes wait, which every pass
//! makes anew.

use super::decision::{Decision, Eviction};
use super::memory_of_passes::{PastPasses, SECOND};
use super::memory_of_zones::PastZones;
use super::node_health::Health;
use super::pass::Monitor;
use crate::client::{Asked, Recalled, unknown_since};
use crate::controllers::node_lifecycle::prelude::*;

/// Requests of one taint's change: GET and PATCH.
const TAINT_REQUESTS: u32 = 2;

/// Takes over what the controller would know.
pub(super) struct Recaller<'a> {
    pub(super) core: &'a Core,
    pub(super) zones: &'a Zones,
    pub(super) health: &'a HealthMap,
    pub(super) eviction: &'a Eviction,
    pub(super) monitor: &'a Monitor,
    /// When in its second something came that was before the run.
    pub(super) point: PointId,
    /// The order in which nodes wait.
    pub(super) queue_point: PointId,
    pub(super) pass_point: PointId,
}

impl Recaller<'_> {
    fn past_passes(&self) -> PastPasses<'_> {
        PastPasses { core: self.core, point: self.pass_point }
    }

    fn past_zones(&self) -> PastZones<'_> {
        PastZones { core: self.core, zones: self.zones, point: self.point }
    }

    /// Takes over what it would know, with its next pass `drawn` from now where nothing tells when
    /// it comes; returns when it does.
    pub(super) fn recall(&self, recalled: Recalled, drawn: Dur) -> Dur {
        let nodes = self.core.informers.nodes();
        let passes = Asked::by_passes(&self.core.informers, self.core.switches().pod_event);
        let past_passes = self.past_passes();
        let last = past_passes.last_pass(&nodes, &passes);
        let within = self.core.ctx.phase(self.point, SECOND).as_nanos() as i64;
        let pass = match recalled.pass {
            Some(pass) => pass.saturating_sub(self.core.ctx.now().since(Time::ZERO)),
            None => {
                past_passes.next_pass(last, past_passes.pass_ended(recalled, last, within), drawn)
            }
        };
        self.assume_running(pass);
        let began = past_passes.passes_before(&passes, within, pass);
        self.heard_by(&began);
        if let Some(pass) = last.filter(|pass| pass.goes_on) {
            self.judged_by(pass.first * SECOND.as_nanos() as i64 + within);
        }
        self.heard_since_office(recalled, pass);
        let asked = self.and_taints(passes);
        // What a pass under way has changed does not count yet.
        let ended = &began[usize::from(last.is_some_and(|p| p.goes_on)).min(began.len() - 1)..];
        self.past_zones().recall_zones(&nodes, ended, within, &asked);
        self.recall_queues(&nodes);
        self.recall_unmarked(&nodes);
        let into = within as f64 / SECOND.as_nanos() as f64;
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
    fn heard_by(&self, passes: &[i64]) {
        let seen_by = |at: i64| passes.iter().take_while(|pass| **pass >= at).count();
        for node in self.core.informers.nodes() {
            let Some(mut health) = self.health.get(node.id) else { continue };
            // Counted from the next pass, which is the first.
            let renewed = health.lease.map_or(0, |l| seen_by(l.0.saturating_mul(1_000)));
            let posted = self.posted_later(&node, &health).map_or(0, seen_by);
            if posted > 1 && posted < renewed {
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

    /// When a node's status was posted, if that was after its lease was renewed: some time in the
    /// second that it says.
    fn posted_later(&self, node: &Node, health: &Health) -> Option<i64> {
        let second = SECOND.as_nanos() as i64;
        let posted = node.ready()?.last_heartbeat_time.0.saturating_mul(second);
        let renewed = health.lease?.0.saturating_mul(1_000);
        (posted.saturating_add(second) > renewed).then(|| {
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

    /// A process that took office a while ago counts from its first pass what it has heard nothing
    /// of since.
    fn heard_since_office(&self, recalled: Recalled, next: Dur) {
        let Some(office) = recalled.office_ns else { return };
        let next_ns = (self.core.ctx.now() + next).as_nanos() as i64;
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let first_pass = next_ns - next_ns.saturating_sub(office) / period * period;
        self.health.change_each(|health| {
            health.probe_ns = health.probe_ns.max(first_pass);
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
        self.core.ctx.order(self.queue_point, &mut waiting, object);
        for (node, status) in waiting {
            self.eviction.process_at_once(&node, Decision::MarkNodeForTainting(status));
        }
    }

    /// Unknown nodes with pods that are not marked NotReady yet: their marking was under way.
    fn recall_unmarked(&self, nodes: &[Rc<Node>]) {
        for node in nodes.iter().filter(|n| self.past_passes().has_unmarked(n)) {
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
    pub(super) fn assume_running(&self, next: Dur) {
        let next_ns = (self.core.ctx.now() + next).as_nanos() as i64;
        for node in self.core.informers.nodes() {
            let (zone, _) = self.zones.zone_of(&node);
            self.monitor.know(node.id, Some(node.uid));
            self.zones.assume_normal(zone);
            self.health.assume_heard(&node, next_ns);
        }
    }
}
