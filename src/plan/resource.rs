//! The resources that controllers watch.

use crate::api::names::stable_hash;
use crate::api::words::words;
use crate::api::workload::WorkloadKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

words! {
    /// A resource that controllers watch.
    #[derive(Deserialize, Serialize, JsonSchema)]
    pub enum Resource {
        /// Nodes.
        Nodes = "nodes",
        /// Pods.
        Pods = "pods",
        /// Node leases.
        Leases = "leases",
        /// Deployments.
        Deployments = "deployments",
        /// ReplicaSets.
        ReplicaSets = "replicasets",
        /// StatefulSets.
        StatefulSets = "statefulsets",
        /// DaemonSets.
        DaemonSets = "daemonsets",
        /// Jobs.
        Jobs = "jobs",
        /// PodDisruptionBudgets; no fault is about their watches.
        #[serde(skip)]
        Budgets = "poddisruptionbudgets",
        /// ResourceSlices; no fault is about their watches.
        #[serde(skip)]
        ResourceSlices = "resourceslices",
        /// DeviceTaintRules; no fault is about their watches.
        #[serde(skip)]
        DeviceTaintRules = "devicetaintrules",
        /// ResourceClaims; no fault is about their watches.
        #[serde(skip)]
        ResourceClaims = "resourceclaims",
        /// NodeReadinessRules; no fault is about their watches.
        #[serde(skip)]
        NodeReadinessRules = "nodereadinessrules",
    }
}

impl Resource {
    /// How many there are.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// What the watch of it is known by in choices, of the process of that number: kube-controller-manager's
    /// is 0, kube-scheduler's 1.
    pub(crate) fn watch_hash(self, process: u32) -> u64 {
        stable_hash(self.as_str()).wrapping_add(process.into())
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
