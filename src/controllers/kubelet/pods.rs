//! What kubelets hear of pods, and what is due for each.

use super::kubelets::Kubelets;
use super::node_state::{Admission, Due};
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
        let slot = new.uid.0 as usize;
        let heard = self.with(node, |k| k.hears_from(now)).flatten();
        self.told(node);
        let is_new = self
            .state
            .with(|s| s.due.get(slot).is_none_or(Option::is_none));
        if is_new {
            self.hear_of(node, new, heard);
        }
        if new.is_terminating() {
            self.refused_ends(new.uid);
        }
        if new.is_terminating()
            && let Some(due) = self.due(new.uid).filter(|d| d.stop == Time::MAX)
        {
            let stop = self.stop_after(new, &due);
            let hears = heard == Some(now);
            self.with_due(new.uid, |d| {
                (d.stop, d.stop_known) = (heard.unwrap_or(now) + stop, hears);
            });
            self.work_after(new.uid, heard, stop);
        }
    }

    /// A pod is on a node, whose kubelet hears of it then, or not yet.
    fn hear_of(&self, node: NodeId, new: &Pod, heard: Option<Time>) {
        let now = self.ctx.now();
        let start = match self.mode {
            KubeletMode::Imitated(i) => new.template.start.unwrap_or(i.start),
            KubeletMode::Real(r) => r.start_of(new),
        };
        let pending = new.phase == PodPhase::Pending;
        let hears = heard == Some(now);
        let refuses = matches!(self.mode, KubeletMode::Real(_))
            && pending
            && self.refuses(new, node).is_some();
        let due = Due {
            pod: new.id,
            node,
            start: heard.unwrap_or(now) + start,
            stop: Time::MAX,
            started: !pending,
            up: new.phase == PodPhase::Running,
            start_known: hears,
            stop_known: false,
            orphaned: None,
            missing: false,
            admission: if !pending || hears && !refuses {
                Admission::Admitted
            } else {
                Admission::Open
            },
            refused: None,
            forgotten: false,
            found_stopped: None,
            read: false,
            removal: None,
        };
        self.state.with(|s| {
            let slot = new.uid.0 as usize;
            if s.due.len() <= slot {
                s.due.resize(slot + 1, None);
            }
            s.due[slot] = Some(due);
            if s.pods_of.len() <= node.index() {
                s.pods_of.resize(node.index() + 1, Vec::new());
            }
            s.pods_of[node.index()].push(new.uid);
        });
        if pending {
            if due.admission == Admission::Open && heard.is_some() {
                self.work_after(new.uid, heard, Dur::ZERO);
            }
            self.work_after(new.uid, heard, start);
        }
    }

    /// Has a pod worked on so long after its kubelet has heard of a change; where it does not, so
    /// long after the change.
    fn work_after(&self, uid: Uid, heard: Option<Time>, delay: Dur) {
        match heard {
            Some(at) if at > self.ctx.now() => self.work_at(uid, at + delay),
            _ => self.work_in(uid, delay),
        }
    }

    /// How long a pod takes to stop once its kubelet has heard that it is to.
    fn stop_after(&self, pod: &Pod, due: &Due) -> Dur {
        match self.mode {
            KubeletMode::Imitated(i) => i.stop,
            KubeletMode::Real(_) => self.stopping(pod, due),
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
            && self.with(node, |k| k.cut.is_none() && k.runs()) == Some(true)
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
