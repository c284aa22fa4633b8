//! Groups of nodes and pods, and how entries of the timeline refer to them.

use super::containers::{Container, Ends, Image, Probe};
use super::devices::{DeviceClaim, NodeDevices};
use super::scheduling::*;
use super::spans::HowLong;
use super::volumes::VolumeClaim;
use crate::api::node::NodeConditionType;
use crate::api::pod::{PodPhase, PodSource, Stuck};
use crate::api::probe::RestartPolicy;
use crate::api::words::rows;
use crate::language::prelude::*;

/// Nodes that are alike except for their names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("allOf" = named()))]
pub struct NodeGroup {
    /// The name of a single node.
    pub(crate) name: Option<String>,
    /// The names of several nodes, `"a-{00..09}"`; instead of `name`.
    pub(crate) names: Option<NamesText>,
    /// The zone: labels `topology.kubernetes.io/zone` and its beta name.
    pub(crate) zone: Option<String>,
    /// The region: labels `topology.kubernetes.io/region` and its beta name.
    pub(crate) region: Option<String>,
    /// `metadata.labels`
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    /// `spec.taints` in kubectl's syntax: `"key=value:NoExecute"`, `"key:NoSchedule"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) taints: Vec<String>,
    /// `timeAdded` of taints, from the start of the run:
    /// `{"node.kubernetes.io/unreachable:NoExecute": "-8m"}`. Only controllers set it, so that it
    /// appears in imports; nothing reads it.
    #[serde(default, rename = "taintsAdded", skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) taints_added: BTreeMap<String, DurationText>,
    /// `spec.unschedulable`: cordoned from the start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unschedulable: bool,
    /// `status.capacity`, all of it allocatable.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) capacity: BTreeMap<String, QuantityText>,
    /// What the node itself uses beside its pods, from the start of the run on, as `usage` of a pod has it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) usage: BTreeMap<String, UsageText>,
    /// How much images take up that no container uses. They are deleted before a pod is evicted for want of disk; none
    /// where not given.
    pub(crate) unused_images: Option<QuantityText>,
    /// The names of images that each of them has from the start, beside those of pods that run on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<String>,
    /// Devices of each of them, which pods claim: `[(names: "gpu-{0..7}")]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) devices: Vec<NodeDevices>,
    /// Conditions of types that no kubelet posts, as agents have posted them: `{"CniReady": True}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) conditions: BTreeMap<String, ConditionStatus>,
    /// The rules of the node readiness controller whose bootstrap is completed at them (annotations
    /// `readiness.k8s.io/bootstrap-completed-UID`): a rule with `BootstrapOnly` does not act there any more.
    #[serde(default, rename = "bootstrapCompleted", skip_serializing_if = "Vec::is_empty")]
    pub(crate) bootstrap_completed: Vec<String>,
    /// Flags of their kubelets, in place of those of all kubelets that have the same names (`flags`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) kubelet: BTreeMap<String, FlagValue>,
    /// How the nodes start; `Ready` where not given.
    pub(crate) start: Option<NodeStart>,
    /// Imitated kubelets (`timing: Ideal`): when the lease is first renewed. Spread by the node's
    /// name where not given.
    pub(crate) lease_offset: Option<DurationText>,
    /// Imitated kubelets: the period of lease renewals.
    pub(crate) lease_period: Option<DurationText>,
    /// Imitated kubelets: when the status is first checked. Spread by the node's name where not
    /// given.
    pub(crate) status_offset: Option<DurationText>,
}

/// How a node starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) enum NodeStart {
    /// Ready, with a fresh heartbeat.
    Ready,
    /// The object alone: no conditions, no lease, no kubelet.
    Silent,
    /// It was deleted before the run, with its machine: pods are still on it, or volumes attached to it.
    Deleted,
    /// As an export of a real cluster shows it.
    Imported {
        /// `status.conditions`
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        conditions: Vec<Condition>,
        /// The lease's `spec.renewTime`, from the start of the run and not after it: `"-3.25s"`.
        /// None if there is no lease.
        #[serde(rename = "renewTime")]
        renew_time: Option<DurationText>,
        /// When a node was created whose condition Ready was never posted, from the start of the run and not after it:
        /// `"-20s"`.
        created: Option<DurationText>,
        /// The kubelet does not reach the API server when the run starts.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut_off: bool,
    },
}

/// A condition of an imported node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Condition {
    /// Which condition.
    #[serde(rename = "type")]
    pub(crate) kind: ConditionKind,
    /// Its status.
    pub(crate) status: ConditionStatus,
    /// Why, in Kubernetes' word; a reason that the model does not know is kept as none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    /// When the kubelet last posted it, from the start of the run: `"-12s"`.
    pub(crate) last_heartbeat_time: DurationText,
    /// When the status last changed, from the start of the run: `"-26h"`.
    pub(crate) last_transition_time: DurationText,
}

rows! {
    /// The type of a node condition.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
    pub enum ConditionKind {
        /// The kubelet is ready.
        Ready = NodeConditionType::Ready,
        /// Memory is short.
        MemoryPressure = NodeConditionType::MemoryPressure,
        /// Disk is short.
        DiskPressure = NodeConditionType::DiskPressure,
        /// Process ids are short.
        PIDPressure = NodeConditionType::PidPressure,
        /// The network is not set up.
        NetworkUnavailable = NodeConditionType::NetworkUnavailable,
        /// Disk is out; up to 1.13.
        OutOfDisk = NodeConditionType::OutOfDisk,
    }

    /// The type of the API that it is.
    pub(crate) fn of_api -> NodeConditionType;
}

/// Pods that are alike except for their names and places.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(extend("allOf" = named()))]
pub struct PodGroup {
    /// The name of a single pod; with `count`, `Each` or `PerNode` the names are made from it:
    /// `web-0`, `web-1`, …, or `agent-NODE`, or `web-NODE-0`.
    pub(crate) name: Option<String>,
    /// The names of several pods, `"db-{0..2}"`; instead of `name`.
    pub names: Option<NamesText>,
    /// `metadata.namespace`; `default` where not given.
    pub(crate) namespace: Option<String>,
    /// How many.
    pub(crate) count: Option<u64>,
    /// Another word for `count`.
    pub(crate) replicas: Option<u64>,
    /// Where they are, or that the scheduler is to place them.
    pub(crate) on: Placement,
    /// `metadata.labels`
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    /// The controlling owner.
    pub(crate) owner: Option<Owner>,
    /// `spec.tolerations`. Admission adds those for not-ready and unreachable where they are
    /// missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tolerations: Vec<Toleration>,
    /// `spec.terminationGracePeriodSeconds`; 30 where not given.
    pub(crate) termination_grace_period_seconds: Option<i64>,
    /// `spec.nodeSelector`
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) node_selector: BTreeMap<String, String>,
    /// The sum of the containers' `resources.requests`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) requests: BTreeMap<String, QuantityText>,
    /// `spec.priority`
    pub(crate) priority: Option<i32>,
    /// `spec.priorityClassName`
    pub(crate) priority_class_name: Option<String>,
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
    pub(crate) empty_dir: bool,
    /// The claims among its volumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) volumes: Vec<VolumeClaim>,
    /// The claims of each pod on devices: `[(count: 1)]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) resource_claims: Vec<DeviceClaim>,
    /// The names of the devices of its node that each of them has from the start, one claim after the other; where not
    /// given the first that are free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) devices: Vec<String>,
    /// There are volumes among its own that outlive a pod, and nothing is known of them. They are not
    /// simulated, and results say of whom.
    #[serde(default, rename = "persistent_volumes", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) persistent_volumes: bool,
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
    pub(crate) exit_code: Option<i32>,
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
    /// `spec.restartPolicy`; `Always` where not given.
    pub(crate) restart_policy: Option<RestartPolicy>,
    /// A static pod: where its kubelet has it from.
    #[serde(rename = "static")]
    pub(crate) static_pod: Option<PodSource>,
    /// How they start: `Running` where not given, or `Pending` for pods that are bound nowhere.
    pub(crate) start: Option<PodStart>,
    /// How often containers of each that runs were started again before the run, all of them together: a Job with
    /// `restartPolicy: OnFailure` counts them against its `backoffLimit`.
    pub(crate) restart_count: Option<u32>,
    /// What keeps them as they are.
    pub(crate) stuck: Option<Stuck>,
}

/// Where the pods of a group are.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) enum Placement {
    /// Bound to no node: the scheduler places them, or an entry of the timeline binds them.
    #[default]
    Unbound,
    /// All of them on this node.
    Node(String),
    /// Round-robin over these nodes, in this order: with as many names as pods, one by one.
    Nodes(Vec<String>),
    /// Round-robin over the nodes that match, in the order in which the scenario declares them.
    Spread(NodeSelector),
    /// One pod on each node that matches.
    Each(NodeSelector),
    /// So many pods on each node that matches.
    PerNode {
        /// How many on each.
        count: u64,
        /// On which nodes.
        nodes: NodeSelector,
    },
}

/// A set of nodes, as they are declared: labels that change during a run do not matter.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum NodeSelector {
    /// Every node.
    All,
    /// One node.
    Node(String),
    /// These nodes; ranges as in `names` are allowed.
    Nodes(Vec<String>),
    /// The nodes of a zone.
    Zone(String),
    /// The nodes of a region.
    Region(String),
    /// The nodes that match a label selector: `"gpu=true,tier!=web"`.
    Label(String),
    /// A part of the nodes that match, rounded to whole nodes, and at least one.
    Share {
        /// Of which nodes.
        of: Box<NodeSelector>,
        /// Which part of them, above 0 and at most 1.
        fraction: f64,
        /// By a hash of their names instead of the first ones by name; the same in every run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        random: bool,
    },
}

/// A set of pods.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum PodSelector {
    /// Every pod.
    All,
    /// One pod: `"web-0"`, or `"kube-system/dns-0"`.
    Pod(String),
    /// These pods; ranges as in `names` are allowed.
    Pods(Vec<String>),
    /// The pods of the group of that name.
    Group(String),
    /// The pods that match a label selector.
    Label(String),
}

/// The controlling owner of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Owner {
    /// Its kind, `DaemonSet` say.
    pub(crate) kind: String,
    /// Its name.
    pub(crate) name: String,
}

/// How a pod starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) enum PodStart {
    /// Running and Ready.
    Running,
    /// Bound and not started; its kubelet starts it.
    Pending,
    /// Bound, and its kubelet is at it: its volumes are attached and mounted.
    Starting {
        /// How much of its start is over, while none of its containers was started; nothing where not given.
        waited: Option<DurationText>,
        /// The container that is started next, or runs: an init container, or `main`. Those before it are done, or have
        /// started where they are sidecars.
        turn: Option<String>,
        /// For how long that init container has run; it does not where not given.
        ran: Option<DurationText>,
    },
    /// As an export of a real cluster shows it.
    Imported {
        /// `status.phase`
        phase: PodPhase,
        /// The condition Ready.
        ready: Option<PodCondition>,
        /// The condition DisruptionTarget.
        #[serde(rename = "disruptionTarget")]
        disruption_target: Option<PodCondition>,
        /// Set if it was being deleted.
        deletion: Option<Deletion>,
    },
}

impl PodStart {
    /// It has ended, and is there only to be looked at.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Imported { phase, .. } if phase.is_terminal())
    }
}

/// A condition of an imported pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PodCondition {
    /// Its status.
    pub status: ConditionStatus,
    /// Why.
    pub reason: Option<PodReason>,
    /// When the status last changed, from the start of the run: `"-26h"`.
    pub last_transition_time: DurationText,
}

/// Why an imported pod's condition has its status; others are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum PodReason {
    /// By the taint eviction controller.
    DeletionByTaintManager,
    /// By the pod garbage collector.
    DeletionByPodGC,
    /// Through the eviction API, by `kubectl drain` say.
    EvictionByEvictionAPI,
    /// By the scheduler, for a pod of higher priority.
    PreemptionByScheduler,
}

/// A deletion that an imported pod was in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Deletion {
    /// `metadata.deletionTimestamp`: when the grace period is over, from the start of the run:
    /// `"-4m"`, `"12s"`.
    pub timestamp: DurationText,
    /// `metadata.deletionGracePeriodSeconds`
    pub grace_period_seconds: i64,
}

/// What a namespace says of the tolerations of its pods. It counts where `enable-admission-plugins`
/// has PodTolerationRestriction.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Namespace {
    /// The name of a single namespace.
    pub(crate) name: Option<String>,
    /// The names of several, `"team-{1..3}"`; instead of `name`.
    pub(crate) names: Option<NamesText>,
    /// The annotation `scheduler.alpha.kubernetes.io/defaultTolerations`: what new pods get.
    pub(crate) default_tolerations: Option<Vec<Toleration>>,
    /// The annotation `scheduler.alpha.kubernetes.io/tolerationsWhitelist`: what pods may have;
    /// anything where it is empty.
    pub(crate) tolerations_whitelist: Option<Vec<Toleration>>,
}

impl NodeGroup {
    /// The name or names as written.
    pub(crate) fn names_texts(&self) -> Option<OneOrMany> {
        self.names.clone().or_else(|| self.name.clone().map(OneOrMany::One))
    }
}
