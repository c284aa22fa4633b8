//! Workloads: what pods are made from, with the fields of the Kubernetes API.

use super::cluster::{Placement, PodGroup};
use super::containers::{Container, Ends, Image, Probe};
use super::devices::DeviceClaim;
use super::scheduling::*;
use super::spans::HowLong;
use super::volumes::VolumeClaim;
use crate::api::labels::LabelSelector;
use crate::api::probe::RestartPolicy;
use crate::api::words::rows;
use crate::api::workload::WorkloadKind::{self, *};
use crate::api::workload::{PodFailurePolicyAction, PodReplacementPolicy};
use crate::language::prelude::*;
use std::mem::swap;

rows! {
    /// A workload, or several that are alike except for their names:
    /// `Deployment(name: "web", replicas: 3)`.
    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub enum Workload {
        /// `apps/v1 Deployment`, with one ReplicaSet unless others say that they are its own
        Deployment(WorkloadGroup) = Deployment,
        /// `apps/v1 ReplicaSet`
        ReplicaSet(WorkloadGroup) = ReplicaSet,
        /// `apps/v1 StatefulSet`
        StatefulSet(WorkloadGroup) = StatefulSet,
        /// `apps/v1 DaemonSet`
        DaemonSet(WorkloadGroup) = DaemonSet,
        /// `batch/v1 Job`
        Job(WorkloadGroup) = Job,
    }

    /// Its kind.
    pub(crate) fn kind(&) -> WorkloadKind;
}

impl Workload {
    /// Whether a kind of workload has a field.
    pub(crate) fn has(kind: &str, field: &str) -> bool {
        let own = OWN.iter().find(|(name, ..)| *name == field);
        own.is_none_or(|(_, kinds, _)| kinds.iter().any(|own| own.as_str() == kind))
    }

    /// Its fields.
    pub(crate) fn group(&self) -> &WorkloadGroup {
        match self {
            Self::Deployment(g)
            | Self::ReplicaSet(g)
            | Self::StatefulSet(g)
            | Self::DaemonSet(g)
            | Self::Job(g) => g,
        }
    }

    /// Its fields, to change them.
    pub(crate) fn group_mut(&mut self) -> &mut WorkloadGroup {
        match self {
            Self::Deployment(g)
            | Self::ReplicaSet(g)
            | Self::StatefulSet(g)
            | Self::DaemonSet(g)
            | Self::Job(g) => g,
        }
    }
}

/// A field that not all kinds have: which have it, and whether it is given.
type Own = (&'static str, &'static [WorkloadKind], fn(&WorkloadGroup) -> bool);

/// Those of the template, too, go by their own names.
pub(crate) const OWN: [Own; 14] = [
    ("deployment", &[ReplicaSet], |g| g.deployment.is_some()),
    ("revision", &[ReplicaSet], |g| g.revision.is_some()),
    ("maxReplicas", &[ReplicaSet], |g| g.max_replicas.is_some()),
    ("maxSurge", &[Deployment], |g| g.max_surge.is_some()),
    ("replicas", &[Deployment, ReplicaSet, StatefulSet], |g| g.replicas.is_some()),
    ("minReadySeconds", &[Deployment, ReplicaSet, StatefulSet, DaemonSet], |g| {
        g.min_ready_seconds.is_some()
    }),
    ("podManagementPolicy", &[StatefulSet], |g| g.pod_management_policy.is_some()),
    ("ordinals", &[StatefulSet], |g| g.ordinals.is_some()),
    ("parallelism", &[Job], |g| g.parallelism.is_some()),
    ("completions", &[Job], |g| g.completions.is_some()),
    ("backoffLimit", &[Job], |g| g.backoff_limit.is_some()),
    ("podReplacementPolicy", &[Job], |g| g.pod_replacement_policy.is_some()),
    ("podFailurePolicy", &[Job], |g| g.pod_failure_policy.is_some()),
    ("restartPolicy", &[Job], |g| g.template.restart_policy.is_some()),
];

/// The fields of all kinds of workload; which kind has which is checked with the rest of the
/// scenario's meaning.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(extend("allOf" = named()))]
pub struct WorkloadGroup {
    /// `metadata.name`
    pub(crate) name: Option<String>,
    /// The names of several, `"web-{0..9}"`; instead of `name`.
    pub(crate) names: Option<NamesText>,
    /// `metadata.namespace`; `default` where not given.
    pub(crate) namespace: Option<String>,
    /// The Deployment of a ReplicaSet, in its namespace.
    pub(crate) deployment: Option<String>,
    /// The annotation `deployment.kubernetes.io/revision` of a ReplicaSet: of several that a Deployment has amid a rollout,
    /// the one with the highest is the new one.
    pub(crate) revision: Option<i64>,
    /// The annotation `deployment.kubernetes.io/max-replicas` of a ReplicaSet: how many pods all sets of its Deployment might
    /// have together when that last scaled this one; what is added or taken away amid a rollout is shared out by it.
    pub(crate) max_replicas: Option<i32>,
    /// `spec.replicas`; 1 where not given.
    pub(crate) replicas: Option<i32>,
    /// `spec.strategy.rollingUpdate.maxSurge` of a Deployment, which counts while it has several ReplicaSets with pods;
    /// `"25%"` where not given.
    pub(crate) max_surge: Option<FlagValue>,
    /// `spec.selector`; the label `app` with the workload's name where not given, which the
    /// template then has too.
    pub(crate) selector: Option<LabelSelector>,
    /// `spec.minReadySeconds`; 0 where not given.
    pub(crate) min_ready_seconds: Option<i32>,
    /// How many of its pods have to be up for it to do its work: a number, or a share of those it
    /// asks for, `"80%"`, rounded up. Where not given it is what its disruption budget demands,
    /// else one.
    pub(crate) needs: Option<FlagValue>,
    /// `spec.podManagementPolicy` of a StatefulSet; `OrderedReady` where not given.
    pub(crate) pod_management_policy: Option<PodManagementPolicy>,
    /// `spec.ordinals` of a StatefulSet.
    pub(crate) ordinals: Option<Ordinals>,
    /// `spec.parallelism` of a Job; 1 where not given.
    pub(crate) parallelism: Option<i32>,
    /// `spec.completions` of a Job; 1 where neither it nor `parallelism` is given.
    pub(crate) completions: Option<i32>,
    /// `spec.backoffLimit` of a Job; 6 where not given.
    pub(crate) backoff_limit: Option<i32>,
    /// `spec.podReplacementPolicy` of a Job.
    pub(crate) pod_replacement_policy: Option<PodReplacementPolicy>,
    /// `spec.podFailurePolicy` of a Job.
    pub(crate) pod_failure_policy: Option<PodFailurePolicy>,
    /// `spec.template`
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) template: PodTemplate,
    /// Where its pods run when the run starts. Without it, there are none: its controller creates
    /// them.
    pub(crate) placement: Option<Placement>,
}

/// `spec.template`, with the sum of its containers' requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PodTemplate {
    /// `metadata.labels`
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// `spec.tolerations`. Admission adds those for not-ready and unreachable to each pod where
    /// they are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// `spec.terminationGracePeriodSeconds`; 30 where not given.
    pub termination_grace_period_seconds: Option<i64>,
    /// `spec.nodeSelector`
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// `spec.nodeName`: its pods are bound to this node without a scheduler.
    pub(crate) node_name: Option<String>,
    /// The sum of the containers' `resources.requests`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<String, QuantityText>,
    /// `spec.priority`
    pub priority: Option<i32>,
    /// `spec.priorityClassName`
    pub priority_class_name: Option<String>,
    /// `spec.affinity`
    pub(crate) affinity: Option<Affinity>,
    /// `spec.topologySpreadConstraints`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// The ports of the node that its containers take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ports: Vec<HostPort>,
    /// `spec.schedulingGates`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) scheduling_gates: Vec<SchedulingGate>,
    /// `spec.schedulerName`; with any but `default-scheduler` nobody here places them.
    pub(crate) scheduler_name: Option<String>,
    /// `spec.preemptionPolicy`; that of the priority class where not given.
    pub(crate) preemption_policy: Option<PreemptionPolicy>,
    /// The requests of each container, where there are several: some scores count what a container
    /// does not ask for.
    #[serde(default, rename = "container_requests", skip_serializing_if = "Vec::is_empty")]
    pub(crate) container_requests: Vec<BTreeMap<String, QuantityText>>,
    /// There is an emptyDir among its volumes: `kubectl drain` asks for a flag.
    #[serde(default, rename = "empty_dir", skip_serializing_if = "std::ops::Not::not")]
    pub empty_dir: bool,
    /// The claims among its volumes; those of a StatefulSet are its `volumeClaimTemplates`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) volumes: Vec<VolumeClaim>,
    /// The claims of each pod on devices: `[(count: 1)]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) resource_claims: Vec<DeviceClaim>,
    /// There are volumes among its own that outlive a pod, and nothing is known of them. They are not
    /// simulated, and results say of whom.
    #[serde(default, rename = "persistent_volumes", skip_serializing_if = "std::ops::Not::not")]
    pub persistent_volumes: bool,
    /// The annotation `controller.kubernetes.io/pod-deletion-cost`: of the pods of a ReplicaSet
    /// those that cost less go first; 0 where not given.
    pub(crate) pod_deletion_cost: Option<i32>,
    /// From its binding to Running and Ready; as the kubelets' `pod_start` where not given.
    #[serde(rename = "pod_start")]
    pub(crate) pod_start: Option<HowLong>,
    /// Its container's image, which its kubelet pulls before that time where its node does not have it. Where not given, the
    /// pull is part of `pod_start`.
    pub(crate) image: Option<Image>,
    /// `spec.initContainers`, in the order in which they start: the main container starts once they have ended well, or
    /// have started where they are sidecars.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) init_containers: Vec<Container>,
    /// Those of `spec.containers` that start after the main one, of which the other fields tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) containers: Vec<Container>,
    /// How long its containers take to stop once asked to; the grace period cuts it short. As the
    /// kubelets' `pod_stop` where not given.
    #[serde(rename = "pod_stop")]
    pub(crate) pod_stop: Option<HowLong>,
    /// The exit code of its containers when they end because they were asked to: with 0, as where not
    /// given, the pod has Succeeded, with any other it has Failed.
    #[serde(rename = "exit_code")]
    pub exit_code: Option<i32>,
    /// What its containers use, from their start on: `memory`, `ephemeral-storage`, `inodes`, `imagefs`, `imagefs-inodes`,
    /// `pids`. Kubelets evict pods where a node runs short; where nothing is said, nothing is used.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) usage: BTreeMap<String, UsageText>,
    /// `readinessProbe` of its container: the pod is Ready only once it has succeeded.
    pub(crate) readiness_probe: Option<Probe>,
    /// `livenessProbe` of its container: one that fails has it killed and started again.
    pub(crate) liveness_probe: Option<Probe>,
    /// `startupProbe` of its container: the other two wait until it has succeeded.
    pub(crate) startup_probe: Option<Probe>,
    /// From a container's start until it serves, which is what probes see; at once where not given.
    #[serde(rename = "serves_after")]
    pub(crate) serves_after: Option<HowLong>,
    /// For how long a container serves then; until it ends where not given. It runs on after that, and only a liveness probe
    /// makes an end to it.
    #[serde(rename = "serves_for")]
    pub(crate) serves_for: Option<HowLong>,
    /// Its container ends by itself: `(after: "90s", exit_code: 1)`.
    pub(crate) ends: Option<Ends>,
    /// `spec.restartPolicy` of a Job's pods; `Never` where not given. Others are always restarted.
    pub(crate) restart_policy: Option<RestartPolicy>,
}

impl PodGroup {
    /// What the template of a workload with these pods would say of them.
    pub(crate) fn template(&self) -> PodTemplate {
        let mut template = PodTemplate::default();
        self.clone().trade(&mut template);
        template
    }

    /// The pods as if they were made from another template.
    pub(crate) fn with_template(mut self, mut template: PodTemplate) -> Self {
        self.trade(&mut template);
        self
    }

    /// Trades what a template would say of the pods for what another says.
    fn trade(&mut self, t: &mut PodTemplate) {
        macro_rules! swap {
            ($($field:ident)*) => { $(swap(&mut self.$field, &mut t.$field);)* };
        }
        swap! {
            labels tolerations termination_grace_period_seconds node_selector requests priority
            priority_class_name affinity topology_spread_constraints ports scheduling_gates
            scheduler_name
            preemption_policy container_requests empty_dir volumes resource_claims
            persistent_volumes pod_deletion_cost pod_start image init_containers containers
            pod_stop exit_code usage
            readiness_probe liveness_probe startup_probe serves_after serves_for ends
            restart_policy
        }
    }
}

/// `spec.podManagementPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum PodManagementPolicy {
    /// One pod after the other.
    OrderedReady,
    /// All pods at once.
    Parallel,
}

/// `spec.ordinals`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ordinals {
    /// The number of the first pod.
    pub(crate) start: i32,
}

/// `spec.podFailurePolicy`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PodFailurePolicy {
    /// The first that matches counts.
    pub(crate) rules: Vec<PodFailurePolicyRule>,
}

/// A rule that looks at conditions of the failed pod.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PodFailurePolicyRule {
    /// What follows.
    pub action: PodFailurePolicyAction,
    /// The conditions; any of them is enough.
    pub(crate) on_pod_conditions: Vec<PodFailurePolicyOnPodConditions>,
}

/// A condition of a pod, and its status.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PodFailurePolicyOnPodConditions {
    /// Which condition.
    #[serde(rename = "type")]
    pub(crate) kind: PodConditionKind,
    /// Its status; `True` where not given.
    pub(crate) status: Option<ConditionStatus>,
}

/// A condition that a policy may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum PodConditionKind {
    /// The pod was evicted, preempted or removed for its node's failure.
    DisruptionTarget,
}

/// `scheduling.k8s.io/v1 PriorityClass`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PriorityClass {
    /// `metadata.name`
    pub(crate) name: String,
    /// The priority of its pods.
    pub(crate) value: i32,
    /// It is for pods that name none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) global_default: bool,
    /// Whether its pods make others leave; `PreemptLowerPriority` where not given.
    pub(crate) preemption_policy: Option<PreemptionPolicy>,
}

/// Controllers that may be switched off; all run where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Controllers {
    /// They start anew with the run, as after a restart, and remember nothing: `controllers:
    /// Restarted` says just this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) restarted: bool,
    /// The pod garbage collector.
    pub pod_gc: Option<bool>,
    /// The garbage collector of owner references; it runs where the timeline deletes a workload.
    pub garbage_collector: Option<bool>,
    /// The Deployment controller.
    pub deployment: Option<bool>,
    /// The ReplicaSet controller.
    pub replica_set: Option<bool>,
    /// The StatefulSet controller.
    pub stateful_set: Option<bool>,
    /// The DaemonSet controller.
    pub daemon_set: Option<bool>,
    /// The Job controller.
    pub job: Option<bool>,
    /// The cloud controllers; they run where the timeline speaks of instances, or a node waits to
    /// be initialized.
    pub cloud: Option<bool>,
    /// The disruption controller, which keeps the status of disruption budgets.
    pub disruption: Option<bool>,
    /// The scheduler.
    pub scheduler: Option<bool>,
    /// The attach/detach controller; it runs where pods have volumes.
    pub attach_detach: Option<bool>,
    /// The device taint eviction controller; it runs where nodes have devices.
    pub device_taint_eviction: Option<bool>,
    /// The resourceclaim controller, which makes the claims of pods; it runs where nodes have devices.
    pub resource_claim: Option<bool>,
    /// The node readiness controller.
    pub node_readiness: Option<bool>,
}

/// `policy/v1 PodDisruptionBudget`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PodDisruptionBudget {
    /// `metadata.name`
    pub(crate) name: String,
    /// `metadata.namespace`; `default` where not given.
    pub(crate) namespace: Option<String>,
    /// `spec.selector`; `()` is every pod of the namespace, and up to 1.20 none. Where it is not given it selects none.
    pub(crate) selector: Option<LabelSelector>,
    /// `spec.minAvailable`: a number, or `"50%"`.
    pub(crate) min_available: Option<FlagValue>,
    /// `spec.maxUnavailable`: a number, or `"25%"`.
    pub(crate) max_unavailable: Option<FlagValue>,
    /// `spec.unhealthyPodEvictionPolicy`; `IfHealthyBudget` where not given.
    pub(crate) unhealthy_pod_eviction_policy: Option<UnhealthyPodEvictionPolicy>,
}

/// `spec.unhealthyPodEvictionPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum UnhealthyPodEvictionPolicy {
    /// Pods that are not ready go only while enough others are.
    IfHealthyBudget,
    /// Pods that are not ready may always go.
    AlwaysAllow,
}
