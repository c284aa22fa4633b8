//! What changed in the workload controllers from release to release.

use crate::kernel::Dur;

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
    /// The Job controller's.
    pub job: JobSwitches,
}

/// What changed in the Job controller from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSwitches {
    /// How long changes of pods are collected before a sync: not at all up to 1.22, 500 ms in 1.23, 1 s from 1.24.
    pub batch_period: Dur,
    /// How long a sync that failed waits: first, and at the most.
    pub retry: (Dur, Dur),
    /// Pods carry a finalizer until they are counted, and a pod whose deletion has begun counts as failed (gate
    /// JobTrackingWithFinalizers, on from 1.25).
    pub tracking_finalizers: bool,
    /// Replacements wait 10 s, doubling up to this, after the last failure (1.27 on); before, the whole Job waited.
    pub failure_backoff: Option<Dur>,
    /// `spec.podFailurePolicy` is honoured (gate JobPodFailurePolicy, on from 1.26).
    pub pod_failure_policy: bool,
    /// `spec.podReplacementPolicy` is honoured (gate JobPodReplacementPolicy, on from 1.29).
    pub pod_replacement_policy: bool,
    /// A Job is Complete or Failed only once no pod is terminating (1.31 on).
    pub delays_terminal_condition: bool,
}
