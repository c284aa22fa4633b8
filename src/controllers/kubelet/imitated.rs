//! The recorder's kubelets: no jitter, no retries, no admission.

use super::loops::STATUS_PERIOD;
use crate::controllers::kubelet::prelude::*;
use crate::plan::Imitated;

/// What the loops of the recorder's kubelets do.
pub(super) struct ImitatedLoops {
    nodes: Rc<Nodes>,
    loops: Rc<Loops>,
    pods: Rc<Pods>,
    lives: Rc<Lives>,
}

impl ImitatedLoops {
    /// None runs yet.
    pub(super) fn new(
        (nodes, pods, lives): (&Rc<Nodes>, &Rc<Pods>, &Rc<Lives>),
        loops: &Rc<Loops>,
    ) -> Self {
        let (nodes, pods, lives) = (nodes.clone(), pods.clone(), lives.clone());
        Self { nodes, loops: loops.clone(), pods, lives }
    }

    /// Starts both loops: at their offset, or after one period if that is zero.
    pub(super) fn begin(&self, node: NodeId) {
        let Some(settings) = self.nodes.with(node, |k| k.settings) else { return };
        let now = self.nodes.now();
        let first = |offset: Dur, period: Dur| now + if offset.is_zero() { period } else { offset };
        let lease = first(settings.lease_offset, settings.lease_period);
        self.loops.schedule(node, Loop::Lease, lease);
        let status = first(settings.status_offset, STATUS_PERIOD);
        self.loops.schedule(node, Loop::Status, status);
    }

    /// A tick of a loop: nothing is written while the kubelet is cut off, or the server is down.
    /// Whether it did what the loop is for.
    pub(super) fn tick(&self, node: NodeId, which: Loop, mode: Imitated) -> bool {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let state = self.nodes.with(node, |k| (k.cut.is_some() || !k.runs(), k.gone));
        let Some((cut, false)) = state else { return false };
        let next = ctx.now() + self.loops.period(node, which);
        self.loops.schedule(node, which, next);
        if cut || api.is_down() {
            return false;
        }
        match which {
            Loop::Lease => self.loops.renew(node),
            Loop::Status => self.check_status(node, mode),
        }
        true
    }

    /// A kubelet is cut off: its ticks do nothing, and so they need not be simulated.
    pub(super) fn pause(&self, node: NodeId) {
        if self.nodes.lazy && self.nodes.with(node, |k| !k.sleepless) == Some(true) {
            self.loops.unschedule(node);
        }
    }

    /// A kubelet is back: its loops go on where they would be by now.
    pub(super) fn resume(&self, node: NodeId) {
        let is_back = |n| self.nodes.with(n, |k| k.cut.is_none() && k.runs()) == Some(true);
        if self.nodes.lazy && is_back(node) {
            self.go_on(node);
        }
    }

    /// Schedules loops that were taken off the queue where they would be by now.
    pub(super) fn go_on(&self, node: NodeId) {
        let now = self.nodes.now();
        for which in [Loop::Lease, Loop::Status] {
            let next = self.loops.next(node, which);
            let Some(next) = next.filter(|_| !self.loops.is_scheduled(node, which)) else {
                continue;
            };
            let period = self.loops.undisturbed(node, which);
            let missed = now.since(next).as_nanos().div_ceil(period.as_nanos().max(1));
            self.loops.schedule(node, which, next + period * missed);
        }
    }

    fn check_status(&self, node: NodeId, mode: Imitated) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let Some(stored) = api.node(node) else { return };
        let last = self.nodes.with(node, |k| k.last_post);
        let old = last.is_some_and(|at| ctx.now().since(at) >= mode.status_report);
        if old || self.loops.differs(&stored) {
            ctx.set_cause(stored.record);
            self.loops.post(node);
        }
        if mode.repost_pod_ready {
            for pod in self.pods.not_ready(node).filter(|p| self.lives.is_ready(p.uid)) {
                self.pods.set_ready(&pod, ConditionStatus::True);
            }
        }
    }
}
