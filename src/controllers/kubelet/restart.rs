//! Kubelets that die, and start anew, while their machines run on.
//!
//! `pkg/kubelet/kubelet.go` (`Run`, `HandlePodAdditions`), v1.34: a kubelet that starts renews its
//! lease and reports its status whatever it is, hears of all its pods as if they were new, and takes
//! over the containers that run, unless it does not admit a pod any more (`refusal`). Its memory of
//! what it did is gone; what it has asked the container runtime to end, ends without it.

use super::kubelets::Kubelets;
use super::node_state::Admission;
use super::notices::Notices;
use crate::api::names::NodeId;
use crate::kernel::Time;
use crate::plan::{KubeletMode, Real};
use crate::trace::{Actor, What};

impl Kubelets {
    /// A node's kubelet dies.
    pub(crate) fn stop(&self, node: NodeId) {
        self.silenced(node);
        let was = self.with(node, |k| {
            let was = (k.runs(), k.cut.is_some());
            k.stopped = true;
            was
        });
        let Some((true, cut)) = was else { return };
        if !cut {
            let record = self.api.record_node(Actor::User, node, What::NodeSilent);
            self.ctx.set_cause(record);
        }
        for uid in self.pods_of(node) {
            self.with_due(uid, |d| {
                d.start_known = false;
                if d.admission == Admission::Admitted && !d.up {
                    d.admission = Admission::Open;
                }
            });
        }
        match self.mode {
            KubeletMode::Imitated(_) => self.pause_imitated(node),
            KubeletMode::Real(_) => self.asks_no_more(node),
        }
    }

    /// A kubelet starts where another has died. On a machine that is off it does so with the machine.
    pub(crate) fn start(&self, node: NodeId) {
        let was = self.with(node, |k| (std::mem::take(&mut k.stopped), k.is_on()));
        if was != Some((true, true)) {
            return;
        }
        self.api.waking(node);
        if let Some((hears, real)) = self.begins_anew(node, self.ctx.cause()) {
            self.take_over(node, hears, real);
        }
    }

    /// A kubelet hears of its pods then, and finds their containers as they are.
    fn take_over(&self, node: NodeId, hears: Time, real: Real) {
        for uid in self.pods_of(node) {
            let Some(due) = self.due(uid).filter(|d| d.orphaned.is_none()) else {
                continue;
            };
            if due.missing {
                self.work_at(uid, hears);
                continue;
            }
            let pod = self.api.pod(due.pod).filter(|p| p.uid == uid);
            if due.forgotten && !due.up {
                // Its machine was off meanwhile.
                self.find_stopped(uid, node, hears, real);
            } else if let Some(pod) = pod.filter(|p| p.is_terminating()) {
                let at = if due.stop_known {
                    due.stop.max(hears)
                } else {
                    hears + self.stopping(&pod, &due)
                };
                self.with_due(uid, |d| (d.stop, d.removal) = (at, None));
                self.work_at(uid, at);
            } else if due.up {
                self.work_at(uid, hears);
            }
        }
    }
}
