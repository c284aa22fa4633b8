//! Which workload a pod belongs to, and how many pods somebody asked a workload for, as records tell
//! it.

use super::beneath::*;
use super::setting::Analysis;

/// The workload that people take a pod to belong to: of a Deployment's pod the Deployment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// By workload: the one that owns it, or itself.
    pub(super) root: Vec<WorkloadId>,
}

impl Owners {
    /// Finds out who owns whom: from the plan, and from the ReplicaSets that Deployments made,
    /// whose names say it.
    pub(crate) fn new(analysis: &Analysis<'_>) -> Self {
        let names = &analysis.trace.names;
        let mut root: Vec<WorkloadId> = (0..names.workloads() as u32).map(WorkloadId).collect();
        let plans = &analysis.plan.workloads;
        for w in plans {
            let owner = w.owner.and_then(|o| names.find_workload(&plans[o as usize].name));
            if let (Some(id), Some(owner)) = (names.find_workload(&w.name), owner) {
                root[id.index()] = owner;
            }
        }
        let is_made = |what| matches!(what, What::WorkloadCreated(_));
        let by_deployments = analysis.trace.iter().filter(|r| r.actor == Actor::Deployment);
        for r in by_deployments.filter(|r| is_made(r.what)) {
            let set = names.workload_name(WorkloadId(r.object));
            let name = set.replacen("ReplicaSet", "Deployment", 1);
            let deployment = name.rsplit_once('-').map(|(deployment, _)| deployment);
            let owner = deployment.and_then(|deployment| names.find_workload(deployment));
            if let (Some(owner), Some(slot)) = (owner, root.get_mut(r.object as usize)) {
                *slot = owner;
            }
        }
        Owners { root }
    }

    /// Whether there are no workloads at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_empty()
    }

    /// The workload that owns another one, or itself.
    pub(crate) fn root_of(&self, workload: WorkloadId) -> Option<WorkloadId> {
        self.root.get(workload.index()).copied()
    }

    pub(crate) fn of(&self, analysis: &Analysis<'_>, pod: PodId) -> Option<WorkloadId> {
        self.root.get(analysis.trace.names.owner_of(pod)?.index()).copied()
    }
}

/// How many pods a workload's spec asks for from this record on, of a Job its parallelism; none where
/// the record does not change it.
pub(super) fn asked_from(record: &Record) -> Option<u32> {
    match record.what {
        What::WorkloadCreated(n) | What::WorkloadScaled(n) => Some(n.max(0) as u32),
        What::WorkloadDeleted => Some(0),
        _ => None,
    }
}
