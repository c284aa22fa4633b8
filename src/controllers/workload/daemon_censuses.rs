//! What is known of every DaemonSet between its syncs: the template of its pods, and its census.

use super::daemon_census::DaemonCensus;
use super::daemon_pods::{DaemonTemplate, pinned_name};
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::DaemonSetSwitches;

/// The templates and censuses of all DaemonSets.
pub(super) struct DaemonCensuses {
    core: Rc<Core>,
    switches: DaemonSetSwitches,
    templates: Shared<BTreeMap<WorkloadId, DaemonTemplate>>,
    /// Of the DaemonSets that were synced.
    censuses: Shared<BTreeMap<WorkloadId, DaemonCensus>>,
}

impl DaemonCensuses {
    /// No DaemonSet was synced yet.
    pub(super) fn new(core: &Rc<Core>, switches: DaemonSetSwitches) -> Self {
        DaemonCensuses {
            core: core.clone(),
            switches,
            templates: Shared::new(BTreeMap::new()),
            censuses: Shared::new(BTreeMap::new()),
        }
    }

    /// What a DaemonSet makes of a node.
    pub(super) fn should_run(&self, ds: &Workload, node: &Node) -> ShouldRun {
        self.core.client.api().names(|n| {
            let (name, comparison_operators) =
                (n.node_name(node.id), self.switches.comparison_operators);
            self.with_template(ds, |t| t.should_run(ds, node, name, comparison_operators))
        })
    }

    /// The template of a DaemonSet's pod on a node.
    pub(super) fn pinned_template(&self, ds: &Workload, node: NodeId) -> Rc<PodTemplate> {
        self.core.client.api().names(|n| {
            let name = n.node_name(node);
            self.with_template(ds, |t| t.pinned_to(node, name))
        })
    }

    /// The template of a DaemonSet's pods, made anew when the DaemonSet's has changed.
    fn with_template<R>(&self, ds: &Workload, f: impl FnOnce(&mut DaemonTemplate) -> R) -> R {
        self.templates.with(|all| {
            let template = all.entry(ds.id).or_insert_with(|| DaemonTemplate::new(ds));
            if !template.is_of(ds) {
                *template = DaemonTemplate::new(ds);
            }
            f(template)
        })
    }

    /// The node that a pod is on, or pinned to.
    fn node_of(&self, pod: &Pod) -> Option<NodeId> {
        pod.node
            .or_else(|| self.core.client.api().names(|n| n.find_node(pinned_name(&pod.template)?)))
    }

    /// The census of a DaemonSet, its nodes as they are now: a sync that has begun keeps to them.
    pub(super) fn begin(&self, ds: &Workload) {
        let informers = &self.core.informers;
        informers.reads_all(Resource::Nodes);
        if self.censuses.with(|all| all.get(&ds.id).is_none_or(|c| c.uid != ds.uid)) {
            let mut census = DaemonCensus::new(ds.uid, self.switches);
            for pod in informers.pods_of(ds.id) {
                census.pod_changed(None, Some(&pod), |p| self.node_of(p));
            }
            self.censuses.with(|all| all.insert(ds.id, census));
        }
        let should = |id| Some(self.should_run(ds, &*informers.node(id)?));
        self.censuses.with(|all| {
            if let Some(census) = all.get_mut(&ds.id) {
                census.take_nodes(ds, || informers.nodes().iter().map(|n| n.id).collect(), should);
            }
        });
    }

    /// Tells the censuses of the DaemonSets that it may concern of a change of a pod.
    pub(super) fn pod_changed(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let owner = |p: &Rc<Pod>| p.controller().map(|(owner, _)| owner);
        let (was, is) = (old.and_then(owner), new.and_then(owner));
        for (owner, old, new) in if was == is {
            [(is, old, new), (None, None, None)]
        } else {
            [(was, old, None), (is, None, new)]
        } {
            let Some(owner) = owner else { continue };
            self.censuses.with(|all| {
                if let Some(census) = all.get_mut(&owner) {
                    let (old, new) = (old.map(|p| &**p), new.map(|p| &**p));
                    census.pod_changed(old, new, |p| self.node_of(p));
                }
            });
        }
    }

    /// The census of a DaemonSet, its pods as they are now.
    pub(super) fn with_census<R>(
        &self,
        ds: &Workload,
        f: impl FnOnce(&DaemonCensus) -> R,
    ) -> Option<R> {
        self.core.informers.reads_all(Resource::Pods);
        let (names, now) = (self.core.client.api(), self.core.ctx.now());
        let find =
            |id| names.names(|n| n.find_node(pinned_name(&self.core.informers.pod(id)?.template)?));
        let oldest_first = |ids: &[PodId]| {
            let mut pods = self.pods_among(ids);
            self.sort_oldest_first(&mut pods);
            pods
        };
        self.censuses.with(|all| {
            let census = all.get_mut(&ds.id)?;
            let is_available = |p: &Pod| p.is_available(ds.min_ready_seconds, now);
            census.take_pods(find, oldest_first, is_available);
            Some(f(census))
        })
    }

    /// Those of these pods that are in the cache.
    pub(super) fn pods_among(&self, ids: &[PodId]) -> Vec<Rc<Pod>> {
        ids.iter().filter_map(|id| self.core.informers.pod(*id)).collect()
    }

    /// `podByCreationTimestampAndPhase`: those on a node first, then by age and name.
    pub(super) fn sort_oldest_first(&self, pods: &mut [Rc<Pod>]) {
        if pods.len() > 1 {
            let key = |p: &Rc<Pod>| (p.node.is_none(), p.creation_timestamp);
            let api = self.core.client.api();
            api.names(|n| pods.sort_by_cached_key(|p| (key(p), n.pod_name(p.id).to_owned())));
        }
    }

    /// A node came, went, or has other labels or taints.
    pub(super) fn node_changed(&self, node: NodeId) {
        self.censuses.with(|all| all.values_mut().for_each(|c| c.node_changed(node)));
    }

    /// The DaemonSet is gone.
    pub(super) fn forget(&self, ds: WorkloadId) {
        self.censuses.with(|all| all.remove(&ds));
    }
}
