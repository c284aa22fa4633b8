//! The resources that controllers watch.

use crate::api::names::stable_hash;
use crate::api::workload::WorkloadKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A resource that controllers watch.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
pub enum Resource {
    /// Nodes.
    Nodes,
    /// Pods.
    Pods,
    /// Node leases.
    Leases,
    /// Deployments.
    Deployments,
    /// ReplicaSets.
    ReplicaSets,
    /// StatefulSets.
    StatefulSets,
    /// DaemonSets.
    DaemonSets,
    /// Jobs.
    Jobs,
    /// PodDisruptionBudgets; no fault is about their watches.
    #[serde(skip)]
    Budgets,
    /// ResourceSlices; no fault is about their watches.
    #[serde(skip)]
    ResourceSlices,
    /// DeviceTaintRules; no fault is about their watches.
    #[serde(skip)]
    DeviceTaintRules,
    /// ResourceClaims; no fault is about their watches.
    #[serde(skip)]
    ResourceClaims,
}

impl Resource {
    /// How many there are.
    pub(crate) const COUNT: usize = 12;
    /// All of them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Nodes,
        Self::Pods,
        Self::Leases,
        Self::Deployments,
        Self::ReplicaSets,
        Self::StatefulSets,
        Self::DaemonSets,
        Self::Jobs,
        Self::Budgets,
        Self::ResourceSlices,
        Self::DeviceTaintRules,
        Self::ResourceClaims,
    ];

    /// What the watch of it is known by in choices, of the process of that number: kube-controller-manager's
    /// is 0, kube-scheduler's 1.
    pub(crate) fn watch_hash(self, process: u32) -> u64 {
        stable_hash(self.name()).wrapping_add(process.into())
    }

    /// Its name in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Pods => "pods",
            Self::Leases => "leases",
            Self::Deployments => "deployments",
            Self::ReplicaSets => "replicasets",
            Self::StatefulSets => "statefulsets",
            Self::DaemonSets => "daemonsets",
            Self::Jobs => "jobs",
            Self::Budgets => "poddisruptionbudgets",
            Self::ResourceSlices => "resourceslices",
            Self::DeviceTaintRules => "devicetaintrules",
            Self::ResourceClaims => "resourceclaims",
        }
    }

    /// What a search calls its cache.
    pub(crate) const fn cache(self) -> &'static str {
        match self {
            Self::Nodes => "cached-nodes",
            Self::Pods => "cached-pods",
            Self::Leases => "cached-leases",
            Self::Deployments => "cached-deployments",
            Self::ReplicaSets => "cached-replicasets",
            Self::StatefulSets => "cached-statefulsets",
            Self::DaemonSets => "cached-daemonsets",
            Self::Jobs => "cached-jobs",
            Self::Budgets => "cached-budgets",
            Self::ResourceSlices => "cached-resourceslices",
            Self::DeviceTaintRules => "cached-devicetaintrules",
            Self::ResourceClaims => "cached-resourceclaims",
        }
    }
}

impl From<WorkloadKind> for Resource {
    fn from(kind: WorkloadKind) -> Self {
        match kind {
            WorkloadKind::Deployment => Self::Deployments,
            WorkloadKind::ReplicaSet => Self::ReplicaSets,
            WorkloadKind::StatefulSet => Self::StatefulSets,
            WorkloadKind::DaemonSet => Self::DaemonSets,
            WorkloadKind::Job => Self::Jobs,
        }
    }
}
