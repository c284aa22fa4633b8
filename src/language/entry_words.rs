//! What entries of the timeline take: whom a partition cuts off, whose requests are rejected, who leads after a restart, and
//! how nodes are drained and maintained.

use crate::language::prelude::*;

/// Whom a partition cuts nodes off from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Cut {
    /// From everybody: kubelets cannot report, and nobody reaches their pods.
    #[default]
    Network,
    /// From the API server alone: kubelets cannot report, and clients still reach the pods.
    ApiServer,
}

/// Who takes over when the controllers' process has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum RestartKind {
    /// Another process that stands by, once the old lease has run out.
    Standby,
    /// The same one, started again: it waits out its own old lease.
    Same,
}

/// A client of the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ApiClient {
    /// The node lifecycle controller.
    NodeLifecycle,
    /// The taint eviction controller, whose client up to 1.28 is the node lifecycle controller's.
    TaintEviction,
    /// The pod garbage collector.
    PodGc,
    /// The garbage collector of owner references.
    GarbageCollector,
    /// The Deployment controller.
    Deployment,
    /// The ReplicaSet controller.
    ReplicaSet,
    /// The StatefulSet controller.
    StatefulSet,
    /// The DaemonSet controller.
    DaemonSet,
    /// The Job controller.
    Job,
    /// The cloud controllers.
    Cloud,
    /// The disruption controller.
    Disruption,
    /// The scheduler, with both of its clients.
    Scheduler,
    /// The attach/detach controller.
    AttachDetach,
    /// The device taint eviction controller.
    DeviceTaintEviction,
    /// The resourceclaim controller.
    ResourceClaim,
    /// The node readiness controller.
    NodeReadiness,
    /// `kubectl drain`, that of maintenances too.
    Kubectl,
}

/// The flags of `kubectl drain` in a maintenance.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrainFlags {
    /// `--force`: pods without a controller go, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) force: bool,
    /// `--ignore-daemonsets`: their pods stay, and go down with the machine; true where not given,
    /// as no machine could be maintained otherwise.
    pub(crate) ignore_daemonsets: Option<bool>,
    /// `--delete-emptydir-data`: pods with an emptyDir go, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) delete_emptydir_data: bool,
    /// `--disable-eviction`: plain deletions, which no budget stops.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disable_eviction: bool,
    /// `--grace-period`; the pods' own where not given.
    #[serde(rename = "gracePeriodSeconds")]
    pub(crate) grace_period_seconds: Option<i64>,
    /// `--timeout` of each node; it waits for ever where not given.
    pub(crate) timeout: Option<DurationText>,
    /// `--skip-wait-for-delete-timeout`
    pub(crate) skip_wait_for_delete_timeout: Option<DurationText>,
}

/// What comes of a node that is Ready again after its maintenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Afterwards {
    /// It is uncordoned.
    Uncordon,
    /// It stays cordoned.
    Leave,
}
