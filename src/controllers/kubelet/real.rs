//! Kubelets as they are: the loops of renewals and status checks.
//!
//! What a kubelet tries while it does not reach the API server leaves no trace, and is followed in
//! thought (`uplink`).

use super::walk::report_is_due;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::{FirstTry, ReportOffset};

/// What the loops of real kubelets do.
pub(super) struct RealLoops {
    nodes: Rc<Nodes>,
    loops: Rc<Loops>,
    phase: PointId,
    report_offset: PointId,
}

impl RealLoops {
    /// None runs yet.
    pub(super) fn new(nodes: &Rc<Nodes>, loops: &Rc<Loops>) -> Self {
        Self {
            nodes: nodes.clone(),
            loops: loops.clone(),
            phase: nodes.ctx.point("kubelet-phase"),
            report_offset: nodes.ctx.point("status-report-offset"),
        }
    }

    /// Starts both loops at a phase of their own, as kubelets were started at some time long ago.
    pub(super) fn begin(&self, node: NodeId, real: Real) {
        let Nodes { ctx, .. } = &*self.nodes;
        let object = self.nodes.object(node);
        for which in [Loop::Lease, Loop::Status] {
            let phase = self.given_phase(node, which, real).unwrap_or_else(|| {
                let most = self.loops.undisturbed(node, which).as_nanos().saturating_sub(1);
                Dur::from_nanos(ctx.uniform(self.phase, object, 0, most))
            });
            self.loops.schedule(node, which, self.nodes.now() + phase);
        }
        let report = real.node_status_report_frequency.as_nanos();
        let age = ctx.uniform(self.phase, object, 0, report);
        self.nodes.with(node, |k| {
            // The last report lies up to one period before the start; it can't be earlier than time
            // zero here, so the next one comes earlier instead.
            k.report_offset_ns = -(age as i64);
        });
    }

    /// When a loop begins, where that is given.
    fn given_phase(&self, node: NodeId, which: Loop, real: Real) -> Option<Dur> {
        let offset = self.nodes.with(node, |k| match which {
            Loop::Lease => k.settings.lease_offset,
            Loop::Status => k.settings.status_offset,
        });
        offset.filter(|o| real.recorded && !o.is_zero())
    }

    fn next_sleep(&self, node: NodeId, which: Loop) -> Dur {
        let tick = self.nodes.with(node, |k| {
            k.ticks[which as usize] += 1;
            k.ticks[which as usize] - 1
        });
        self.loops.after(node, which, tick.unwrap_or(0))
    }

    /// A tick of a loop of a kubelet that reaches the API server. Whether it did what the loop is for.
    pub(super) fn tick(&self, node: NodeId, which: Loop, real: Real) -> bool {
        let reaches = self.nodes.with(node, |k| k.link == Link::Open && k.runs());
        if reaches != Some(true) {
            return false;
        }
        let sleep = self.next_sleep(node, which);
        self.loops.schedule(node, which, self.nodes.now() + sleep);
        match which {
            Loop::Lease if self.nodes.switches.leases => self.loops.renew(node),
            Loop::Lease => {}
            Loop::Status => self.check_status(node, real),
        }
        true
    }

    /// `syncNodeStatus`, out of turn: its own view has changed.
    pub(super) fn sync_node_status(&self, node: NodeId, real: Real) {
        let now = self.nodes.now();
        if self.nodes.with(node, |k| k.gets_through(now)) == Some(true) {
            self.loops.post(node);
            self.draw_report_offset(node, true, real);
        }
    }

    /// `tryUpdateNodeStatus`: posts if anything but heartbeats changed, or the report is due. A
    /// first try that reads the informer does not know of changes that its watch has not delivered:
    /// its patch is the difference to what it knows, so that it tells of the kubelet's own changes
    /// and of heartbeats, and leaves alone what others wrote.
    fn check_status(&self, node: NodeId, real: Real) {
        let Some(stored) = self.nodes.api.node(node) else { return };
        let now = self.nodes.now();
        let (knows, changed) = self
            .nodes
            .with(node, |k| (k.knows_its_node(now), k.view_changed.is_some()))
            .unwrap_or((false, false));
        let knows = knows || self.nodes.switches.first_try == FirstTry::Get;
        let differs = changed || knows && self.loops.differs(&stored);
        let due = self
            .nodes
            .with(node, |k| (k.last_post, k.report_offset_ns))
            .is_some_and(|(post, offset)| report_is_due(now, post, self.loops.report(), offset));
        if !differs && !due {
            return;
        }
        if differs {
            self.nodes.ctx.set_cause(stored.record);
        }
        if differs || knows {
            self.loops.post(node);
        } else {
            self.loops.post_heartbeats(node);
        }
        self.draw_report_offset(node, differs, real);
    }

    /// S23: a real change moves the next periodic report by up to half a period; a periodic one
    /// does not.
    fn draw_report_offset(&self, node: NodeId, changed: bool, real: Real) {
        let offset = if changed && self.nodes.switches.report_offset != ReportOffset::None {
            let half = real.node_status_report_frequency.as_nanos() / 2;
            let most = half.saturating_mul(2).saturating_sub(1);
            let object = self.nodes.object(node);
            let drawn = (self.nodes.ctx).uniform(self.report_offset, object, 0, most);
            drawn as i64 - half as i64
        } else {
            0
        };
        self.nodes.with(node, |k| k.report_offset_ns = offset);
    }
}
