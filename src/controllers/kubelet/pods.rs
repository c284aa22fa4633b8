//! What kubelets hear of pods, and what is due for each.

use super::kubelets::Kubelets;
use super::node_state::Due;
use super::notices::Notices;
use crate::api::budget::Budget;
use crate::api::lease::Lease;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::pod::{Pod, PodPhase};
use crate::api::workload::Workload;
use crate::apiserver::Watcher;
use crate::kernel::{Class, Dur, Time};
use crate::plan::KubeletMode;
use std::rc::Rc;

impl Kubelets {
    /// What is due for one life of a pod.
    pub(super) fn due(&self, uid: Uid) -> Option<Due> {
        self.state
            .with(|s| s.due.get(uid.0 as usize).copied().flatten())
    }

    /// Changes what is due for one life of a pod.
    pub(super) fn with_due(&self, uid: Uid, f: impl FnOnce(&mut Due)) {
        self.state.with(|s| {
            if let Some(Some(d)) = s.due.get_mut(uid.0 as usize) {
                f(d);
            }
        });
    }

    /// Does at once what came due while a kubelet was cut off.
    pub(super) fn overdue(&self, node: NodeId) {
        for uid in self.pods_of(node) {
            self.work(uid);
        }
    }

    /// Has a pod worked on after a delay.
    pub(super) fn work_in(&self, uid: Uid, delay: Dur) {
        if let Some(handler) = self.pods.get() {
            self.ctx
                .post_in(self.ctx.lane(delay, Class::Source), handler, uid);
        }
    }

    /// Has a pod worked on at a time that no constant delay gives.
    pub(super) fn work_at(&self, uid: Uid, at: Time) {
        if let Some(handler) = self.pods.get() {
            self.ctx.post_at(at, Class::Source, handler, uid);
        }
    }

    pub(super) fn work(&self, uid: Uid) {
        match self.mode {
            KubeletMode::Imitated(_) => self.work_imitated(uid),
            KubeletMode::Real(_) => self.work_real(uid),
        }
    }

    fn observe(&self, old: Option<&Pod>, new: &Pod) {
        let Some(node) = new.node else { return };
        if old.is_some_and(|o| {
            (o.uid, o.node, o.is_terminating()) == (new.uid, new.node, new.is_terminating())
        }) {
            // It was seen to be there, and to stop where it is to.
            return;
        }
        let now = self.ctx.now();
        let start = match self.mode {
            KubeletMode::Imitated(i) => i.start,
            KubeletMode::Real(r) => r.pod_start,
        };
        let stop = self.stop_of(new);
        let slot = new.uid.0 as usize;
        let hears = self
            .with(node, |k| !k.cut && !k.crashed && !k.gone)
            .unwrap_or(false);
        let is_new = self.state.with(|s| {
            if s.due.len() <= slot {
                s.due.resize(slot + 1, None);
            }
            let is_new = s.due[slot].is_none();
            if is_new {
                s.due[slot] = Some(Due {
                    pod: new.id,
                    node,
                    start: now + start,
                    stop: Time::MAX,
                    started: new.phase != PodPhase::Pending,
                    up: new.phase == PodPhase::Running,
                    start_known: hears,
                    stop_known: false,
                    orphaned: None,
                });
                if s.pods_of.len() <= node.index() {
                    s.pods_of.resize(node.index() + 1, Vec::new());
                }
                s.pods_of[node.index()].push(new.uid);
            }
            is_new
        });
        if is_new && new.phase == PodPhase::Pending {
            self.work_in(new.uid, start);
        }
        if new.is_terminating() && self.due(new.uid).is_some_and(|d| d.stop == Time::MAX) {
            self.with_due(new.uid, |d| (d.stop, d.stop_known) = (now + stop, hears));
            self.work_in(new.uid, stop);
        }
    }
}

impl Watcher for Kubelets {
    fn node(&self, _: Option<&Rc<Node>>, _: Option<&Rc<Node>>) {}

    fn heartbeat(&self, _: &Rc<Node>, _: &Rc<Node>, _: Time) {}

    fn stirred(&self) {}

    fn waking(&self, _: NodeId) {}

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let Some(p) = new
            && let Some(node) = p.node
            && p.ready.is_some_and(|c| c.status == ConditionStatus::False)
            && self.with(node, |k| !k.cut && !k.crashed && !k.gone) == Some(true)
        {
            // The next status check sets it back, or the next sync of pod statuses.
            self.touched(node);
            let was_ready =
                old.is_some_and(|o| o.ready.is_some_and(|c| c.status == ConditionStatus::True));
            if let (KubeletMode::Real(_), true) = (self.mode, was_ready) {
                self.sync_pod(node, p.uid);
            }
        }
        match (old, new) {
            (old, Some(new)) => self.observe(old.map(|o| &**o), new),
            (Some(old), None) => self.gone(old),
            (None, None) => {}
        }
    }

    fn lease(&self, _: NodeId, _: Option<&Lease>, _: Time) {}

    fn workload(&self, _: Option<&Rc<Workload>>, _: Option<&Rc<Workload>>) {}

    fn budget(&self, _: Option<&Rc<Budget>>, _: Option<&Rc<Budget>>) {}
}
