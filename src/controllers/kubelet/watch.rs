//! The API server's changes of pods, as they concern kubelets.

use super::asleep::Sleepers;
use crate::apiserver::Watcher;
use crate::controllers::kubelet::prelude::*;

/// What all kubelets watch.
pub(super) struct PodWatch {
    pub(super) nodes: Rc<Nodes>,
    pub(super) updates: Rc<PodUpdates>,
    pub(super) reach: Rc<Reach>,
    pub(super) sleepers: Rc<Sleepers>,
    pub(super) volumes: Rc<VolumeManager>,
}

impl PodWatch {
    /// A pod's node hears of it, unless it was seen to be there, and to stop where it is to.
    fn observe(&self, old: Option<&Pod>, new: &Pod) {
        let seen = |p: &Pod| (p.uid, p.node, p.is_terminating());
        if let Some(node) = new.node
            && old.is_none_or(|old| seen(old) != seen(new))
        {
            self.reach.told(node);
            self.has_volumes(new);
            self.updates.pod_changes(node, new);
        }
    }

    /// A pod with volumes comes or goes: the next status says so.
    fn has_volumes(&self, pod: &Pod) {
        if let Some(node) = pod.node.filter(|_| !pod.template.claims.is_empty()) {
            self.sleepers.wake_up(node);
        }
    }

    /// A pod was marked NotReady on a node whose kubelet may set it back: with its next status check,
    /// or its next sync of pod statuses.
    fn marked_not_ready(&self, old: Option<&Pod>, new: &Pod) {
        let Some(node) = new.node else { return };
        let is = |p: &Pod, status| p.ready.is_some_and(|c| c.status == status);
        if is(new, ConditionStatus::False)
            && self.nodes.with(node, |k| k.cut.is_none() && k.runs()) == Some(true)
        {
            self.sleepers.wake_up(node);
            let was_ready = old.is_some_and(|o| is(o, ConditionStatus::True));
            if let (KubeletMode::Real(_), true) = (self.nodes.mode, was_ready) {
                self.updates.pod_to_reconcile(node, new.uid);
            }
        }
    }
}

impl Watcher for PodWatch {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        // Up to 1.22 and 1.23 it looks by itself.
        if let Some(new) = new.filter(|_| !self.nodes.switches.verifies_unreported)
            && new.volumes.is_some()
            && old.is_some_and(|o| o.volumes != new.volumes)
        {
            self.volumes.wake(new.id);
        }
    }

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let before = old.map(|o| &**o);
        match (before, new) {
            (before, Some(new)) => {
                self.marked_not_ready(before, new);
                self.observe(before, new);
            }
            (Some(old), None) => {
                self.has_volumes(old);
                self.updates.pod_removed(old);
            }
            (None, None) => {}
        }
    }
}
