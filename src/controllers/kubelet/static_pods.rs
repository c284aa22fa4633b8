//! Static pods: a kubelet that runs one keeps a mirror of it in the API, and creates it again when it
//! is gone (`pkg/kubelet/kubelet.go: SyncPod`, v1.34).
//!
//! A mirror that is to be deleted ends as any pod does, and is then created again; upstream's kubelet
//! replaces it at once, and its containers run on. A mirror whose node is gone is not created again,
//! nor is it where a node of that name joins later.

use super::lives::Lives;
use super::nodes::Nodes;
use super::pods::{Due, Pods};
use super::stats::Stats;
use crate::controllers::prelude::*;

/// The mirrors of static pods.
pub(super) struct Mirrors {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    stats: Rc<Stats>,
    lives: Rc<Lives>,
    /// What those that are gone are to be created again from.
    lost: Shared<Vec<(Uid, Rc<PodTemplate>)>>,
}

impl Mirrors {
    /// All are there.
    pub(super) fn new(
        (nodes, pods): (&Rc<Nodes>, &Rc<Pods>),
        (stats, lives): (&Rc<Stats>, &Rc<Lives>),
    ) -> Self {
        let (nodes, pods) = (nodes.clone(), pods.clone());
        let (stats, lives) = (stats.clone(), lives.clone());
        Self { nodes, pods, stats, lives, lost: Shared::default() }
    }

    /// The mirror of a static pod is gone: its kubelet creates it again once it hears of that.
    pub(super) fn gone(&self, old: &Pod) {
        let Some(node) = old.node.filter(|_| self.pods.due(old.uid).is_some()) else {
            return self.pods.forget(old.uid, old.node);
        };
        self.pods.with_due(old.uid, |d| (d.missing, d.stop) = (true, Time::MAX));
        self.lost.with(|lost| lost.push((old.uid, old.template.clone())));
        if let Some(heard) = self.nodes.hears_from(node) {
            self.pods.work_at(old.uid, heard);
        }
    }

    /// Creates a mirror again, if its node is there. What ran of it runs on.
    pub(super) fn create(&self, uid: Uid, due: &Due) {
        self.pods.forget(uid, Some(due.node));
        let template = self
            .lost
            .with(|lost| lost.iter().position(|(of, _)| *of == uid).map(|i| lost.remove(i).1));
        let api = &self.nodes.api;
        let Some(template) = template.filter(|_| api.node(due.node).is_some()) else { return };
        let new = Pod::pending(due.pod, template, Some(due.node));
        // Somebody else may have made one of that name.
        if let Ok(pod) = api.create_pod(Actor::Kubelet, new, false) {
            self.pods.with_due(pod.uid, |d| d.up = due.up);
            self.stats.goes_on_as(due.node, uid, pod.uid);
            self.lives.goes_on_as(uid, pod.uid);
        }
    }
}
