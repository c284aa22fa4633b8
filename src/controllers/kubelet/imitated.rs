//! The recorder's kubelets: no jitter, no retries, no admission.

use super::kubelets::Kubelets;
use super::node_state::Loop;
use super::notices::Notices;
use crate::api::meta::Uid;
use crate::api::names::NodeId;
use crate::kernel::Dur;
use crate::plan::KubeletMode;
use crate::trace::Actor;

/// The period of status checks of the recorder's kubelets.
pub(crate) const STATUS_PERIOD: Dur = Dur::from_secs(10);

impl Kubelets {
    /// Starts both loops: at their offset, or after one period if that is zero.
    pub(super) fn begin_imitated(&self, node: NodeId) {
        let Some(settings) = self.with(node, |k| k.settings) else {
            return;
        };
        let first = |offset: Dur, period: Dur| {
            self.ctx.now() + if offset.is_zero() { period } else { offset }
        };
        self.schedule(
            node,
            Loop::Lease,
            first(settings.lease_offset, settings.lease_period),
        );
        self.schedule(
            node,
            Loop::Status,
            first(settings.status_offset, STATUS_PERIOD),
        );
    }

    /// A tick of a loop: nothing is written while the kubelet is cut off, or the server is down.
    pub(super) fn tick_imitated(&self, node: NodeId, which: Loop) {
        let Some((cut, gone, slow)) =
            self.with(node, |k| (k.cut.is_some() || !k.runs(), k.gone, k.slow))
        else {
            return;
        };
        if gone {
            return;
        }
        let period = slow.unwrap_or_else(|| self.imitated_period(node, which));
        self.schedule(node, which, self.ctx.now() + period);
        if cut || self.api.is_down() {
            return;
        }
        match which {
            Loop::Lease => self.renew(node),
            Loop::Status => {
                self.check_status_imitated(node);
                self.rests(node);
            }
        }
    }

    /// The period of a loop.
    pub(super) fn imitated_period(&self, node: NodeId, which: Loop) -> Dur {
        match which {
            Loop::Lease => self
                .with(node, |k| k.settings.lease_period)
                .unwrap_or(STATUS_PERIOD),
            Loop::Status => STATUS_PERIOD,
        }
    }

    /// A kubelet is cut off: its ticks do nothing, and so they need not be simulated.
    pub(super) fn pause_imitated(&self, node: NodeId) {
        if self.lazy && self.with(node, |k| !k.sleepless) == Some(true) {
            self.unschedule(node);
        }
    }

    /// A kubelet is back: its loops go on where they would be by now, and overdue pod work is done
    /// at once.
    pub(super) fn resume_imitated(&self, node: NodeId) {
        if self.lazy && self.with(node, |k| k.cut.is_none() && k.runs()) == Some(true) {
            self.go_on_imitated(node);
        }
        self.overdue(node);
    }

    /// The API server answers again: what kubelets owe their pods is done at once.
    pub(super) fn server_is_back(&self) {
        if let KubeletMode::Imitated(_) = self.mode {
            self.api.nodes().iter().for_each(|n| self.overdue(n.id));
        }
    }

    /// Schedules loops that were taken off the queue where they would be by now.
    pub(super) fn go_on_imitated(&self, node: NodeId) {
        let now = self.ctx.now();
        for which in [Loop::Lease, Loop::Status] {
            let Some(next) = self
                .with(node, |k| k.next[which as usize])
                .filter(|n| n.key.is_none())
            else {
                continue;
            };
            let period = self.imitated_period(node, which);
            let missed = now
                .since(next.at)
                .as_nanos()
                .div_ceil(period.as_nanos().max(1));
            self.schedule(node, which, next.at + period * missed);
        }
    }

    fn check_status_imitated(&self, node: NodeId) {
        let KubeletMode::Imitated(mode) = self.mode else {
            return;
        };
        let Some(stored) = self.api.node(node) else {
            return;
        };
        let old = self
            .with(node, |k| {
                self.ctx.now().since(k.last_post) >= mode.status_report
            })
            .unwrap_or(false);
        if old || self.differs(&stored) {
            self.ctx.set_cause(stored.record);
            self.post(node);
        }
        if mode.repost_pod_ready {
            self.repost_ready(node);
        }
    }

    /// Does whatever is due for one life of a pod, if its kubelet is reachable.
    pub(super) fn work_imitated(&self, uid: Uid) {
        let now = self.ctx.now();
        let Some(due) = self.due(uid) else { return };
        let state = self.with(due.node, |k| (k.cut.is_some() || k.stopped, !k.is_on()));
        let Some((cut, off)) = state else {
            return;
        };
        if off {
            return;
        }
        let cut = cut || self.api.is_down();
        if due.missing {
            if !cut {
                self.mirror(uid, &due);
            }
            return;
        }
        if due.orphaned.is_some() {
            if !cut {
                self.stopped(uid, &due);
            }
            return;
        }
        self.run_containers(uid, &due, cut);
        if cut {
            return;
        }
        let stop = now >= due.stop;
        if !due.started && !stop && now >= due.start {
            self.with_due(uid, |d| d.started = true);
            // The pod may be gone, or another life of it begun.
            let _ = self.api.start_pod(Actor::Kubelet, due.pod, uid);
        }
        if stop {
            let _ = self
                .api
                .delete_pod(Actor::Kubelet, due.pod, Some(0), Some(uid));
        }
    }
}
