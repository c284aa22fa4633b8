//! What changed in the scheduler from release to release. Releases before 1.18 are scheduled as
//! 1.18 does, but for the conditions of nodes (S89), for all that GeneralPredicates says (S97), and for what is said of nodes
//! that do not fit (S103, S104).
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use crate::kernel::Dur;

/// The order of the filters (`apis/config/v1/default_plugins.go`, earlier
/// `algorithmprovider/registry.go`). The first that rejects a node gives the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterOrder {
    /// Resources second, other pods' affinity before spread: 1.18.
    #[default]
    ResourcesEarly,
    /// As before, spread before other pods' affinity: 1.19.
    ResourcesEarlySpreadFirst,
    /// Taints early: from 1.20. (1.37 puts NodeName first, which rejects nothing: pods that name a
    /// node are bound.)
    TaintsEarly,
}

/// Weights of the scores that had several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// TaintToleration: 1 up to 1.22, 3 from 1.23 (S28).
    pub(crate) taint_toleration: i64,
    /// NodeAffinity: 1 up to 1.22, 2 from 1.23.
    pub(crate) node_affinity: i64,
    /// PodTopologySpread: 1 in 1.18, 2 from 1.19.
    pub(crate) topology_spread: i64,
    /// InterPodAffinity: 1 up to 1.22, 2 from 1.23.
    pub(crate) inter_pod_affinity: i64,
}

/// What is written again where the API server answers that it could not do it, 500 or 503 (`util.Retriable`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InternalErrors {
    /// Nothing: up to 1.25.
    #[default]
    Final,
    /// A pod's status (`PatchPodStatus`): 1.26 to 1.36.
    StatusRetried,
    /// And its binding (`BindPod`): from 1.37.
    BindingRetried,
}

/// How a pod learns that taints kept it off a node
/// (`pkg/scheduler/framework/plugins/tainttoleration`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaintMessage {
    /// "node(s) had taints that the pod didn't tolerate", up to 1.17.
    #[default]
    Plain,
    /// "node(s) had taint {k: v}, that the pod didn't tolerate", 1.18 to 1.23.
    NamesTaint,
    /// "node(s) had untolerated taint {k: v}", 1.24 to 1.33.
    Untolerated,
    /// "node(s) had untolerated taint(s)", from 1.34.
    UntoleratedPlural,
}

/// How even spread is scored (`podtopologyspread/scoring.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpreadScore {
    /// A plain sum of matching pods, measured against the sum over all nodes: 1.18.
    #[default]
    PlainSum,
    /// Weighted by the number of domains, truncated: 1.19 to 1.23.
    Truncated,
    /// As before, rounded: from 1.24.
    Rounded,
}

/// What the images of a pod of several containers are measured against (`imagelocality/image_locality.go`) (S96).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageScores {
    /// Their sum against what one may be worth; those of init containers do not count: 1.18.
    #[default]
    AsOne,
    /// Against what that many may be worth: 1.19 to 1.29.
    Containers,
    /// As before; those of init containers count: from 1.30.
    WithInit,
}

/// How the balance of CPU and memory is scored (`noderesources/balanced_allocation.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balance {
    /// By requests with defaults; nothing where either is used up: up to 1.21.
    #[default]
    WithDefaults,
    /// By plain requests: 1.22 to 1.32.
    Plain,
    /// As before; pods that ask for neither are not scored: 1.33 to 1.35.
    SkipsBestEffort,
    /// By how much the pod improves the balance: from 1.36.
    Improvement,
}

/// How the text of a failure is put together (`framework/types.go: FitError.Error`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FitText {
    /// Reasons alone: up to 1.23.
    #[default]
    Reasons,
    /// Reasons, then what preemption found: 1.24 and 1.25.
    WithPreemption,
    /// The latter with one more full stop: 1.26 to 1.28.
    TwoStops,
    /// Without that stop: from 1.29.
    OneStop,
}

/// What an event says of a binding that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BindErrorText {
    /// "Binding rejected: plugin X failed to bind pod Y: …", up to 1.19.
    #[default]
    Plugin,
    /// "binding rejected: running Bind plugin X: …", 1.20 to 1.25.
    Rejected,
    /// "running Bind plugin X: …", from 1.26 on.
    Running,
}

/// How an attempt's failure is worded (`FitError.Error`, `PredicateFailureReason.GetReason`) (S103).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FitWords {
    /// "No nodes are available that match all of the following predicates:: MatchNodeSelector (2).", up to 1.7.
    #[default]
    Following,
    /// "No nodes are available that match all of the predicates: MatchNodeSelector (2).", 1.8.
    Predicates,
    /// "0/3 nodes are available: 2 MatchNodeSelector.", 1.9.
    Names,
    /// "0/3 nodes are available: 2 node(s) didn't match node selector.", from 1.10 on.
    Described,
}

impl FitWords {
    /// Predicates are told by their names, and all of them are asked (`podFitsOnNode`): up to 1.9.
    pub(crate) fn are_names(self) -> bool {
        self != Self::Described
    }
}

/// The event about a preempted pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreemptedText {
    /// "Preempted by ns/name on node X", up to 1.22.
    #[default]
    ByName,
    /// "Preempted by a pod on node X", 1.23 to 1.28.
    ByAPod,
    /// "Preempted by pod U on node X", U being its uid, from 1.29.
    ByUid,
}

/// In which order a failed attempt with preemption writes: the nomination, the deletions of the
/// victims, and the failure of the attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreemptionWrites {
    /// Nomination, deletions, then the failure: 1.18.
    #[default]
    NominationFirst,
    /// Deletions, then failure and nomination in one write: 1.19 to 1.32.
    DeletionsFirst,
    /// Failure and nomination, while deletions go on beside it (SchedulerAsyncPreemption): alpha
    /// 1.32, on from 1.33.
    Async,
}

/// What wakes pods that no node took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeRule {
    /// Every relevant change wakes all: up to 1.21.
    All,
    /// Changes that the rejecting plugins registered, for node changes only if the node passes a
    /// check: 1.22 to 1.31.
    Registered,
    /// The rejecting plugins' hints decide: from 1.32 (gate SchedulerQueueingHints, S27).
    Hints,
}

/// How pods that found no node are tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retries {
    /// After a second, which doubles up to a minute, whatever changes (`factory.go: MakeDefaultErrorFunc`): up to 1.10.
    ByTime,
    /// As soon as something changes: up to 1.13.
    AtOnce,
    /// Once something has changed and a second, which doubles up to ten, has passed.
    #[default]
    BackOff,
}

/// What changed in the scheduler from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// The order of the filters.
    pub filter_order: FilterOrder,
    /// The weights of scores.
    pub weights: Weights,
    /// The text for pods that no node takes because of taints.
    pub taint_message: TaintMessage,
    /// Tolerations compare numbers (gate TaintTolerationComparisonOperators).
    pub comparison_operators: bool,
    /// The text for a node that node selector or node affinity exclude.
    pub node_affinity_message: &'static str,
    /// A reason that InterPodAffinity gave beside the precise one, up to 1.21.
    pub pod_affinity_also: Option<&'static str>,
    /// Preferred affinity to pods is scored from the least to the most that a node has; up to 1.20 from nothing, or from less, to
    /// nothing, or to more (S115).
    pub affinity_scores_by_range: bool,
    /// The first of pods that want to be together goes only where a node has all their topology keys, and existing pods'
    /// anti-affinity is asked for last: from 1.19 (S116).
    pub affinity_needs_keys: bool,
    /// A required spread counts the pods of all nodes of a domain that counts, whatever nodes they are on: 1.19 to 1.23 (S117).
    pub spread_counts_all: bool,
    /// A node that is deleted wakes pods that its end may help: from 1.32 (S118).
    pub deleted_node_wakes: bool,
    /// A node name in required affinity narrows the search from the outset: from 1.24.
    pub affinity_narrows: bool,
    /// Nodes left out by that are counted with a reason: from 1.32.
    pub left_out_counted: bool,
    /// A search among few nodes sets the start of the next one anew: up to 1.26.
    pub narrow_search_resets_start: bool,
    /// A nominated node is tried alone first: from 1.22.
    pub nominated_node_first: bool,
    /// Resources that a pod asks nothing of cannot reject it: from 1.28.
    pub fit_ignores_unrequested: bool,
    /// A request larger than the node is beyond the help of preemption: from 1.34.
    pub fit_knows_too_large: bool,
    /// The score SelectorSpread, up to 1.19 (DefaultPodTopologySpread in 1.18).
    pub selector_spread: bool,
    /// Pods without spread constraints are spread by default ones: from 1.20.
    pub default_spread: bool,
    /// How spread is scored.
    pub spread_score: SpreadScore,
    /// How balance is scored.
    pub balance: Balance,
    /// Among best nodes the first of a heap is taken instead of a random one: from 1.35.
    pub ties_by_heap: bool,
    /// In how many of 1,000 turns that are drawn others come between two steps of the scheduler: 125 up to
    /// 1.34, none from 1.35. Fitted: of two victims that go in one instant it has seen both before it tries
    /// again in 86 of 120 runs of 1.33 and 1.34, and in 2 of 120 of 1.36 and 1.37 (S59).
    pub lets_in: u32,
    /// The same before a scheduler that was waiting for a pod (`Pop`): 600 from 1.27 to 1.32, otherwise as
    /// `lets_in`. Fitted: of two victims that go in one instant it has seen both before it tries again in 186
    /// of 240 runs of `preempt-two-lat` under 1.27, 1.29, 1.31 and 1.32 (S59).
    pub lets_in_woken: u32,
    /// In how many of 1,000 turns that are drawn others come between a failed attempt and the pod's way back
    /// into the queue: 125 up to 1.34, 400 from 1.35 (S59).
    pub lets_in_after_failure: u32,
    /// Nodes that are not ready take no pods, whatever their taints (CheckNodeCondition, S89): without the gate
    /// TaintNodesByCondition.
    pub checks_node_condition: bool,
    /// Nodes short of memory or disk take no pods, whatever their taints (S89): up to 1.10, and later without the gate
    /// TaintNodesByCondition.
    pub checks_pressure: bool,
    /// So do nodes short of process ids (CheckNodePIDPressure): from 1.11.
    pub checks_pid_pressure: bool,
    /// What a pod requests, its host ports and its node selector are one predicate, GeneralPredicates, which says all that it
    /// has against a node (S97): up to 1.16. From 1.17 they are plugins, of which the first that rejects gives the reason.
    pub general_predicates: bool,
    /// How failures are worded, and whether all predicates are asked (S103).
    pub fit_words: FitWords,
    /// A node without room for another pod is told as "Too many pods" (S104, 1.18 on); before, as "Insufficient pods".
    pub too_many_pods: bool,
    /// How failures are reported.
    pub fit_text: FitText,
    /// The plugin DynamicResources is asked to make room (S106, gate DynamicResourceAllocation).
    pub dynamic_resources: bool,
    /// "no new claims to deallocate" is part of each failure's text: 1.34 to 1.36, and in 1.33 with that gate.
    /// From 1.37 on it is only told that a claim was deallocated.
    pub claims_text: bool,
    /// A claim that pods share and that is allocated no longer is not reserved (S83); before it is left to the API server to
    /// refuse that.
    pub deallocated_text: bool,
    /// Requests of claims may have alternatives (S90, gate DRAPrioritizedList).
    pub prioritized_list: bool,
    /// A node where the first of them can be had is better than one where a later one can (S91).
    pub scores_devices: bool,
    /// Of a later one all devices are allocated (S123); before, the first of them counts as one of the first alternative.
    pub whole_alternatives: bool,
    /// A volume that is still to be made is only made for a node whose storage is enough (S84, gate CSIStorageCapacity).
    pub storage_capacity: bool,
    /// A node that lacks a driver is none for pods with its volumes, where its CSIDriver has `preventPodSchedulingIfMissing`
    /// (S124, gate VolumeLimitScaling).
    pub misses_drivers: bool,
    /// How the images of pods are scored.
    pub image_scores: ImageScores,
    /// A claim that only one pod may use keeps others waiting (S43, gate ReadWriteOncePod).
    pub read_write_once_pod: bool,
    /// Whether somebody uses such a claim is asked of each node, and preempting that pod helps (S69); before of
    /// the pod, for which nothing helped.
    pub preempts_claim_holders: bool,
    /// It is not asked again of a node to which others are nominated, where nobody used the claim at first (S70).
    pub skips_free_claims: bool,
    /// A node where somebody uses such a claim is told of as "node(s) unavailable due to PersistentVolumeClaim with
    /// ReadWriteOncePod access mode already in-use by another pod" (S68); before as "node has pod using
    /// PersistentVolumeClaim with the same name and ReadWriteOncePod access mode".
    pub claim_in_use_text: bool,
    /// A pod that waits for volumes or devices before it is bound shows its node meanwhile, as that it is nominated
    /// to (S71, gate NominatedNodeNameForExpectation).
    pub nominates_expected: bool,
    /// A volume that is not reached from a node is told of as "node(s) didn't match PersistentVolume's
    /// node affinity" (S41); before as "node(s) had volume node affinity conflict".
    pub persistent_volume_text: bool,
    /// What is attached to a node counts against its limit of volumes, also where no pod there uses it (S51).
    pub attachments_count: bool,
    /// A successful preemption is reported: from 1.37.
    pub preemption_told: bool,
    /// Pods are woken only by changes that the plugins that rejected them registered: from 1.22.
    pub wakes_registered: bool,
    /// Pods are woken only by changes that may help them (S27, gate SchedulerQueueingHints): from
    /// 1.32.
    pub queueing_hints: bool,
    /// An added or changed bound pod also wakes pods of its namespace that spread rejected: from
    /// 1.31.
    pub spread_woken_by_pods: bool,
    /// Changes of bound pods other than of their labels concern spread and affinity: up to 1.30.
    pub hears_pod_updates: bool,
    /// A nomination that ends wakes pods as the end of a pod does: from 1.33.
    pub nominations_wake: bool,
    /// So does the end of a nomination with the pod's binding: up to 1.34.
    pub bindings_wake: bool,
    /// Changes of taints wake pods that spread or other pods' affinity rejected: from 1.30 (#122292).
    pub taint_changes_wake_all: bool,
    /// Any change of a node wakes pods that VolumeBinding rejected: up to 1.22. Later new nodes and labels do, and taints where
    /// they wake all (S108).
    pub nodes_wake_volumes: bool,
    /// With queueing hints, changes of taints wake pods unasked that a plugin rejected which hears
    /// of new nodes but not of taints (`scheduler.go: buildQueueingHintMap`): 1.32 to 1.36.
    pub taint_changes_wake_unasked: bool,
    /// A change of several things of a node is several changes; up to 1.29 only the first of them
    /// counts.
    pub several_node_changes: bool,
    /// How long a pod may stay unschedulable before it is tried again unasked: 60 s up to 1.23, 5
    /// min from 1.24 (S29).
    pub unschedulable_flush: Dur,
    /// How pods that found no node are tried again (S113).
    pub retries: Retries,
    /// An idle scheduler takes pods that are backing off (SchedulerPopFromBackoffQ): from 1.33.
    pub pops_from_backoff: bool,
    /// Back-off grows with rejections instead of attempts: from 1.34.
    pub backoff_counts_rejections: bool,
    /// A pod that no plugin rejected is tried again after its back-off: from 1.29.
    pub errors_back_off: bool,
    /// An update of a pod that backs off ends its back-off, and one of an unschedulable pod skips
    /// it: up to 1.20.
    pub update_ends_backoff: bool,
    /// A failed pod is read from the API server before it is queued again, so its own update comes
    /// first: 1.18.
    pub requeue_after_get: bool,
    /// A pod's condition and nomination are written by UPDATE, which the API server refuses if the
    /// pod has changed since it was read: 1.18. From 1.19 on by PATCH.
    pub status_by_update: bool,
    /// Scheduling gates hold pods back (PodSchedulingReadiness): alpha 1.26, on from 1.27.
    pub scheduling_gates: bool,
    /// Preemption honours `preemptionPolicy: Never`: from 1.19.
    pub never_preempts: bool,
    /// All nodes are considered for preemption, not a sample: up to 1.19.
    pub preemption_tries_all: bool,
    /// Any terminating pod of lower priority on the nominated node keeps a pod from preempting
    /// more; from 1.27 only one that the scheduler itself preempted.
    pub any_terminating_blocks: bool,
    /// A pod whose nominated node has become hopeless may preempt again, even while a pod ends
    /// there: from 1.19.
    pub hopeless_nomination_frees: bool,
    /// The victim gets the condition DisruptionTarget: from 1.26.
    pub marks_victims: bool,
    /// A victim that is being deleted already is left alone: from 1.36.
    pub spares_terminating: bool,
    /// A victim's condition has the reason PreemptionByKubeScheduler: 1.26.
    pub old_victim_reason: bool,
    /// A binding that failed, and so gave its room back, moves the pods that wait for room (1.23 on).
    pub failed_binding_moves_pods: bool,
    /// Its first lists come as streams of what etcd has, and not from a watch cache that may be behind (S75).
    pub streams_first_lists: bool,
    /// What is written again where the API server could not do it (S66).
    pub internal_errors: InternalErrors,
    /// The event about a pod whose binding failed.
    pub bind_error_text: BindErrorText,
    /// Whoever waits for volumes in vain says "context deadline exceeded", without a last look: from 1.29; before "timed
    /// out waiting for the condition".
    pub waits_by_context: bool,
    /// The event about victims.
    pub preempted_text: PreemptedText,
    /// The order of writes.
    pub preemption_writes: PreemptionWrites,
    /// The event of a failure and the PATCH are about the pod as the cache has it by then, not as
    /// it was tried: 1.19 to 1.24.
    pub failure_is_of_newest: bool,
    /// Victims are deleted side by side: from 1.26; before, one after the other.
    pub victims_in_parallel: bool,
    /// The PATCH that marks a victim writes the preemptor's status instead of the victim's own, so
    /// that the victim is Pending and not Ready any more: 1.26.11 to 1.28.13, and to 1.29.8, 1.30.4
    /// and 1.31.0.
    pub victims_get_preemptors_status: bool,
    /// Victims are put in order of importance once more at the end: from 1.29.11, 1.30.7 and
    /// 1.31.3. Before, those that a budget covers come first, so that the first of them stands for
    /// the most important one.
    pub sorts_victims: bool,
    /// A pod whose binding is seen comes to the end of its node's list, as every pod does that
    /// changes: from 1.26.
    pub confirmed_pods_last: bool,
    /// A binding names the pod's uid, so that it cannot bind a successor of the same name: from
    /// 1.23 (`BindingREST.assignPod`).
    pub binds_by_uid: bool,
    /// Where preemption is hopeless, the pod's nomination is cleared by a PATCH of its own: up to
    /// 1.33.
    pub clears_hopeless_nomination: bool,
    /// The PATCH of the condition clears a nomination that is of no use: from 1.23.
    pub clears_useless_nomination: bool,
    /// Preemption reads the pod from the API server first: up to 1.19.
    pub preemption_gets_pod: bool,
    /// The count that the first repetition of an event is written with: 1 up to 1.25, then 2.
    pub first_series_count: u32,
}

impl Switches {
    /// What wakes pods that no node took.
    pub(crate) fn wake(&self) -> WakeRule {
        match (self.queueing_hints, self.wakes_registered) {
            (true, _) => WakeRule::Hints,
            (false, true) => WakeRule::Registered,
            (false, false) => WakeRule::All,
        }
    }
}
