//! What changed in the workload controllers from release to release.

/// How a Deployment tells that it scaled its ReplicaSet (`deployment/sync.go: scaleReplicaSet`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingText {
    /// "Scaled up replica set R to N", up to 1.24.
    To,
    /// "Scaled up replica set R to N from M", 1.25 on; of a new one "to N".
    ToFrom,
    /// "Scaled up replica set R from M to N".
    FromTo,
}

/// What changed in the controllers of ReplicaSets and Deployments from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Ages of pods are compared by their logarithm when a ReplicaSet picks which to delete (gate LogarithmicScaleDown).
    pub logarithmic_scale_down: bool,
    /// `status.terminatingReplicas` is kept (gate DeploymentReplicaSetTerminatingReplicas).
    pub terminating_replicas: bool,
    /// The next check of availability is computed from the pods' ages (1.34 on); otherwise it comes after minReadySeconds
    /// once all pods are ready.
    pub exact_availability_check: bool,
    /// The words of the event ScalingReplicaSet.
    pub scaling_text: ScalingText,
}
