//! What changed in the pod garbage collector from release to release.

/// What changed in the pod garbage collector from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// Pods of a node that is gone are deleted 40 s later, once the API server does not know the node either (S105, 1.17
    /// on). Before, each pass lists the nodes from there and deletes them at once.
    pub(crate) quarantine: bool,
    /// Terminating pods on nodes tainted `node.kubernetes.io/out-of-service` are deleted with grace
    /// 0 (S10, gate NodeOutOfServiceVolumeDetach).
    pub(crate) out_of_service: bool,
    /// Pods are patched to phase Failed before they are deleted (S11, gate PodDisruptionConditions;
    /// from 1.28 on gate JobPodReplacementPolicy is enough).
    pub(crate) marks_failed: bool,
    /// Orphans get the condition DisruptionTarget with that (S11, gate PodDisruptionConditions).
    pub(crate) disruption_target: bool,
    /// Pods that their kubelet evicted go before older ones (S109).
    pub(crate) evicted_first: bool,
    /// The period can be set from outside, so that recorded timelines have the time that a pass
    /// takes in it (1.25 on). Before, where clocks stand still, the end of a quarantine and a pass
    /// meet in one instant.
    pub(crate) settable_period: bool,
}
