//! What the caches of a process say (`client-go/tools/cache: Lister`, `Indexer`): each object as
//! its watch has delivered it so far, and computed heartbeats as they would have been delivered.
//!
//! What a LIST returns: the objects in the order of their keys in etcd, which is that of their
//! names. Handlers hear of them in this order, and the indexes of the caches are filled in it.

use super::{InformerFactory, Nodes};
use crate::api::device::{DeviceId, DeviceResult};
use crate::api::meta::Timestamp;
use crate::api::names::Names;
use crate::apiserver::{Beat, lease_renewed, lease_version};
use crate::client::prelude::*;
use std::collections::BTreeSet;

impl InformerFactory {
    /// The running step reads an object of a cache.
    pub(super) fn reads(&self, resource: Resource, index: usize) {
        self.ctx.reads(self.cache_keys[resource as usize].of(index as u32 + 1));
    }

    /// The running step reads a cache as a whole, or what somebody keeps of it.
    pub(crate) fn reads_all(&self, resource: Resource) {
        self.ctx.reads(self.cache_keys[resource as usize].of(0));
    }

    /// The running step reads the workloads, whatever their kind.
    fn reads_workloads(&self) {
        if self.ctx.is_searching() {
            WorkloadKind::ALL.into_iter().for_each(|kind| self.reads_all(kind.into()));
        }
    }

    /// A node as the cache has it.
    pub(crate) fn node(&self, id: NodeId) -> Option<Rc<Node>> {
        self.reads(Resource::Nodes, id.index());
        self.caches.with(|c| c.nodes.get(id.index()).cloned().flatten())
    }

    /// Whether the cache has a node.
    pub(crate) fn has_node(&self, id: NodeId) -> bool {
        self.reads(Resource::Nodes, id.index());
        self.caches.with(|c| c.nodes.get(id.index()).is_some_and(Option::is_some))
    }

    /// A pod as the cache has it.
    pub(crate) fn pod(&self, id: PodId) -> Option<Rc<Pod>> {
        self.reads(Resource::Pods, id.index());
        self.caches.with(|c| c.pods.get(id.index()).cloned().flatten())
    }

    /// A node's lease as the cache has it: renewTime in microseconds, and resourceVersion.
    pub(crate) fn lease(&self, id: NodeId) -> Option<(i64, u64)> {
        self.reads(Resource::Leases, id.index());
        self.ctx.reads(self.kubelets_key);
        if let Some(h) = &self.heartbeats
            && h.beat(id) == Beat::Asleep
            && let Some(t) = h.last_renewal(id, self.visible(Resource::Leases))
        {
            return Some((t.as_micros() as i64, lease_version(t)));
        }
        let told = |l: &Lease| (l.renew_time_us, l.resource_version);
        self.caches.with(|c| c.leases.get(id.index()).and_then(Option::as_ref).map(told))
    }

    /// When the API server took the newest renewal of a node's lease, whether or not the cache has
    /// it.
    pub(crate) fn newest_renewal(&self, id: NodeId) -> Option<Time> {
        self.ctx.reads(self.kubelets_key);
        if let Some(h) = &self.heartbeats
            && h.beat(id) == Beat::Asleep
            && let Some(t) = h.last_renewal(id, self.ctx.now())
        {
            return Some(t);
        }
        self.api.lease(id).map(|l| lease_renewed(l.resource_version))
    }

    /// The heartbeat of a node's Ready condition as the cache had it when this version was listed.
    /// Posts that were computed then are not in the version.
    pub(crate) fn heartbeat(&self, node: &Node, listed: Time) -> Option<Timestamp> {
        let cached = node.ready()?.last_heartbeat_time;
        self.ctx.reads(self.kubelets_key);
        if let Some(h) = &self.heartbeats
            && h.beat(node.id) == Beat::Asleep
        {
            let post = h.last_post(node.id, self.visible_at(Resource::Nodes, listed));
            return Some(post.map_or(cached, |post| post.max(cached)));
        }
        Some(cached)
    }

    /// What is to be expected of a node's heartbeats.
    pub(crate) fn beat(&self, id: NodeId) -> Beat {
        self.ctx.reads(self.kubelets_key);
        self.heartbeats.as_ref().map_or(Beat::Awake, |h| h.beat(id))
    }

    /// Whether heartbeats of healthy nodes are computed at present.
    pub(crate) fn heartbeats_are_computed(&self) -> bool {
        self.ctx.reads(self.kubelets_key);
        self.heartbeats.as_ref().is_some_and(|h| h.are_computed())
    }

    /// The latest renewal of a node's lease that had reached the caches by `at`, where heartbeats
    /// are computed.
    pub(crate) fn renewal_seen(&self, id: NodeId, at: Time) -> Option<Time> {
        self.heartbeats.as_ref()?.last_renewal(id, self.visible_at(Resource::Leases, at))
    }

    /// The heartbeat of the latest status post that had reached the caches by `at`, where
    /// heartbeats are computed.
    pub(crate) fn post_seen(&self, id: NodeId, at: Time) -> Option<Timestamp> {
        self.heartbeats.as_ref()?.last_post(id, self.visible_at(Resource::Nodes, at))
    }

    /// When the latest two status posts of a sleeping node reached the caches, of those that did and
    /// were made before this instant; the earlier one first.
    pub(crate) fn posts_arrived(&self, id: NodeId) -> impl Iterator<Item = Time> {
        let before = self.ctx.now().saturating_sub(Dur::from_nanos(1));
        let seen = self.visible(Resource::Nodes).min(before);
        let posts = self.heartbeats.as_ref().map(|h| h.last_posts(id, seen));
        posts.into_iter().flatten().flatten().map(|made| self.arrives(Resource::Nodes, made))
    }

    /// When a renewal that was made at `made` reaches the caches.
    pub(crate) fn renewal_arrives(&self, made: Time) -> Time {
        self.arrives(Resource::Leases, made)
    }

    /// The newest resourceVersion that the lease cache has seen (`LastStoreSyncResourceVersion`).
    pub(crate) fn lease_version(&self) -> u64 {
        if self.heartbeats_are_computed() {
            return self.lease_version.get().max(lease_version(self.visible(Resource::Leases)));
        }
        self.lease_version.get()
    }

    /// The newest version of a pod or workload of this kind that has reached the cache
    /// (`LastStoreSyncResourceVersion`, except for deletions).
    pub(crate) fn delivered(&self, resource: Resource) -> u64 {
        self.reads_all(resource);
        self.delivered[resource as usize].get()
    }

    /// All nodes in the cache, by id; upstream's lister has no order.
    pub(crate) fn nodes(&self) -> Vec<Rc<Node>> {
        self.reads_all(Resource::Nodes);
        self.caches.with(|c| c.nodes.iter().flatten().cloned().collect())
    }

    /// All nodes in the cache as it is now, by id.
    pub(crate) fn nodes_as_they_are(&self) -> Nodes {
        self.reads_all(Resource::Nodes);
        self.caches.with(|c| c.nodes.clone())
    }

    /// The pods of a node in the cache, in the order in which they came; upstream's index has no
    /// order.
    pub(crate) fn pods_on(&self, node: NodeId) -> Vec<Rc<Pod>> {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| match c.pods_by_node.get(node.index()) {
            Some(ids) => ids.iter().filter_map(|id| c.pods[id.index()].clone()).collect(),
            None => Vec::new(),
        })
    }

    /// The pods of a workload in the cache, by id; those of an earlier life of it included.
    pub(crate) fn pods_of(&self, owner: WorkloadId) -> Vec<Rc<Pod>> {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| match c.pods_by_owner.get(owner.index()) {
            Some(ids) => ids.iter().filter_map(|id| c.pods[id.index()].clone()).collect(),
            None => Vec::new(),
        })
    }

    /// All pods in the cache, by id; upstream's lister has no order.
    pub(crate) fn pods(&self) -> Vec<Rc<Pod>> {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| c.pods.iter().flatten().cloned().collect())
    }

    /// A workload as the cache has it.
    pub(crate) fn workload(&self, id: WorkloadId) -> Option<Rc<Workload>> {
        self.reads_workloads();
        self.caches.with(|c| c.workloads.get(id.index()).cloned().flatten())
    }

    /// All workloads of a kind in the cache, by id.
    pub(crate) fn workloads(&self, kind: WorkloadKind) -> Vec<Rc<Workload>> {
        self.reads_all(kind.into());
        self.caches.with(|c| {
            let ids = &c.workloads_by_kind[Resource::from(kind) as usize];
            ids.iter().filter_map(|id| c.workloads[id.index()].clone()).collect()
        })
    }

    /// The workloads that one life of a workload owns, ReplicaSets of a Deployment, by id.
    pub(crate) fn workloads_of(&self, owner: (WorkloadId, Uid)) -> Vec<Rc<Workload>> {
        self.reads_workloads();
        self.caches.with(|c| {
            let ids = c.workloads_by_owner.get(owner.0.index()).into_iter().flatten();
            let all = ids.filter_map(|id| c.workloads[id.index()].clone());
            all.filter(|w| w.owner == Some(owner)).collect()
        })
    }

    /// How many times a workload came or went or its life, owner or replicas changed in the cache;
    /// and of those after the first `since`, which workloads they were about, with those that they
    /// own.
    pub(crate) fn scale_changes(&self, since: usize) -> (usize, Vec<WorkloadId>) {
        self.reads_workloads();
        self.caches.with(|c| {
            let owned = |id: &WorkloadId| {
                c.workloads_by_owner.get(id.index()).into_iter().flatten().copied()
            };
            let changed = c.rescaled.get(since..).unwrap_or_default();
            (c.rescaled.len(), changed.iter().flat_map(|id| owned(id).chain([*id])).collect())
        })
    }

    /// A disruption budget as the cache has it.
    pub(crate) fn budget(&self, id: WorkloadId) -> Option<Rc<Budget>> {
        self.reads(Resource::Budgets, id.index());
        self.caches.with(|c| c.budgets.get(id.index()).cloned().flatten())
    }

    /// All disruption budgets in the cache, by id.
    pub(crate) fn budgets(&self) -> Vec<Rc<Budget>> {
        self.reads_all(Resource::Budgets);
        self.caches.with(|c| c.budgets.iter().flatten().cloned().collect())
    }

    /// The ResourceSlices of a node as the cache has them.
    pub(crate) fn slices_of(&self, node: NodeId) -> Option<Rc<ResourceSlices>> {
        self.reads(Resource::ResourceSlices, node.index());
        self.caches.with(|c| c.slices.get(&node).cloned())
    }

    /// All ResourceSlices in the cache, by node.
    pub(crate) fn slices(&self) -> Vec<Rc<ResourceSlices>> {
        self.reads_all(Resource::ResourceSlices);
        self.caches.with(|c| c.slices.values().cloned().collect())
    }

    /// A DeviceTaintRule as the cache has it.
    pub(crate) fn rule(&self, name: TextId) -> Option<Rc<DeviceTaintRule>> {
        self.reads_all(Resource::DeviceTaintRules);
        self.caches.with(|c| c.rules.get(&name).cloned())
    }

    /// All DeviceTaintRules in the cache, by name.
    pub(crate) fn rules(&self) -> Vec<Rc<DeviceTaintRule>> {
        self.reads_all(Resource::DeviceTaintRules);
        self.caches.with(|c| c.rules.values().cloned().collect())
    }

    /// A NodeReadinessRule as the cache has it.
    pub(crate) fn readiness_rule(&self, name: TextId) -> Option<Rc<NodeReadinessRule>> {
        self.reads_all(Resource::NodeReadinessRules);
        self.caches.with(|c| c.readiness_rules.get(&name).cloned())
    }

    /// All NodeReadinessRules in the cache, by name.
    pub(super) fn readiness_rules(&self) -> Vec<Rc<NodeReadinessRule>> {
        self.caches.with(|c| c.readiness_rules.values().cloned().collect())
    }

    /// What the claims of a life of a pod have been allocated, as the cache has it.
    pub(crate) fn allocation(&self, uid: Uid) -> Option<Rc<Allocation>> {
        self.reads_all(Resource::ResourceClaims);
        self.caches.with(|c| c.allocations.get(&uid).cloned())
    }

    /// The same of all lives of pods that have some.
    pub(super) fn allocations(&self) -> Vec<Rc<Allocation>> {
        self.caches.with(|c| c.allocations.values().cloned().collect())
    }

    /// The lives of pods for which a claim that pods share is reserved, as the cache has it.
    pub(crate) fn reserved_for(&self, name: &str) -> Vec<Rc<Allocation>> {
        self.reads_all(Resource::ResourceClaims);
        let is_its = |a: &&Rc<Allocation>| a.has_reserved(name);
        self.caches.with(|c| c.allocations.values().filter(is_its).cloned().collect())
    }

    /// The devices of a claim that pods share, if it is allocated, as the cache has it.
    pub(crate) fn shared_devices(&self, name: &str) -> Option<Vec<DeviceResult>> {
        self.reads_all(Resource::ResourceClaims);
        self.caches.with(|c| c.allocations.values().find_map(|a| a.of_shared(name).cloned()))
    }

    /// A claim that pods share, as the cache has it.
    pub(crate) fn shared_claim(&self, name: &Rc<str>) -> Rc<SharedClaim> {
        self.reads_all(Resource::ResourceClaims);
        let known = self.caches.with(|c| c.claims.get(name).cloned());
        known.unwrap_or_else(|| SharedClaim { name: name.clone(), ..Default::default() }.into())
    }

    /// All devices that somebody has, as the cache has it.
    pub(crate) fn allocated_devices(&self) -> BTreeSet<DeviceId> {
        self.reads_all(Resource::ResourceClaims);
        let of = |a: &Rc<Allocation>| a.all().collect::<Vec<_>>();
        self.caches.with(|c| c.allocations.values().flat_map(of).collect())
    }

    /// A node's name.
    pub(crate) fn name_of(&self, node: NodeId) -> String {
        self.api.names(|n| n.node_name(node).to_owned())
    }

    /// Whether any pod of the cache is on a node.
    pub(crate) fn has_pods_on(&self, node: NodeId) -> bool {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| c.pods_by_node.get(node.index()).is_some_and(|ids| !ids.is_empty()))
    }

    /// All nodes.
    pub(super) fn listed_nodes(&self) -> Vec<Rc<Node>> {
        self.nodes_by_name(self.api.nodes())
    }

    /// All pods.
    pub(super) fn listed_pods(&self) -> Vec<Rc<Pod>> {
        self.pods_by_name(self.api.pods())
    }

    /// Nodes in the order of a list.
    pub(super) fn nodes_by_name(&self, nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        self.sorted(nodes, |n, node| n.node_name(node.id))
    }

    /// Pods in the order of a list.
    pub(super) fn pods_by_name(&self, pods: Vec<Rc<Pod>>) -> Vec<Rc<Pod>> {
        self.sorted(pods, |n, pod| n.pod_name(pod.id))
    }

    /// All workloads.
    pub(super) fn listed_workloads(&self) -> Vec<Rc<Workload>> {
        self.sorted(self.api.workloads(), |n, workload| n.workload_name(workload.id))
    }

    /// All disruption budgets.
    pub(super) fn listed_budgets(&self) -> Vec<Rc<Budget>> {
        self.sorted(self.api.budgets(), |n, budget| n.workload_name(budget.id))
    }

    /// Objects by their names, each of which is looked up once.
    fn sorted<T>(
        &self,
        all: Vec<Rc<T>>,
        name: impl for<'a> Fn(&'a Names, &T) -> &'a str,
    ) -> Vec<Rc<T>> {
        self.api.names(|n| {
            let n: &Names = n;
            let mut named: Vec<(&str, Rc<T>)> =
                all.into_iter().map(|one| (name(n, &one), one)).collect();
            named.sort_unstable_by_key(|(name, _)| *name);
            named.into_iter().map(|(_, one)| one).collect()
        })
    }
}
