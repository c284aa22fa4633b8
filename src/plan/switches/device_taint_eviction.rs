//! What changed in the device taint eviction controller from release to release.

/// What changed in the device taint eviction controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// Taints of devices are heeded (S60, gate DRADeviceTaints).
    pub(crate) taints: bool,
    /// DeviceTaintRules are looked at (S60, gate DRADeviceTaintRules).
    pub(crate) rules: bool,
    /// What a claim tolerates is part of its allocation (S77); before nobody tolerates a taint that evicts.
    pub(crate) allocated_tolerations: bool,
    /// Evictions are pieces of work of a queue, and rules have a status and an effect that only previews (S78); before they
    /// were timers by the name of the pod, as those of taints of nodes.
    pub(crate) work_queue: bool,
    /// Of a rule whose spec changes the status is told at once, and otherwise ten seconds later (S79); before at once
    /// with the pods that it is to evict.
    pub(crate) delayed_status: bool,
    /// A pod that was evicted is not looked at again (S80).
    pub(crate) evicted_pods: bool,
    /// All pods that share a claim are looked at (S81); before only those up to one that is gone.
    pub(crate) every_consumer: bool,
    /// The time of a rule's taint is that of the change where its effect changes (S82).
    pub(crate) bumps_time_added: bool,
}
