//! Machines that stop, and come up again.

use super::kubelets::Kubelets;
use super::node_state::Loop;
use super::notices::Notices;
use crate::api::names::NodeId;
use crate::kernel::Dur;
use crate::plan::{KubeletMode, Real};
use crate::trace::{Actor, What};

impl Kubelets {
    /// A machine stops, and its containers with it.
    pub(crate) fn crash(&self, node: NodeId) {
        self.silenced(node);
        let was = self.with(node, |k| {
            (
                std::mem::replace(&mut k.crashed, true),
                k.cut,
                k.gone,
                k.boots_until.take().is_some(),
            )
        });
        if let Some((was_off, cut, false, booting)) = was
            && (!was_off || booting)
        {
            if !was_off {
                self.machine_off(node);
            }
            if !was_off && !cut {
                let record = self.api.record_node(Actor::User, node, What::NodeSilent);
                self.ctx.set_cause(record);
            }
            match self.mode {
                KubeletMode::Imitated(_) => self.pause_imitated(node),
                KubeletMode::Real(_) => self.unschedule(node),
            }
        }
    }

    /// A crashed machine is switched on again, and boots.
    pub(crate) fn boot(&self, node: NodeId) {
        let boot = match self.mode {
            KubeletMode::Imitated(_) => Dur::ZERO,
            KubeletMode::Real(real) => real.boot,
        };
        let up = self.ctx.now() + boot;
        if self.with(node, |k| {
            k.crashed && !k.gone && k.boots_until.replace(up).is_none()
        }) == Some(true)
        {
            if boot.is_zero() {
                self.booted(node)
            } else {
                self.booted_at(node, up)
            }
        }
    }

    /// A machine has booted, unless it stopped again meanwhile: the kubelet renews its lease, posts
    /// its status whatever it is, and starts its pods' containers anew.
    pub(super) fn booted(&self, node: NodeId) {
        let up = self.ctx.now();
        let Some(Some(cut)) = self.with(node, |k| {
            let done = !k.gone && k.boots_until == Some(up);
            done.then(|| {
                (k.crashed, k.boots_until) = (false, None);
                k.cut
            })
        }) else {
            return;
        };
        self.api.waking(node);
        let on = self.api.record_node(Actor::User, node, What::MachineOn);
        let heard = if cut {
            on
        } else {
            self.api.record_node(Actor::User, node, What::NodeHeard)
        };
        self.ctx.set_cause(heard);
        let KubeletMode::Real(real) = self.mode else {
            self.resume_imitated(node);
            return;
        };
        self.with(node, |k| {
            k.watch_back = up;
            // The first report after a start is unconditional, except in 1.32.0 to 1.32.2.
            k.report_offset_ns = i64::MIN / 2;
        });
        self.schedule(node, Loop::Lease, up);
        self.schedule(node, Loop::Status, up);
        self.start_anew(node, real);
    }

    /// A machine has come up: the containers of its pods start anew, or end.
    pub(super) fn start_anew(&self, node: NodeId, real: Real) {
        let up = self.ctx.now();
        for uid in self.pods_of(node) {
            self.with_due(uid, |d| {
                d.start = up + real.pod_start;
                d.stop_at(up);
            });
            self.work_at(uid, up);
            self.work_at(uid, up + real.pod_start);
        }
    }
}
