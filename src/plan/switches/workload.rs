//! What changed in the workload controllers from release to release.

use crate::api::meta::ConditionStatus;
use crate::api::workload::{
    JobSpec, PodFailurePolicyAction, PodFailurePolicyRule, PodReplacementPolicy,
};
use crate::kernel::Dur;

/// How a Deployment tells that it scaled its ReplicaSet (`deployment/sync.go: scaleReplicaSet`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScalingText {
    /// "Scaled up replica set R to N", up to 1.24.
    #[default]
    To,
    /// "Scaled up replica set R to N from M", 1.25 on; of a new one "to N".
    ToFrom,
    /// "Scaled up replica set R from M to N".
    FromTo,
}

/// What changed in the controllers of ReplicaSets and Deployments from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Ages of pods are compared by their logarithm when a ReplicaSet picks which to delete (gate
    /// LogarithmicScaleDown).
    pub(crate) logarithmic_scale_down: bool,
    /// Of two pods the one that costs less goes first (gate PodDeletionCost).
    pub(crate) pod_deletion_cost: bool,
    /// Of two pods whose containers were started again as often the one goes first whose sidecars were more often (S110).
    pub(crate) sidecar_restarts: bool,
    /// `status.terminatingReplicas` is kept (gate DeploymentReplicaSetTerminatingReplicas).
    pub terminating_replicas: bool,
    /// The next check of availability is computed from the pods' ages (1.34 on); otherwise it comes
    /// after minReadySeconds once all pods are ready.
    pub(crate) exact_availability_check: bool,
    /// A sync of a ReplicaSet waits until the caches have what the last one wrote (gate
    /// StaleControllerConsistencyReplicaSet, 1.36 on).
    pub(crate) waits_for_own_writes: bool,
    /// The words of the event ScalingReplicaSet.
    pub(crate) scaling_text: ScalingText,
    /// The StatefulSet controller's.
    pub(crate) stateful_set: StatefulSetSwitches,
    /// The DaemonSet controller's.
    pub(crate) daemon_set: DaemonSetSwitches,
    /// The Job controller's.
    pub(crate) job: JobSwitches,
}

/// What a Job's `backoffLimit` is held against (S112).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BackoffLimit {
    /// There is none: pods that fail are replaced for ever. Up to 1.7.
    Absent,
    /// How many syncs found failures since the queue last forgot the Job (`NumRequeues`): pods that fail together are one or two. Up
    /// to 1.19.
    Requeues,
    /// How many pods have failed.
    #[default]
    Failures,
}

/// What changed in the Job controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobSwitches {
    /// How long changes of pods are collected before a sync: not at all up to 1.23, 1 s from 1.24
    /// (gate JobReadyPods, off in 1.23).
    pub(crate) batch_period: Dur,
    /// The status counts pods that are Ready, and is written where that changes (S76): from 1.24 (gate
    /// JobReadyPods).
    pub(crate) ready_pods: bool,
    /// Pods that a sync deletes are no longer counted as Ready by the status that it writes (S98): from 1.31 on
    /// (kubernetes/kubernetes#125546).
    pub(crate) deleted_are_unready: bool,
    /// What `backoffLimit` is held against.
    pub(crate) backoff_limit: BackoffLimit,
    /// Restarts of sidecars tell which of too many pods go (S110).
    pub(crate) sidecar_restarts: bool,
    /// How long a sync that failed waits: first, and at the most.
    pub(crate) retry: (Dur, Dur),
    /// A Job is read from the API server before its status is written: up to 1.22.
    pub(crate) gets_before_status: bool,
    /// The event of a Job's end comes before its status is written, and again if that fails: up to
    /// 1.25. From 1.26 on it comes once it is written.
    pub(crate) tells_end_before_status: bool,
    /// Pods carry a finalizer until they are counted, and a pod whose deletion has begun counts as
    /// failed (gate JobTrackingWithFinalizers, on from 1.25).
    pub(crate) tracking_finalizers: bool,
    /// Replacements wait 10 s, doubling up to this, after the last failure (1.27 on); before, the
    /// whole Job waited.
    pub(crate) failure_backoff: Option<Dur>,
    /// A replacement that is due sooner than a batch comes a batch's time after the sync
    /// (`enqueueSyncJobWithDelay`, 1.28 on).
    pub(crate) batches_backoff: bool,
    /// `spec.podFailurePolicy` is honoured (gate JobPodFailurePolicy, on from 1.26).
    pub(crate) pod_failure_policy: bool,
    /// A Job with such a policy replaces a pod only once that has failed (`onlyReplaceFailedPods`,
    /// 1.28 on).
    pub(crate) failure_policy_waits: bool,
    /// `spec.podReplacementPolicy` is honoured (gate JobPodReplacementPolicy, on from 1.29).
    pub(crate) pod_replacement_policy: bool,
    /// A Job is Complete or Failed only once no pod is terminating (1.31 on).
    pub(crate) delays_terminal_condition: bool,
    /// The API refuses a status with more ready pods than active ones (gate JobManagedBy, on from
    /// 1.32; `pkg/registry/batch/job/strategy.go`, `getStatusValidationOptions`).
    pub(crate) validates_ready: bool,
    /// In back-off the controller counts the active pods that there are, and no longer none, so that
    /// the API takes its status (1.36.3 on; `manageJob`).
    pub(crate) counts_active_in_backoff: bool,
    /// A sync waits until the caches have what the last one wrote (gate
    /// StaleControllerConsistencyJob, 1.36 on).
    pub(crate) waits_for_own_writes: bool,
}

impl JobSwitches {
    /// Whether the failure policy of a Job is honoured, and it has one.
    pub(crate) fn has_failure_policy(&self, spec: &JobSpec) -> bool {
        self.pod_failure_policy && !spec.pod_failure_policy.is_empty()
    }

    /// `onlyReplaceFailedPods`. With a failure policy that is the default, and nothing else is valid (`SetDefaults_Job`).
    pub(crate) fn only_replaces_failed(&self, spec: &JobSpec) -> bool {
        let failed = Some(PodReplacementPolicy::Failed);
        self.pod_replacement_policy && spec.pod_replacement_policy == failed
            || self.failure_policy_waits && self.has_failure_policy(spec)
    }

    /// The rule of a Job's failure policy that a pod meets whose condition DisruptionTarget has that status, and its place
    /// (`matchPodFailurePolicy`).
    pub(crate) fn rule(
        &self,
        spec: &JobSpec,
        status: ConditionStatus,
    ) -> Option<(usize, PodFailurePolicyRule)> {
        let mut rules = spec.pod_failure_policy.iter().copied().enumerate();
        rules.find(|(_, rule)| rule.matches(status)).filter(|_| self.pod_failure_policy)
    }

    /// Whether a Job fails once one of its pods that was disrupted has failed: by its failure policy, or as it allows no failure
    /// that counts.
    pub(crate) fn fails_with_a_pod(&self, spec: &JobSpec) -> bool {
        match self.rule(spec, ConditionStatus::True).map(|(_, rule)| rule.action) {
            Some(PodFailurePolicyAction::FailJob) => true,
            Some(PodFailurePolicyAction::Ignore) => false,
            Some(PodFailurePolicyAction::Count) | None => spec.backoff_limit == 0,
        }
    }

    /// Whether a Job's pods fail by their phase alone, also while they are being deleted (`isPodFailed`). Those of one with a
    /// failure policy did so before it waited for that (1.26 on).
    pub(crate) fn fail_by_phase(&self, spec: &JobSpec) -> bool {
        self.has_failure_policy(spec) || self.only_replaces_failed(spec)
    }
}

/// What a StatefulSet does with a pod that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TerminalPods {
    /// A Failed one is deleted and created anew in the same sync, with an event.
    #[default]
    RecreateFailed,
    /// A Succeeded one too (1.27.9, 1.28.5, 1.29.0 on).
    Recreate,
    /// Either is deleted, and created anew once it is gone (1.28.11, 1.29.6, 1.30.2 on).
    Delete,
}

/// What changed in the StatefulSet controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StatefulSetSwitches {
    /// What becomes of a pod that has ended.
    pub(crate) terminal_pods: TerminalPods,
    /// The pods of a Parallel set are worked on in batches of growing size (1.25.12, 1.26.7, 1.27.4
    /// on); before, one after the other.
    pub(crate) batches: bool,
    /// The status is written even if something failed (1.23 on).
    pub(crate) status_after_error: bool,
    /// `spec.minReadySeconds` is honoured (gate StatefulSetMinReadySeconds, on from 1.23).
    pub(crate) min_ready_seconds: bool,
    /// The next check of availability is computed from the pods' ages (1.36 on).
    pub(crate) exact_availability_check: bool,
    /// A pod that is not available yet holds up the deletion of later ones (1.34 on); before, one
    /// that is not ready.
    pub(crate) unavailable_blocks: bool,
    /// Events begin with a capital letter (1.35 on).
    pub(crate) capital_words: bool,
    /// The deletion of a pod that is gone is a success (1.36 on).
    pub(crate) missing_is_deleted: bool,
    /// A sync waits until the caches have what the last one wrote (gate
    /// StaleControllerConsistencyStatefulSet, 1.36 on).
    pub(crate) waits_for_own_writes: bool,
}

/// What changed in the DaemonSet controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DaemonSetSwitches {
    /// Pods are pinned to their nodes and bound by the scheduler (S102, gate ScheduleDaemonSetPods, on from 1.12). Before, the
    /// controller binds them, whatever the conditions of nodes, where they fit, and says FailedPlacement where they do not.
    pub(crate) scheduled: bool,
    /// Pods that failed are deleted after a back-off (1.12 on); before at once, and the sync counts as failed.
    pub(crate) backs_off: bool,
    /// The status is written even if something failed (1.25.6, 1.26.1, 1.27 on).
    pub(crate) status_after_error: bool,
    /// A pod that Succeeded is deleted and made anew (1.26.5, 1.27 on).
    pub(crate) replaces_succeeded: bool,
    /// A pod that has ended and is being deleted does not hold its node (1.26.7, 1.27.4 on).
    pub(crate) ended_pods_make_room: bool,
    /// Changes of nodes go through a queue of their own (1.33 on).
    pub(crate) node_queue: bool,
    /// A sync waits until the caches have what the last one wrote (gate
    /// StaleControllerConsistencyDaemonSet, 1.36 on).
    pub(crate) waits_for_own_writes: bool,
    /// The gate TaintTolerationComparisonOperators.
    pub(crate) comparison_operators: bool,
}
