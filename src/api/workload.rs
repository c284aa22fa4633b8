//! Objects that pods are made from: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job
//! (`k8s.io/api/apps/v1`, `batch/v1`).
//!
//! Left out: rollouts (a Deployment makes one ReplicaSet, and one that is under way stands still), volume claims,
//! suspended and indexed jobs, and every status field that no modelled controller reads.

use super::budget::IntOrPercent;
use super::labels::LabelSelector;
use super::meta::{ConditionStatus, Timestamp, Uid};
use super::names::{generated_letters, stable_hash};
use super::pod::PodTemplate;
use crate::api::prelude::*;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

words! {
    /// The kinds of workload.
    #[derive(Deserialize, Serialize)]
    pub enum WorkloadKind {
        /// `Deployment`
        Deployment = "Deployment": "deployments.apps",
        /// `ReplicaSet`
        ReplicaSet = "ReplicaSet": "replicasets.apps",
        /// `StatefulSet`
        StatefulSet = "StatefulSet": "statefulsets.apps",
        /// `DaemonSet`
        DaemonSet = "DaemonSet": "daemonsets.apps",
        /// `Job`
        Job = "Job": "jobs.batch",
    }
    /// Its resource and the group of that.
    pub(crate) fn resource -> &'static str;
}

/// What a kind alone has (`spec`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkloadSpec {
    /// `apps/v1 DeploymentSpec`
    Deployment {
        /// `spec.replicas`
        replicas: i32,
        /// `spec.strategy.rollingUpdate.maxSurge`
        max_surge: IntOrPercent,
    },
    /// `apps/v1 ReplicaSetSpec`
    ReplicaSet {
        /// `spec.replicas`
        replicas: i32,
        /// The annotation `deployment.kubernetes.io/revision`: the highest of a Deployment's is that of its newest template.
        revision: i64,
        /// The annotation `deployment.kubernetes.io/max-replicas`: how many pods all sets of its Deployment might have together
        /// when that last scaled this one; 0 where it has not.
        max_replicas: i32,
    },
    /// `apps/v1 StatefulSetSpec`
    StatefulSet {
        /// `spec.replicas`
        replicas: i32,
        /// `spec.podManagementPolicy` is `Parallel`; otherwise `OrderedReady`.
        parallel: bool,
        /// `spec.ordinals.start`
        first_ordinal: i32,
    },
    /// `apps/v1 DaemonSetSpec`
    DaemonSet,
    /// `batch/v1 JobSpec`
    Job(JobSpec),
}

impl WorkloadSpec {
    /// How many pods it asks for; none of a DaemonSet, which asks for one on each node that suits.
    pub fn replicas(&self) -> i32 {
        match self {
            Self::Deployment { replicas, .. }
            | Self::ReplicaSet { replicas, .. }
            | Self::StatefulSet { replicas, .. } => *replicas,
            Self::DaemonSet => 0,
            Self::Job(job) => job.parallelism,
        }
    }
}

/// `batch/v1 JobSpec`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobSpec {
    /// `spec.parallelism`
    pub parallelism: i32,
    /// `spec.completions`; absent, any success completes the job.
    pub completions: Option<i32>,
    /// `spec.backoffLimit`
    pub backoff_limit: i32,
    /// `spec.podReplacementPolicy`; absent, the default of the release.
    pub pod_replacement_policy: Option<PodReplacementPolicy>,
    /// `spec.podFailurePolicy.rules`
    pub pod_failure_policy: Vec<PodFailurePolicyRule>,
    /// `spec.template.spec.restartPolicy` is `Never`; otherwise `OnFailure`.
    pub restart_never: bool,
}

/// `spec.podReplacementPolicy`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize, JsonSchema)]
pub enum PodReplacementPolicy {
    /// As soon as a pod's deletion begins.
    TerminatingOrFailed,
    /// Once a pod's phase is Failed.
    Failed,
}

/// A rule of `spec.podFailurePolicy.rules` that looks at the condition DisruptionTarget of a pod that
/// failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodFailurePolicyRule {
    /// What follows.
    pub action: PodFailurePolicyAction,
    /// The statuses of the condition that it matches: True, False, Unknown.
    pub statuses: [bool; 3],
}

/// What follows from a failure that a rule matches.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
pub enum PodFailurePolicyAction {
    /// It is not counted.
    Ignore,
    /// The job has failed.
    FailJob,
    /// It is counted.
    Count,
}

impl PodFailurePolicyRule {
    /// Whether it matches a condition of that status.
    pub(crate) fn matches(self, status: ConditionStatus) -> bool {
        self.statuses[Self::place(status)]
    }

    /// The place of a status among those that a rule matches.
    pub(crate) fn place(status: ConditionStatus) -> usize {
        status as usize
    }
}

words! {
    /// `kubectl delete --cascade`: what becomes of what a workload owns.
    #[derive(Default, Deserialize, Serialize, JsonSchema)]
    #[serde(rename = "Cascade")]
    pub enum Propagation {
        /// The workload goes at once; its pods are deleted then.
        #[default]
        Background = "Background",
        /// Its pods are deleted first, and the workload goes once they are gone.
        Foreground = "Foreground",
        /// The pods stay, and belong to nobody.
        Orphan = "Orphan",
    }
}

rows! {
    /// How a Job ends.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) enum JobEnd {
        /// Enough pods succeeded.
        Complete = "Completed",
        /// `BackoffLimitExceeded`
        BackoffLimitExceeded = "BackoffLimitExceeded",
        /// `PodFailurePolicy`, with its message.
        PodFailurePolicy(String) = "PodFailurePolicy",
    }

    /// The reason of the event that tells it.
    pub(crate) fn reason(&) -> &'static str;
}

impl JobEnd {
    /// The message of that event.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Complete => "Job completed",
            Self::BackoffLimitExceeded => "Job has reached the specified backoff limit",
            Self::PodFailurePolicy(message) => message,
        }
    }
}

/// `status`, as far as it is modelled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct WorkloadStatus {
    /// `status.replicas`; of a DaemonSet `currentNumberScheduled`, of a Job `active`.
    pub(crate) replicas: i32,
    /// `status.readyReplicas`; `numberReady`, `ready`.
    pub(crate) ready: i32,
    /// `status.availableReplicas`; `numberAvailable`.
    pub(crate) available: i32,
    /// `status.terminatingReplicas`; `terminating`.
    pub(crate) terminating: i32,
    /// `status.currentReplicas` of a StatefulSet.
    pub(crate) current: i32,
    /// `status.desiredNumberScheduled` of a DaemonSet.
    pub(crate) desired: i32,
    /// `status.numberMisscheduled` of a DaemonSet.
    pub(crate) misscheduled: i32,
    /// The condition ReplicaFailure of a ReplicaSet.
    pub(crate) replica_failure: bool,
    /// `status.observedGeneration`
    pub(crate) observed_generation: i64,
    /// What only a Job has.
    pub(crate) job: OfJob,
}

impl JobStatus {
    /// How the Job ends, from when on that is decided.
    pub(crate) fn end(&self) -> Option<&JobEnd> {
        self.ending.as_ref().or(self.finished.as_ref())
    }
}

/// The part of `status` that only a Job has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct JobStatus {
    /// `status.failed`
    pub(crate) failed: i32,
    /// `status.succeeded`
    pub(crate) succeeded: i32,
    /// The condition SuccessCriteriaMet or FailureTarget of a Job that is about to end.
    pub(crate) ending: Option<JobEnd>,
    /// The condition Complete or Failed of a Job that has ended.
    pub(crate) finished: Option<JobEnd>,
    /// `status.uncountedTerminatedPods.succeeded`
    pub(crate) uncounted_succeeded: Vec<Uid>,
    /// `status.uncountedTerminatedPods.failed`
    pub(crate) uncounted_failed: Vec<Uid>,
}

/// A [`JobStatus`] that takes no room as long as there is nothing in it: most workloads are no
/// Jobs, and their statuses are written often.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfJob(Option<Rc<JobStatus>>);

impl Deref for OfJob {
    type Target = JobStatus;

    fn deref(&self) -> &JobStatus {
        static NOTHING: LazyLock<JobStatus> = LazyLock::new(JobStatus::default);
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl DerefMut for OfJob {
    fn deref_mut(&mut self) -> &mut JobStatus {
        Rc::make_mut(self.0.get_or_insert_default())
    }
}

impl PartialEq for OfJob {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_none() && other.0.is_none() || **self == **other
    }
}

impl Eq for OfJob {}

/// A workload object, one version of it: what changes often. The rest is read and changed as if it
/// were here, too.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Workload {
    /// The version of the object.
    pub(crate) resource_version: u64,
    /// `metadata.generation`
    pub(crate) generation: i64,
    /// The trace record that made this version.
    pub(crate) record: u32,
    /// `status`
    pub(crate) status: WorkloadStatus,
    /// What versions share.
    pub(crate) lasting: Rc<Lasting>,
}

/// What seldom changes of a workload object.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lasting {
    /// Its kind, namespace and name.
    pub(crate) id: WorkloadId,
    pub(crate) kind: WorkloadKind,
    /// This life of the object.
    pub(crate) uid: Uid,
    /// `metadata.creationTimestamp`
    pub(crate) creation_timestamp: Timestamp,
    /// A deletion has begun, and waits for the garbage collector: the finalizer of that name.
    pub(crate) deletion: Option<Propagation>,
    /// The workload that owns it: the Deployment of a ReplicaSet.
    pub(crate) owner: Option<(WorkloadId, Uid)>,
    /// `spec.selector`
    pub(crate) selector: Rc<LabelSelector>,
    /// `spec.template`: its pods share this one, with the workload as their owner.
    pub(crate) template: Rc<PodTemplate>,
    /// The node the template names, as recorded scenarios have it.
    pub(crate) pinned: Option<super::names::NodeId>,
    /// `spec.minReadySeconds`
    pub(crate) min_ready_seconds: i32,
    /// The rest of `spec`.
    pub(crate) spec: WorkloadSpec,
}

impl Deref for Workload {
    type Target = Lasting;

    fn deref(&self) -> &Lasting {
        &self.lasting
    }
}

impl DerefMut for Workload {
    fn deref_mut(&mut self) -> &mut Lasting {
        Rc::make_mut(&mut self.lasting)
    }
}

impl Workload {
    /// Whether its deletion has begun.
    pub(crate) fn is_terminating(&self) -> bool {
        self.deletion.is_some()
    }

    /// How many pods it asks for; a DaemonSet asks for one on each node that suits.
    pub(crate) fn replicas(&self) -> i32 {
        self.spec.replicas()
    }
}

/// The label `pod-template-hash` of the pods of a Deployment, given as `Deployment/namespace/name`:
/// ours depends on its name alone, as its template never changes.
pub(crate) fn pod_template_hash(deployment: &str) -> String {
    generated_letters(stable_hash(deployment), 10)
}

/// Whether anybody sends requests to the pods of `Kind/namespace/name`: a Job's work something off.
pub(crate) fn has_clients(full: &str) -> bool {
    !full.starts_with("Job/")
}

/// The namespace of `Kind/namespace/name` or `namespace/name`.
pub(crate) fn namespace_of(full: &str) -> &str {
    let slash = |text: &str| text.bytes().rposition(|b| b == b'/');
    let Some(end) = slash(full) else { return "" };
    &full[slash(&full[..end]).map_or(0, |before| before + 1)..end]
}

/// The last part of `Kind/namespace/name` or `namespace/name`.
pub(crate) fn short_name(full: &str) -> &str {
    full.bytes().rposition(|b| b == b'/').map_or(full, |slash| &full[slash + 1..])
}

/// The StatefulSet that a pod is called after, and the pod's number: `db` and 0 of `db-0`
/// (`getParentNameAndOrdinal`).
pub(crate) fn parent_and_ordinal(pod: &str) -> Option<(&str, i32)> {
    let (parent, ordinal) = pod.rsplit_once('-')?;
    let digits = ordinal.bytes().all(|b| b.is_ascii_digit());
    ordinal.parse().ok().filter(|_| digits).map(|ordinal| (parent, ordinal))
}

/// What the names of a workload's pods have in common: `shop/web-5468c74c4d` of
/// `shop/web-5468c74c4d-5sgsw`.
pub(crate) fn family_of(pod: &str) -> &str {
    pod.rsplit_once('-').map_or(pod, |(stem, _)| stem)
}

/// Whether what a person writes names the workload `Kind/namespace/name`: `web`, `shop/web`,
/// `Deployment/web`, `Deployment/shop/web`, the kind in any case.
pub(crate) fn is_called(full: &str, text: &str) -> bool {
    let mut parts = full.splitn(3, '/');
    let (kind, namespace, name) =
        (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    match text.split('/').collect::<Vec<_>>()[..] {
        [n] => n == name || n == full,
        [first, n] => n == name && (first == namespace || first.eq_ignore_ascii_case(kind)),
        [k, ns, n] => n == name && ns == namespace && k.eq_ignore_ascii_case(kind),
        _ => false,
    }
}

/// The shortest name that tells the workload `Kind/namespace/name` from the others.
pub(crate) fn told_apart<'a>(full: &str, others: impl Iterator<Item = &'a str> + Clone) -> String {
    let (kind, namespace, name) =
        (full.split('/').next().unwrap_or(""), namespace_of(full), short_name(full));
    let forms = [name.to_owned(), format!("{namespace}/{name}"), format!("{kind}/{name}")];
    let alone =
        |form: &String| !others.clone().any(|other| other != full && is_called(other, form));
    forms.into_iter().find(alone).unwrap_or_else(|| full.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_workloads_apart() {
        let all =
            ["Deployment/shop/web", "Deployment/lab/web", "StatefulSet/lab/web", "Job/shop/sum"];
        let said: Vec<String> =
            all.iter().map(|full| told_apart(full, all.iter().copied())).collect();
        assert_eq!(said, ["shop/web", "Deployment/lab/web", "StatefulSet/web", "sum"]);
        for text in ["web", "shop/web", "deployment/web", "Deployment/shop/web"] {
            assert!(is_called(all[0], text), "{text}");
        }
        for text in ["", "we", "lab/web", "Job/web", "Deployment/web/shop", "a/Deployment/shop/web"]
        {
            assert!(!is_called(all[0], text), "{text}");
        }
    }
}
