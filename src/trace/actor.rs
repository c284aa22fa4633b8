//! Who does things in a run.

/// Who did it, under the name that recorded timelines use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// The scenario's user, and faults.
    User,
    /// A kubelet.
    Kubelet,
    /// The node lifecycle controller.
    NodeLifecycle,
    /// The taint eviction controller (up to 1.28 the taint manager within the node lifecycle
    /// controller).
    TaintEviction,
    /// The API server itself: admission.
    ApiServer,
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
    /// The disruption controller, which keeps the status of PodDisruptionBudgets.
    Disruption,
    /// The scheduler.
    Scheduler,
}

impl Actor {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::User,
        Self::Kubelet,
        Self::NodeLifecycle,
        Self::TaintEviction,
        Self::ApiServer,
        Self::PodGc,
        Self::GarbageCollector,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::DaemonSet,
        Self::Job,
        Self::Cloud,
        Self::Disruption,
        Self::Scheduler,
    ];

    /// The name that recorded timelines use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Kubelet => "kubelet",
            Self::NodeLifecycle => "node-lifecycle",
            Self::TaintEviction => "taint-eviction",
            Self::ApiServer => "api-server",
            Self::PodGc => "pod-gc",
            Self::GarbageCollector => "garbage-collector",
            Self::Deployment => "deployment",
            Self::ReplicaSet => "replicaset",
            Self::StatefulSet => "statefulset",
            Self::DaemonSet => "daemonset",
            Self::Job => "job",
            Self::Cloud => "cloud",
            Self::Disruption => "disruption",
            Self::Scheduler => "scheduler",
        }
    }
}
