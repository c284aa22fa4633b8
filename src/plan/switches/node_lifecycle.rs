//! What changed in the node lifecycle controller from release to release.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use crate::api::node::NodeConditionType;

/// What a missing NoExecute taint leads to (S2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Requeue {
    /// Nothing: the node's name stays in the queue's set until it is Ready.
    #[default]
    Never,
    /// The set is cleared but not the heap, so that each pass pushes one more entry.
    HeapDuplicates,
    /// The node is queued again.
    Correct,
}

/// How conditions become NoSchedule taints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ConditionTaints {
    /// Not at all (TaintNodesByCondition off).
    #[default]
    Off,
    /// Conditions that are True only, without Ready, compared by key alone, in the informer's
    /// handler (1.8 to 1.11, gate on).
    TrueOnly,
    /// As today, with eight workers (1.12 on).
    Mapped,
}

/// What silence of a node leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EvictionMode {
    /// NoExecute taints (TaintBasedEvictions).
    #[default]
    Taints,
    /// Pods are deleted after `--pod-eviction-timeout`; no NoExecute taints are written.
    Timeout,
}

/// What changed in the node lifecycle controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// The taint decision follows the Ready condition read before this pass's update (up to 1.33),
    /// not the current one (S20).
    pub(crate) taint_on_observed: bool,
    /// How many workers handle the nodes of a pass: 1 up to 1.26, 8 from 1.27 (S13).
    pub(crate) pass_workers: usize,
    /// Of a thousand starts of a controller, in how many the first round of the NoExecute loop comes
    /// amid the first pass, which has queued nodes and has not changed the limiters yet: 60 up to
    /// 1.26, where one worker handles a pass, 940 from 1.27, 650 from 1.36, which starts the loops
    /// through a WaitGroup. In a large cluster it is fewer (S34).
    pub(crate) start_amid_pass: u32,
    /// One lock is held across the tainting pass's and markNodeAsReachable's API calls, up to 1.24
    /// (S12).
    pub(crate) lock_across_calls: bool,
    /// A missing NoExecute taint is queued again (S2).
    pub(crate) requeue: Requeue,
    /// Pods get an event NodeNotReady (S3).
    pub(crate) pod_event: bool,
    /// Nodes named as masters are not counted in zones (S4).
    pub(crate) exclude_master_names: bool,
    /// Nodes labelled `node.kubernetes.io/exclude-disruption` are not counted in zones (S5).
    pub(crate) exclude_label: bool,
    /// The taint PATCH carries the resourceVersion (S8).
    pub(crate) taint_patch_has_version: bool,
    /// The live-lease check (S25).
    pub(crate) lease_circuit_breaker: bool,
    /// A node without Ready condition in the taint queue is tried again after 50 ms; before 1.30
    /// the process crashes (S16).
    pub(crate) retry_without_ready: bool,
    /// Leases are read (1.13 on).
    pub(crate) leases: bool,
    /// Pods bound to a NotReady node are marked by workers of their own, and failures are retried
    /// in the next pass (1.15.11, 1.16.8, 1.17.0 on); before, the pods are listed live when the
    /// node turns, once.
    pub(crate) pod_workers: bool,
    /// Timeout mode: pods that come to a node whose pods were deleted are deleted at once (1.15.11,
    /// 1.16.8, 1.17.0 on).
    pub(crate) evicted_node_sheds_new_pods: bool,
    /// How conditions become NoSchedule taints.
    pub(crate) condition_taints: ConditionTaints,
    /// A NoExecute taint is swapped for its opposite without the limiter (1.6.2 on).
    pub(crate) swap_without_limiter: bool,
    /// OutOfDisk exists and is set to Unknown (up to 1.13).
    pub(crate) out_of_disk: bool,
    /// PIDPressure gets a taint (1.10 on).
    pub(crate) pid_pressure_taint: bool,
    /// PIDPressure is set to Unknown (1.13 on).
    pub(crate) pid_pressure_unknown: bool,
    /// Taint keys are the alpha ones, `node.alpha.kubernetes.io/notReady` (1.6 to 1.8).
    pub(crate) alpha_taint_keys: bool,
    /// Alpha taint keys on nodes are renamed (1.9 to 1.13).
    pub(crate) rename_alpha_taints: bool,
    /// Zones are read from the beta labels only (up to 1.16).
    pub beta_zone_labels: bool,
    /// Taints or timeout, by the gate TaintBasedEvictions.
    pub(crate) eviction_mode: EvictionMode,
    /// `--pod-eviction-timeout` and `--enable-taint-manager` exist, up to 1.26 (S14).
    pub(crate) timeout_mode_available: bool,
}

impl Switches {
    /// The conditions of a silent node that become Unknown (`tryUpdateNodeHealth: nodeConditionTypes`), in their order.
    pub(crate) fn silenced(&self) -> impl Iterator<Item = NodeConditionType> + use<> {
        let all = [
            (NodeConditionType::Ready, true),
            (NodeConditionType::OutOfDisk, self.out_of_disk),
            (NodeConditionType::MemoryPressure, true),
            (NodeConditionType::DiskPressure, true),
            (NodeConditionType::PidPressure, self.pid_pressure_unknown),
        ];
        all.into_iter().filter_map(|(kind, counts)| counts.then_some(kind))
    }
}
