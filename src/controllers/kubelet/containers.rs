//! What is true of machines and containers, whatever the API says of them: when they run, and when
//! they end.
//!
//! No controller sees any of this; it is written down for those who read the trace. A kubelet that
//! is cut off goes on with what it heard before: it starts the pods and ends those that it knows
//! of, and learns of everything else when it is heard again. Containers of a pod whose object is
//! gone run on until their kubelet hears of that (`pkg/kubelet/kubelet.go: HandlePodRemoves`,
//! `HandlePodCleanups`), or until their machine stops.

use super::kubelets::Kubelets;
use super::node_state::{Admission, Due};
use crate::api::meta::Uid;
use crate::api::names::NodeId;
use crate::api::pod::{Pod, PodSource};
use crate::kernel::{Dur, Time};
use crate::plan::KubeletMode;
use crate::trace::{Actor, What};

impl Kubelets {
    /// A pod's object is gone: nothing is due for it any more, except for the end of containers
    /// that still run.
    pub(super) fn gone(&self, old: &Pod) {
        if old.template.source != PodSource::Api {
            return self.lost_mirror(old);
        }
        let runs_on = self.due(old.uid).is_some_and(|d| d.up);
        if !runs_on {
            return self.forget(old.uid, old.node);
        }
        let stop = self.stop_of(old);
        self.with_due(old.uid, |d| (d.orphaned, d.stop) = (Some(stop), Time::MAX));
        let now = self.ctx.now();
        if let Some(heard) = old
            .node
            .and_then(|n| self.with(n, |k| k.hears_from(now)))
            .flatten()
        {
            self.end_orphan(old.uid, heard.since(now) + stop);
        }
    }

    /// How much later containers end whose pod is gone: their kubelet learns of it only now.
    pub(super) fn end_orphan(&self, uid: Uid, after: Dur) {
        let at = self.ctx.now() + after;
        self.with_due(uid, |d| d.stop = at);
        self.work_at(uid, at);
    }

    pub(super) fn forget(&self, uid: Uid, node: Option<NodeId>) {
        self.state.with(|s| {
            // A pod that was never bound may have no place here.
            if let Some(due) = s.due.get_mut(uid.0 as usize) {
                *due = None;
            }
            if let Some(pods) = node.and_then(|n| s.pods_of.get_mut(n.index())) {
                pods.retain(|u| *u != uid);
            }
        });
    }

    /// How long a pod takes to stop once its kubelet is to end it.
    pub(super) fn stop_of(&self, pod: &Pod) -> Dur {
        match self.mode {
            KubeletMode::Imitated(i) => pod.template.stop.unwrap_or(i.stop),
            KubeletMode::Real(r) => r.stop_of(pod),
        }
    }

    /// Starts or ends the containers of one life of a pod, if that is due and its kubelet knows.
    /// Its machine runs.
    pub(super) fn run_containers(&self, uid: Uid, due: &Due, cut: bool) {
        let now = self.ctx.now();
        if due.up {
            if now >= due.stop && (due.stop_known || !cut) {
                self.stopped(uid, due);
            }
            return;
        }
        let starts = now >= due.start && due.stop == Time::MAX && (due.start_known || !cut);
        let wanted =
            |p: &Pod| p.uid == uid && !p.phase.is_terminal() && due.admission != Admission::Refused;
        if starts && self.api.pod(due.pod).is_some_and(|p| wanted(&p)) {
            self.with_due(uid, |d| (d.up, d.forgotten) = (true, false));
            self.api
                .record_pod(Actor::Kubelet, due.pod, What::ContainersStarted(due.node.0));
        }
    }

    /// The containers of one life of a pod have ended.
    pub(super) fn stopped(&self, uid: Uid, due: &Due) {
        self.with_due(uid, |d| d.up = false);
        self.api
            .record_pod(Actor::Kubelet, due.pod, What::ContainersStopped(due.node.0));
        if due.orphaned.is_some() {
            self.forget(uid, Some(due.node));
        }
    }

    /// A machine stops, or is taken away: its containers end with it.
    pub(super) fn machine_off(&self, node: NodeId) {
        self.api.record_node(Actor::User, node, What::MachineOff);
        for uid in self.pods_of(node) {
            match self.due(uid) {
                Some(due) if due.orphaned.is_some() => self.forget(uid, Some(node)),
                // What it knew is gone with its memory.
                _ => self.with_due(uid, |d| {
                    d.forgotten |= d.up;
                    (d.up, d.start_known, d.stop_known) = (false, false, false)
                }),
            }
        }
    }

    /// The lives of pods that a kubelet has to do with, in order of their arrival.
    pub(super) fn pods_of(&self, node: NodeId) -> Vec<Uid> {
        self.state
            .with(|s| s.pods_of.get(node.index()).cloned().unwrap_or_default())
    }
}
