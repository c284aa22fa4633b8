//! What changed in the pod garbage collector from release to release.

/// What changed in the pod garbage collector from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Terminating pods on nodes tainted `node.kubernetes.io/out-of-service` are deleted with grace 0 (S10, gate
    /// NodeOutOfServiceVolumeDetach).
    pub out_of_service: bool,
    /// Pods are patched to phase Failed before they are deleted, orphans with the condition DisruptionTarget
    /// (S11, gate PodDisruptionConditions).
    pub marks_failed: bool,
    /// Of the terminated pods over the threshold those that were Evicted go first (1.27 on).
    pub evicted_first: bool,
}
