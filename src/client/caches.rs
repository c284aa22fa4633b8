//! The tables of the informers' caches, and the indexes that are kept beside them.

use crate::api::readiness::NodeReadinessRule;
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
    pub(super) readiness_rules: BTreeMap<TextId, Rc<NodeReadinessRule>>,
    pub(super) leases: Vec<Option<Lease>>,
}

impl Caches {
    /// Puts a version of a pod, or none, in the place of the old one, which is returned.
    pub(super) fn put_pod(&mut self, id: PodId, new: Option<&Rc<Pod>>) -> Option<Rc<Pod>> {
        let old = replace(&mut self.pods, id.index(), new.cloned());
        self.list_pod_by_node(id, old.as_ref(), new);
        self.list_pod_by_owner(id, old.as_ref(), new);
        old
    }

    fn list_pod_by_node(&mut self, id: PodId, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (was, is) = (old.and_then(|p| p.node), new.and_then(|p| p.node));
        if was != is {
            if let Some(n) = was {
                self.pods_by_node[n.index()].retain(|p| *p != id);
            }
            if let Some(n) = is {
                slot(&mut self.pods_by_node, n.index()).push(id);
            }
        }
    }

    fn list_pod_by_owner(&mut self, id: PodId, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let owner =
            |p: Option<&Rc<Pod>>| p.and_then(|p| p.controller()).map(|(owner, _)| owner.index());
        let same = old.zip(new).is_some_and(|(o, n)| Rc::ptr_eq(&o.template, &n.template));
        let (was, is) = if same { (None, None) } else { (owner(old), owner(new)) };
        if was != is {
            if let Some(w) = was {
                let pods = &mut self.pods_by_owner[w];
                pods.binary_search(&id).map(|at| pods.remove(at)).ok();
            }
            if let Some(w) = is {
                // Nearly always at the end.
                let pods = slot(&mut self.pods_by_owner, w);
                pods.insert(pods.partition_point(|p| *p < id), id);
            }
        }
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
        self.list_workload_by_kind(id, old.as_ref(), new);
        let owner =
            |w: Option<&Rc<Workload>>| w.and_then(|w| w.owner).map(|(owner, _)| owner.index());
        let (was, is) = (owner(old.as_ref()), owner(new));
        if was != is {
            was.map(|w| self.workloads_by_owner[w].remove(&id));
            is.map(|w| slot(&mut self.workloads_by_owner, w).insert(id));
        }
        old
    }

    fn list_workload_by_kind(
        &mut self,
        id: WorkloadId,
        old: Option<&Rc<Workload>>,
        new: Option<&Rc<Workload>>,
    ) {
        let kind = |w: Option<&Rc<Workload>>| w.map(|w| Resource::from(w.kind) as usize);
        let (was, is) = (kind(old), kind(new));
        if was != is {
            if let Some(ids) = was.map(|kind| &mut self.workloads_by_kind[kind]) {
                ids.binary_search(&id).map(|at| ids.remove(at)).ok();
            }
            if let Some(ids) = is.map(|kind| &mut self.workloads_by_kind[kind]) {
                // Nearly always at the end.
                ids.insert(ids.partition_point(|w| *w < id), id);
            }
        }
    }
}

/// What a step touches of the caches, for searches: of each resource the objects by id plus one,
/// and 0 for its cache as a whole.
pub(super) struct CacheKeys {
    pub(super) by_resource: [Keys; Resource::COUNT],
    pub(super) lags: Key,
    pub(super) kubelets: Key,
}

impl CacheKeys {
    /// Those of a run.
    pub(super) fn new(ctx: &Ctx) -> Self {
        CacheKeys {
            by_resource: Resource::ALL.map(|r| ctx.keys(r.as_str())),
            lags: ctx.keys("watch-lags").of(0),
            kubelets: ctx.keys("kubelets").of(0),
        }
    }
}
