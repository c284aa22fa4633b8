//! What a DaemonSet's pods add up to, node by node, kept as pods and nodes change: a sync looks at
//! what changed since the last one and not at every node of the cluster.
//!
//! A sync reads its nodes when it begins and keeps to them (`nodeList` is passed on upstream), and
//! its pods when it needs them: so changes of nodes wait for [`DaemonCensus::take_nodes`], and
//! changes of pods for [`DaemonCensus::take_pods`].

use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::DaemonSetSwitches;

/// The version of a DaemonSet that decisions about nodes depend on.
struct Basis {
    template: Rc<PodTemplate>,
    pinned: Option<NodeId>,
    min_ready_seconds: i32,
}

/// The numbers of a status (`updateDaemonSetStatus`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    pub(super) desired: i32,
    pub(super) misscheduled: i32,
    pub(super) scheduled: i32,
    pub(super) ready: i32,
    pub(super) available: i32,
}

/// A node as the DaemonSet sees it.
#[derive(Clone, Default)]
struct Place {
    /// The DaemonSet's pods that are on it or pinned to it, by id.
    pods: Vec<PodId>,
    /// What was made of the node when a sync last began; none where there is no such node.
    should: Option<ShouldRun>,
    /// What it adds to the numbers of the status.
    share: Numbers,
    /// It is among the nodes, or the places, to be looked at.
    node_changed: bool,
    pods_changed: bool,
}

/// What is known of the nodes and pods of one life of a DaemonSet.
#[derive(Default)]
pub(super) struct DaemonCensus {
    /// The life that this is about.
    pub(super) uid: Uid,
    switches: DaemonSetSwitches,
    basis: Option<Basis>,
    /// By node.
    places: Vec<Place>,
    changed_nodes: Vec<NodeId>,
    changed_places: Vec<NodeId>,
    /// Pods that are pinned to a node that nobody knows, yet.
    nowhere: BTreeSet<PodId>,
    /// Nodes that lack a pod, or have one that may have to go.
    wanting: BTreeSet<NodeId>,
    /// Nodes that are gone, with pods that wait for them.
    stranded: BTreeSet<NodeId>,
    /// Nodes whose pod is ready, but not for long enough.
    maturing: BTreeSet<NodeId>,
    /// Nodes that are to have a pod and have no room for it (`suspendedDaemonPods`), up to 1.11.
    suspended: BTreeSet<NodeId>,
    numbers: Numbers,
}

impl DaemonCensus {
    /// Nothing is known yet.
    pub(super) fn new(uid: Uid, switches: DaemonSetSwitches) -> Self {
        DaemonCensus { uid, switches, ..Self::default() }
    }

    fn place(&mut self, node: NodeId) -> &mut Place {
        slot(&mut self.places, node.index())
    }

    fn pods_changed(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.place(node).pods_changed, true) {
            self.changed_places.push(node);
        }
    }

    /// A node came, went, or has other labels or taints.
    pub(super) fn node_changed(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.place(node).node_changed, true) {
            self.changed_nodes.push(node);
        }
    }

    /// Takes another version of a pod in the place of the old one. `node`: the node that a version
    /// is on or pinned to (`getNodesToDaemonPods`).
    pub(super) fn pod_changed(
        &mut self,
        old: Option<&Pod>,
        new: Option<&Pod>,
        node: impl Fn(&Pod) -> Option<NodeId>,
    ) {
        let own = |p: &&Pod| p.controller().is_some_and(|(_, uid)| uid == self.uid);
        let make_room = self.switches.ended_pods_make_room;
        let counts = |p: &&Pod| !(make_room && p.phase.is_terminal() && p.is_terminating());
        let (old, new) = (old.filter(own).filter(counts), new.filter(own).filter(counts));
        if let Some(old) = old
            && !self.nowhere.remove(&old.id)
            && let Some(was) = node(old)
        {
            let pods = &mut self.place(was).pods;
            pods.binary_search(&old.id).map(|at| pods.remove(at)).ok();
            self.pods_changed(was);
        }
        if let Some(new) = new {
            self.put(new.id, node(new));
        }
    }

    fn put(&mut self, pod: PodId, node: Option<NodeId>) {
        let Some(node) = node else {
            self.nowhere.insert(pod);
            return;
        };
        let pods = &mut self.place(node).pods;
        if let Err(at) = pods.binary_search(&pod) {
            pods.insert(at, pod);
        }
        self.pods_changed(node);
    }

    /// Looks at the nodes that changed since a sync last began, or at all if the DaemonSet did;
    /// `should` says what it makes of a node that is there.
    pub(super) fn take_nodes(
        &mut self,
        ds: &Workload,
        all: impl FnOnce() -> Vec<NodeId>,
        mut should: impl FnMut(NodeId) -> Option<ShouldRun>,
    ) {
        let same = |b: &Basis| Rc::ptr_eq(&b.template, &ds.template) && b.pinned == ds.pinned;
        // Up to 1.11 other pods matter, too.
        if !self.switches.scheduled || !self.basis.as_ref().is_some_and(same) {
            all().into_iter().for_each(|node| self.node_changed(node));
        }
        if self.basis.as_ref().is_some_and(|b| b.min_ready_seconds != ds.min_ready_seconds) {
            (0..self.places.len()).for_each(|i| self.pods_changed(NodeId(i as u32)));
        }
        self.basis = Some(Basis {
            template: ds.template.clone(),
            pinned: ds.pinned,
            min_ready_seconds: ds.min_ready_seconds,
        });
        for node in std::mem::take(&mut self.changed_nodes) {
            let now = should(node);
            let place = self.place(node);
            place.node_changed = false;
            if std::mem::replace(&mut place.should, now) != now {
                self.pods_changed(node);
            }
        }
    }

    /// Looks at the places whose pods changed. `pods` gives the pods of a place, `is_available`
    /// says whether one has been ready for long enough.
    pub(super) fn take_pods(
        &mut self,
        find: impl Fn(PodId) -> Option<NodeId>,
        pods: impl Fn(&[PodId]) -> Vec<Rc<Pod>>,
        is_available: impl Fn(&Pod) -> bool,
    ) {
        let known: Vec<_> = self.nowhere.iter().filter_map(|p| Some((*p, find(*p)?))).collect();
        for (pod, node) in known {
            self.nowhere.remove(&pod);
            self.put(pod, Some(node));
        }
        let maturing: Vec<NodeId> = self.maturing.iter().copied().collect();
        maturing.into_iter().for_each(|node| self.pods_changed(node));
        for node in std::mem::take(&mut self.changed_places) {
            let here = pods(&self.places[node.index()].pods);
            self.look(node, &here, &is_available);
        }
    }

    fn look(&mut self, node: NodeId, here: &[Rc<Pod>], is_available: &impl Fn(&Pod) -> bool) {
        let place = &mut self.places[node.index()];
        place.pods_changed = false;
        let should = place.should;
        let want = should.is_some_and(|s| s.want);
        let suspended = should.is_some_and(|s| s.want && !s.run);
        let first = here.first().filter(|_| want);
        let ready = first.is_some_and(|p| p.is_ready());
        let available = ready && first.is_some_and(|p| is_available(p));
        let now = Numbers {
            desired: want.into(),
            misscheduled: (should.is_some() && !want && !here.is_empty()).into(),
            scheduled: first.is_some().into(),
            ready: ready.into(),
            available: available.into(),
        };
        let before = std::mem::replace(&mut place.share, now);
        self.numbers.change(before, -1);
        self.numbers.change(now, 1);
        let remaining = || here.iter().filter(|p| !p.is_terminating());
        let too = self.switches.replaces_succeeded;
        let ended = |p: &Pod| p.phase == PodPhase::Failed || too && p.phase == PodPhase::Succeeded;
        let wanting = match should {
            None => false,
            Some(_) if suspended => false,
            Some(s) if here.is_empty() => s.run,
            Some(s) if s.stay => remaining().count() > 1 || remaining().any(|p| ended(p)),
            Some(_) => remaining().next().is_some(),
        };
        let stranded = should.is_none() && here.iter().any(|p| p.node.is_none());
        let sets = [
            (&mut self.wanting, wanting),
            (&mut self.stranded, stranded),
            (&mut self.maturing, ready && !available),
            (&mut self.suspended, suspended),
        ];
        for (set, is_in) in sets {
            if is_in {
                set.insert(node)
            } else {
                set.remove(&node)
            };
        }
    }

    /// The numbers of the status.
    pub(super) fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// The nodes that lack a pod or have one that may have to go, by id, what the DaemonSet makes
    /// of each, and its pods.
    pub(super) fn wanting(&self) -> impl Iterator<Item = (NodeId, ShouldRun, &[PodId])> {
        self.wanting.iter().filter_map(|node| {
            let place = &self.places[node.index()];
            Some((*node, place.should?, &*place.pods))
        })
    }

    /// The nodes that are to have a pod and have no room for it.
    pub(super) fn suspended(&self) -> &BTreeSet<NodeId> {
        &self.suspended
    }

    /// The pods of nodes that are gone, node by node, where any of them waits for its node.
    pub(super) fn stranded(&self) -> impl Iterator<Item = &[PodId]> {
        self.stranded.iter().map(|node| &*self.places[node.index()].pods)
    }
}

impl Numbers {
    fn change(&mut self, share: Self, by: i32) {
        self.desired += by * share.desired;
        self.misscheduled += by * share.misscheduled;
        self.scheduled += by * share.scheduled;
        self.ready += by * share.ready;
        self.available += by * share.available;
    }
}

#[cfg(test)]
mod tests;
