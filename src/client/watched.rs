//! What informers are about: resources, those who are told of changes, and how long watches take.

use super::delay::Delay;
use crate::api::budget::Budget;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::api::workload::{Workload, WorkloadKind};
use crate::kernel::{Dur, Shared, Time};
use std::rc::Rc;

/// Is told of changes of nodes, in the cache's order. An add has no old version, a deletion no new one.
pub trait NodeHandler {
    /// A node changed in the cache.
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>);
}

/// Is told of changes of pods, in the cache's order. An add has no old version, a deletion no new one.
pub trait PodHandler {
    /// A pod changed in the cache.
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>);
}

/// Is told of changes of workloads of every kind, in the order of each kind's cache. An add has no old version, a deletion no
/// new one.
pub trait WorkloadHandler {
    /// A workload changed in the cache.
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>);
}

/// Is told of new versions of disruption budgets; these are never deleted.
pub trait BudgetHandler {
    /// A budget changed in the cache.
    fn budget(&self, new: &Rc<Budget>);
}

/// How long watches take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InformerTiming {
    /// From sending LIST to its being served.
    pub request: Dur,
    /// From serving LIST to its reply.
    pub response: Dur,
    /// From a change to its delivery.
    pub watch: Delay,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Trouble {
    pub(super) lag: Dur,
    pub(super) stalled_until: Time,
}

/// What faults do to watches, for every process that watches.
#[derive(Default)]
pub struct WatchLags {
    by_resource: Shared<[Trouble; Resource::COUNT]>,
}

/// Index of a resource in [`WatchLags`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resource {
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
    pub(super) const ALL: [Self; Self::COUNT] = [
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

impl WatchLags {
    /// Watches of a resource deliver so much later from now on.
    pub fn set_lag(&self, resource: Resource, lag: Dur) {
        self.by_resource.with(|t| t[resource as usize].lag = lag);
    }

    /// Watches of a resource deliver nothing until then.
    pub fn stall(&self, resource: Resource, until: Time) {
        self.by_resource.with(|t| t[resource as usize].stalled_until = until);
    }

    pub(super) fn of(&self, resource: Resource) -> Trouble {
        self.by_resource.with(|t| t[resource as usize])
    }
}
