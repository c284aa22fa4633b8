//! The resources that controllers watch, and what faults do to their watches.

use crate::api::workload::WorkloadKind;
use crate::kernel::{Dur, Shared, Time};

/// Index of a resource in [`WatchLags`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resource {
    /// Nodes.
    Nodes = 0,
    /// Pods.
    Pods = 1,
    /// Leases.
    Leases = 2,
    /// Deployments.
    Deployments = 3,
    /// ReplicaSets.
    ReplicaSets = 4,
    /// StatefulSets.
    StatefulSets = 5,
    /// DaemonSets.
    DaemonSets = 6,
    /// Jobs.
    Jobs = 7,
    /// PodDisruptionBudgets.
    Budgets = 8,
}

impl Resource {
    pub(super) const COUNT: usize = 9;
    /// All of them.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Nodes,
        Self::Pods,
        Self::Leases,
        Self::Deployments,
        Self::ReplicaSets,
        Self::StatefulSets,
        Self::DaemonSets,
        Self::Jobs,
        Self::Budgets,
    ];
}

impl Resource {
    /// Its name in the API.
    pub(crate) const fn name(self) -> &'static str {
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
        }
    }

    /// What a search calls its cache.
    pub(super) const fn cache(self) -> &'static str {
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

#[derive(Clone, Copy, Default)]
pub(super) struct Trouble {
    pub(super) lag: Dur,
    pub(super) stalled_until: Time,
}

/// What faults do to watches, for every process that watches.
#[derive(Default)]
pub(crate) struct WatchLags {
    by_resource: Shared<[Trouble; Resource::COUNT]>,
}

impl WatchLags {
    /// Watches of a resource deliver `lag` later from now on.
    pub(crate) fn set_lag(&self, resource: Resource, lag: Dur) {
        self.by_resource.with(|t| t[resource as usize].lag = lag);
    }

    /// Watches of a resource deliver nothing until `until`.
    pub(crate) fn stall(&self, resource: Resource, until: Time) {
        self.by_resource.with(|t| t[resource as usize].stalled_until = until);
    }

    pub(super) fn of(&self, resource: Resource) -> Trouble {
        self.by_resource.with(|t| t[resource as usize])
    }
}
