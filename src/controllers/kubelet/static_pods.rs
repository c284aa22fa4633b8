//! Static pods: a kubelet that runs one keeps a mirror of it in the API, and creates it again when it
//! is gone (`pkg/kubelet/kubelet.go: SyncPod`, v1.34).
//!
//! A mirror that is to be deleted ends as any pod does, and is then created again; upstream's kubelet
//! replaces it at once, and its containers run on. A mirror whose node is gone is not created again,
//! nor is it where a node of that name joins later.

use super::kubelets::Kubelets;
use super::node_state::Due;
use crate::api::meta::Uid;
use crate::api::pod::Pod;
use crate::apiserver::NewPod;
use crate::kernel::Time;
use crate::trace::Actor;

impl Kubelets {
    /// The mirror of a static pod is gone: its kubelet creates it again once it hears of that.
    pub(super) fn lost_mirror(&self, old: &Pod) {
        let Some(node) = old.node.filter(|_| self.due(old.uid).is_some()) else {
            return self.forget(old.uid, old.node);
        };
        self.with_due(old.uid, |d| (d.missing, d.stop) = (true, Time::MAX));
        self.state
            .with(|s| s.mirrors.push((old.uid, old.template.clone())));
        let now = self.ctx.now();
        if let Some(heard) = self.with(node, |k| k.hears_from(now)).flatten() {
            self.work_at(old.uid, heard);
        }
    }

    /// Creates a mirror again, if its node is there. What ran of it runs on.
    pub(super) fn mirror(&self, uid: Uid, due: &Due) {
        self.forget(uid, Some(due.node));
        let template = self.state.with(|s| {
            let place = s.mirrors.iter().position(|(of, _)| *of == uid);
            place.map(|i| s.mirrors.remove(i).1)
        });
        let Some(template) = template.filter(|_| self.api.node(due.node).is_some()) else {
            return;
        };
        let new = NewPod::pending(due.pod, template, Some(due.node));
        // Somebody else may have made one of that name.
        if let Ok(pod) = self.api.create_pod(Actor::Kubelet, new) {
            self.with_due(pod.uid, |d| d.up = due.up);
        }
    }
}
