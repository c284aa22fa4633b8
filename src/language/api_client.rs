//! Whose requests an entry of the timeline rejects.

use crate::language::prelude::*;

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
