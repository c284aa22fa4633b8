//! The tables of the informers' caches, and the indexes that are kept beside them.

use crate::client::prelude::*;
use crate::kernel::{replace, slot};
use std::collections::BTreeSet;

/// Nodes by id.
pub(crate) type Nodes = Rc<Vec<Option<Rc<Node>>>>;

/// What a process knows of the objects, by id.
#[derive(Default)]
pub(super) struct Caches {
    /// A new list only where somebody holds on to the one before.
    pub(super) nodes: Nodes,
    pub(super) pods: Vec<Option<Rc<Pod>>>,
    pub(super) pods_by_node: Vec<Vec<PodId>>,
    /// Sorted.
    pub(super) pods_by_owner: Vec<Vec<PodId>>,
    pub(super) workloads: Vec<Option<Rc<Workload>>>,
    pub(super) workloads_by_owner: Vec<BTreeSet<WorkloadId>>,
    /// Sorted; by the kind's watch.
    pub(super) workloads_by_kind: [Vec<WorkloadId>; Resource::COUNT],
    /// Workloads that came or went, or whose life, owner or replicas changed, one after the other.
    pub(super) rescaled: Vec<WorkloadId>,
    pub(super) budgets: Vec<Option<Rc<Budget>>>,
    pub(super) slices: BTreeMap<NodeId, Rc<ResourceSlices>>,
    pub(super) rules: BTreeMap<TextId, Rc<DeviceTaintRule>>,
    pub(super) allocations: BTreeMap<Uid, Rc<Allocation>>,
    pub(super) claims: BTreeMap<Rc<str>, Rc<SharedClaim>>,
    pub(super) readiness_rules: BTreeMap<TextId, Rc<NodeReadinessRule>>,
    pub(super) leases: Vec<Option<Lease>>,
}

impl Caches {
    /// Puts a version of a pod, or none, in the place of the old one, which is returned.
    pub(super) fn put_pod(&mut self, id: PodId, new: Option<&Rc<Pod>>) -> Option<Rc<Pod>> {
        let old = replace(&mut self.pods, id.index(), new.cloned());
        let (was, is) = (old.as_ref().and_then(|p| p.node), new.and_then(|p| p.node));
        if was != is {
            if let Some(n) = was {
                self.pods_by_node[n.index()].retain(|p| *p != id);
            }
            if let Some(n) = is {
                slot(&mut self.pods_by_node, n.index()).push(id);
            }
        }
        let owner =
            |p: Option<&Rc<Pod>>| p.and_then(|p| p.controller()).map(|(owner, _)| owner.index());
        let both = old.as_ref().zip(new);
        let same = both.is_some_and(|(o, n)| Rc::ptr_eq(&o.template, &n.template));
        let (was, is) = if same { (None, None) } else { (owner(old.as_ref()), owner(new)) };
        if was != is {
            was.into_iter().for_each(|w| take_off(&mut self.pods_by_owner[w], id));
            is.into_iter().for_each(|w| put_in(slot(&mut self.pods_by_owner, w), id));
        }
        old
    }

    /// Puts a version of a workload, or none, in the place of the old one, which is returned.
    pub(super) fn put_workload(
        &mut self,
        id: WorkloadId,
        new: Option<&Rc<Workload>>,
    ) -> Option<Rc<Workload>> {
        let old = replace(&mut self.workloads, id.index(), new.cloned());
        let scale = |w: &Rc<Workload>| (w.uid, w.owner, w.replicas());
        if old.as_ref().map(scale) != new.map(scale) {
            self.rescaled.push(id);
        }
        let kind = |w: Option<&Rc<Workload>>| w.map(|w| Resource::from(w.kind) as usize);
        let (was, is) = (kind(old.as_ref()), kind(new));
        if was != is {
            was.into_iter().for_each(|kind| take_off(&mut self.workloads_by_kind[kind], id));
            is.into_iter().for_each(|kind| put_in(&mut self.workloads_by_kind[kind], id));
        }
        let owner =
            |w: Option<&Rc<Workload>>| w.and_then(|w| w.owner).map(|(owner, _)| owner.index());
        let (was, is) = (owner(old.as_ref()), owner(new));
        if was != is {
            was.map(|w| self.workloads_by_owner[w].remove(&id));
            is.map(|w| slot(&mut self.workloads_by_owner, w).insert(id));
        }
        old
    }
}

fn take_off<T: Copy + Ord>(sorted: &mut Vec<T>, id: T) {
    sorted.binary_search(&id).map(|at| sorted.remove(at)).ok();
}

fn put_in<T: Copy + Ord>(sorted: &mut Vec<T>, id: T) {
    // Nearly always at the end.
    sorted.insert(sorted.partition_point(|other| *other < id), id);
}
