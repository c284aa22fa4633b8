//! The recorder's scenario format: what its JSON says, before it becomes a plan.
//!
//! Unknown fields are ignored, as the recorder ignores them; a list or group that is `null` is as
//! if absent. Every field but `name` and `horizon` is optional; a duration of zero stands for the
//! default where the recorder has it so.

use super::pod_spec::{PodSpecRest, SelectorSpec};
use super::workload_spec::WorkloadSpecRest;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use taintsim::kernel::Dur;
use taintsim::language::duration;

/// A duration in Go's notation. Negative ones are refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct GoDuration(pub Dur);

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        duration::parse(&text).map(GoDuration).map_err(serde::de::Error::custom)
    }
}

/// A duration in Go's notation that may be negative, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SignedDuration(pub i64);

impl<'de> Deserialize<'de> for SignedDuration {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        let (sign, size) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, &*text),
        };
        let size = duration::parse(size).map_err(serde::de::Error::custom)?;
        i64::try_from(size.as_nanos())
            .map(|ns| SignedDuration(sign * ns))
            .map_err(serde::de::Error::custom)
    }
}

/// A field that may be `null`, which is as if it were absent.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(d: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(d).map(Option::unwrap_or_default)
}

/// A scenario as the recorder reads it. `SCENARIO.md` of the recorder gives the meaning of every
/// field.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct RecordedScenario {
    /// Its name, unique among the scenarios of a release.
    pub name: String,
    /// One sentence.
    #[serde(default, deserialize_with = "nullable")]
    pub doc: String,
    /// The end of the run.
    pub horizon: GoDuration,
    /// When the controllers start.
    #[serde(default, deserialize_with = "nullable")]
    pub controllers_start: GoDuration,
    /// Flags of kube-controller-manager.
    #[serde(default, deserialize_with = "nullable")]
    pub flags: FlagsSpec,
    /// Delays of the API server.
    #[serde(default, deserialize_with = "nullable")]
    pub api: ApiSpec,
    /// Added to the monitor period; 1 us if absent.
    pub pass_overhead: Option<GoDuration>,
    /// How long the driver of volumes takes.
    #[serde(default, deserialize_with = "nullable")]
    pub attacher: AttacherSpec,
    /// How many volumes a node may have attached.
    pub volume_limit: Option<u32>,
    /// Feature gates of all components.
    #[serde(default, deserialize_with = "nullable")]
    pub gates: BTreeMap<String, bool>,
    /// Limits by actor, `*` for all.
    #[serde(default, deserialize_with = "nullable")]
    pub clients: BTreeMap<String, LimitsSpec>,
    /// Admission plugins; DefaultTolerationSeconds if absent.
    pub admission: Option<Vec<String>>,
    /// The controllers that run; the two of node failure handling if absent.
    pub controllers: Option<Vec<String>>,
    /// The configuration of the scheduler; the release's defaults if absent.
    pub scheduler: Option<SchedulerSpec>,
    /// Whose loops kubelets have: `upstream`, or `imitated` as if absent.
    #[serde(default, deserialize_with = "nullable")]
    pub kubelets: String,
    /// How kubelets behave.
    #[serde(default, deserialize_with = "nullable")]
    pub kubelet: KubeletSpec,
    /// What annotations of namespaces say of their pods' tolerations.
    #[serde(default, deserialize_with = "nullable")]
    pub namespaces: BTreeMap<String, NamespaceSpec>,
    /// The nodes at the start.
    #[serde(default, deserialize_with = "nullable")]
    pub nodes: Vec<NodeSpec>,
    /// The pods at the start.
    #[serde(default, deserialize_with = "nullable")]
    pub pods: Vec<PodSpec>,
    /// Objects whose controllers create pods.
    #[serde(default, deserialize_with = "nullable")]
    pub workloads: Vec<WorkloadSpec>,
    /// Disruption budgets.
    #[serde(default, deserialize_with = "nullable")]
    pub budgets: Vec<BudgetSpec>,
    /// Claims on devices that exist by themselves.
    #[serde(default, deserialize_with = "nullable", rename = "resourceClaims")]
    pub claims: Vec<ResourceClaimSpec>,
    /// What happens, in time order.
    #[serde(default, deserialize_with = "nullable")]
    pub actions: Vec<ActionSpec>,
}

/// How long the driver of volumes takes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AttacherSpec {
    pub attach: GoDuration,
    pub detach: GoDuration,
}

/// A volume of a pod: its claim, who may use it, and from where it is reached; from everywhere where
/// neither zone nor host is given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct VolumeSpec {
    pub claim: String,
    pub access: String,
    pub zone: String,
    /// It is a local volume of that node.
    pub host: String,
    /// How long its driver takes to make it; zero where it is there from the start.
    pub provision: GoDuration,
    /// One that is made: it is in the zone of the node that is chosen for it.
    pub zonal: bool,
    /// One that is made: it is made as soon as there is its claim.
    pub immediate: bool,
}

/// Devices of a driver on a node.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DevicesSpec {
    pub driver: String,
    pub names: Vec<String>,
}

/// A claim on devices: with one request, or with those of the list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DeviceClaimSpec {
    #[serde(flatten)]
    pub only: DeviceRequestSpec,
    #[serde(deserialize_with = "nullable")]
    pub requests: Vec<DeviceRequestSpec>,
    /// Of a pod: the claim of that name, and nothing else is given.
    #[serde(rename = "resourceClaimName")]
    pub shared: String,
}

/// A request for devices of a driver, for one where no count is given; or for the first of its alternatives that can be had.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DeviceRequestSpec {
    pub driver: String,
    pub count: u32,
    /// `All`, or `ExactCount`, which is the default.
    #[serde(rename = "allocationMode")]
    pub allocation_mode: String,
    #[serde(deserialize_with = "nullable")]
    pub tolerations: Vec<TolerationSpec>,
    #[serde(rename = "firstAvailable", deserialize_with = "nullable")]
    pub first_available: Vec<Self>,
}

/// A claim that exists by itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ResourceClaimSpec {
    pub name: String,
    /// Its namespace; `default` if empty.
    pub namespace: String,
    #[serde(flatten)]
    pub claim: DeviceClaimSpec,
}

/// A DeviceTaintRule, or a taint that a driver publishes; what is empty is not given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DeviceTaintSpec {
    pub name: String,
    pub driver: String,
    pub pool: String,
    pub device: String,
    pub key: String,
    pub value: String,
    pub effect: String,
}

/// Flags of kube-controller-manager; a duration of zero is the default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FlagsSpec {
    /// `--node-monitor-period`
    #[serde(default, deserialize_with = "nullable")]
    pub node_monitor_period: GoDuration,
    /// `--node-monitor-grace-period`
    #[serde(default, deserialize_with = "nullable")]
    pub node_monitor_grace_period: GoDuration,
    /// `--node-startup-grace-period`
    #[serde(default, deserialize_with = "nullable")]
    pub node_startup_grace_period: GoDuration,
    /// `--node-eviction-rate`
    pub node_eviction_rate: Option<f32>,
    /// `--secondary-node-eviction-rate`
    pub secondary_node_eviction_rate: Option<f32>,
    /// `--large-cluster-size-threshold`
    pub large_cluster_size_threshold: Option<i32>,
    /// `--unhealthy-zone-threshold`
    pub unhealthy_zone_threshold: Option<f32>,
    /// `--pod-eviction-timeout`, up to 1.26
    #[serde(default, deserialize_with = "nullable")]
    pub pod_eviction_timeout: GoDuration,
    /// `--enable-taint-manager`, up to 1.26
    pub enable_taint_manager: Option<bool>,
    /// `--terminated-pod-gc-threshold`
    #[serde(rename = "terminated-pod-gc-threshold")]
    pub terminated_pod_gc_threshold: Option<i32>,
    /// `--disable-force-detach-on-timeout`, from 1.30
    pub disable_force_detach_on_timeout: Option<bool>,
    /// kube-apiserver's `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: Option<i64>,
    /// kube-apiserver's `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: Option<i64>,
}

/// Delays of the API server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ApiSpec {
    /// From sending to applying.
    #[serde(default, deserialize_with = "nullable")]
    pub request: GoDuration,
    /// From applying to the reply; 1 ns if absent.
    pub response: Option<GoDuration>,
    /// From applying to delivery to every watch.
    #[serde(default, deserialize_with = "nullable")]
    pub watch: GoDuration,
    /// What each read and write of the storage takes within an eviction.
    #[serde(default, deserialize_with = "nullable")]
    pub storage: GoDuration,
}

/// A client's limits, as client-go's `rest.Config` has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct LimitsSpec {
    /// Requests per second; 0 is client-go's default, negative is unlimited.
    #[serde(default, deserialize_with = "nullable")]
    pub qps: f32,
    /// Burst; 0 is client-go's default.
    #[serde(default, deserialize_with = "nullable")]
    pub burst: u32,
}

/// What KubeSchedulerConfiguration says, whatever the release.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SchedulerSpec {
    /// `percentageOfNodesToScore`; zero is the default, which depends on the size of the cluster.
    pub percentage_of_nodes_to_score: Option<u32>,
    /// `LeastAllocated` if empty, or `MostAllocated`.
    pub scoring_strategy: String,
    /// Preemption is on; true if absent.
    pub preemption: Option<bool>,
}

/// How kubelets behave.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct KubeletSpec {
    /// From binding to Running and Ready; 1 s if absent.
    pub start: Option<GoDuration>,
    /// From deletionTimestamp to the end; 1 s if absent.
    pub stop: Option<GoDuration>,
    /// How old the last status post may become; 5 min if absent or zero.
    #[serde(default, deserialize_with = "nullable")]
    pub status_report: GoDuration,
    /// Imitated ones set pods that are NotReady back to Ready at each status check; true if absent.
    pub repost_pod_ready: Option<bool>,
}

/// The annotations that the admission plugin PodTolerationRestriction reads.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NamespaceSpec {
    /// `scheduler.alpha.kubernetes.io/defaultTolerations`
    pub default_tolerations: Option<Vec<TolerationSpec>>,
    /// `scheduler.alpha.kubernetes.io/tolerationsWhitelist`
    pub tolerations_whitelist: Option<Vec<TolerationSpec>>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NodeSpec {
    pub name: String,
    /// Its region, or empty.
    pub region: String,
    /// Its zone, or empty.
    pub zone: String,
    /// Further labels.
    #[serde(deserialize_with = "nullable")]
    pub labels: BTreeMap<String, String>,
    /// Taints, `key=value:Effect`.
    #[serde(deserialize_with = "nullable")]
    pub taints: Vec<String>,
    /// Cordoned.
    pub unschedulable: bool,
    /// Capacity where it is not cpu 4, memory 16Gi, pods 110.
    #[serde(deserialize_with = "nullable")]
    pub capacity: BTreeMap<String, String>,
    /// First renewal of the lease; zero is one period.
    pub lease_offset: GoDuration,
    /// Period of the lease's renewals; zero is 10 s.
    pub lease_period: GoDuration,
    /// First check of the status; zero is 10 s.
    pub status_offset: GoDuration,
    /// How far its clock is ahead.
    pub clock_offset: SignedDuration,
    /// Its devices.
    #[serde(deserialize_with = "nullable")]
    pub devices: Vec<DevicesSpec>,
    /// Without conditions, lease and kubelet.
    pub silent: bool,
    /// It is as an export shows it, with these conditions; absent otherwise.
    pub conditions: Option<Vec<ConditionSpec>>,
    /// When the lease of such a node was last renewed, from the start; it has none if absent.
    pub lease_renewed: Option<SignedDuration>,
    /// The kubelet of such a node does not reach the API server at the start.
    pub cut: bool,
}

/// A condition of a node or a pod as an export shows it. Times are from the start, mostly before it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ConditionSpec {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    /// Why; may be empty.
    pub reason: String,
    /// When a node's kubelet last posted it.
    pub heartbeat: SignedDuration,
    /// When the status last changed.
    pub transition: SignedDuration,
}

/// A deletion of a pod that had begun when it was exported.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DeletionSpec {
    /// When the grace is over.
    pub at: SignedDuration,
    /// The grace period in seconds.
    pub grace: i64,
}

/// A pod.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PodSpec {
    pub name: String,
    /// Its namespace; `default` if empty.
    pub namespace: String,
    /// The node it is bound to, or empty.
    pub node: String,
    /// Labels.
    #[serde(deserialize_with = "nullable")]
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations`
    #[serde(deserialize_with = "nullable")]
    pub annotations: BTreeMap<String, String>,
    /// `spec.tolerations`
    #[serde(deserialize_with = "nullable")]
    pub tolerations: Vec<TolerationSpec>,
    /// `spec.terminationGracePeriodSeconds`; 30 if absent.
    pub grace: Option<i64>,
    /// The container's requests.
    #[serde(deserialize_with = "nullable")]
    pub requests: BTreeMap<String, String>,
    /// `spec.nodeSelector`
    #[serde(rename = "nodeSelector", deserialize_with = "nullable")]
    pub node_selector: BTreeMap<String, String>,
    /// `spec.priority`
    pub priority: Option<i32>,
    /// `spec.preemptionPolicy`
    #[serde(rename = "preemptionPolicy")]
    pub preemption_policy: Option<String>,
    /// It is Running and Ready from the start.
    pub running: bool,
    /// The workload that it belongs to from the start, `ReplicaSet/web`.
    pub owner: String,
    /// It is the mirror of a static pod: from a `file`, or a `url`.
    #[serde(rename = "static")]
    pub source: String,
    /// It is as an export shows it, with this `status.phase`; empty otherwise.
    pub phase: String,
    /// The conditions Ready and DisruptionTarget of such a pod.
    #[serde(deserialize_with = "nullable")]
    pub conditions: Vec<ConditionSpec>,
    /// Such a pod is being deleted.
    pub deletion: Option<DeletionSpec>,
    /// Its volumes.
    #[serde(deserialize_with = "nullable")]
    pub volumes: Vec<VolumeSpec>,
    /// What it claims of devices.
    #[serde(rename = "deviceClaims", deserialize_with = "nullable")]
    pub device_claims: Vec<DeviceClaimSpec>,
    /// `metadata.finalizers`
    #[serde(deserialize_with = "nullable")]
    pub finalizers: Vec<String>,
    /// The rest of `spec`, as the Kubernetes API has it.
    pub(super) spec: Option<PodSpecRest>,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BudgetSpec {
    pub name: String,
    /// Its namespace; `default` if empty.
    pub namespace: String,
    /// `spec.selector.matchLabels`
    #[serde(deserialize_with = "nullable")]
    pub labels: BTreeMap<String, String>,
    /// `spec.selector`, in place of those.
    pub(super) selector: Option<SelectorSpec>,
    /// `spec.minAvailable`, a number or a percentage.
    pub min_available: Option<AmountSpec>,
    /// `spec.maxUnavailable`, a number or a percentage.
    pub max_unavailable: Option<AmountSpec>,
    /// `spec.unhealthyPodEvictionPolicy`; `IfHealthyBudget` if empty.
    pub unhealthy_pod_eviction_policy: String,
}

/// A number, or a percentage, `50%`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum AmountSpec {
    /// That many.
    Number(i32),
    /// A share.
    Percentage(String),
}

/// A toleration as in the Kubernetes API.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TolerationSpec {
    /// The taint's key.
    pub key: String,
    /// `Equal`, `Exists`, `Lt`, `Gt`; empty is `Equal`.
    pub operator: String,
    /// The value to compare with.
    pub value: String,
    /// The effect; empty is every effect.
    pub effect: String,
    /// How long the taint is tolerated; absent is for ever.
    pub toleration_seconds: Option<i64>,
}

/// An object whose controller creates pods.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct WorkloadSpec {
    pub kind: String,
    pub name: String,
    /// Its namespace; `default` if empty.
    pub namespace: String,
    /// How many pods it asks for.
    pub replicas: i32,
    /// A StatefulSet whose pods do not wait for each other.
    pub parallel: bool,
    /// `spec.minReadySeconds`
    #[serde(rename = "minReadySeconds")]
    pub min_ready_seconds: i32,
    /// The Deployment that a ReplicaSet belongs to from the start, `Deployment/web`.
    pub owner: String,
    /// `spec.selector`; `app` is its name if absent.
    pub(super) selector: Option<SelectorSpec>,
    /// Its pods.
    pub template: PodSpec,
    /// The rest of `spec`, as the Kubernetes API has it.
    pub(super) spec: Option<WorkloadSpecRest>,
}

/// Something that happens.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ActionSpec {
    pub at: GoDuration,
    #[serde(rename = "do")]
    pub act: String,
    /// The node it is about.
    pub node: String,
    /// The nodes it is about, after `node`.
    #[serde(deserialize_with = "nullable")]
    pub nodes: Vec<String>,
    /// Taints, `key=value:Effect`, several with commas.
    pub taint: String,
    /// Taints that the same write removes.
    pub untaint: String,
    /// The type of a condition.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status of a condition.
    pub status: String,
    /// The node that joins.
    pub spec: Option<NodeSpec>,
    /// The DeviceTaintRule it is about.
    pub rule: Option<DeviceTaintSpec>,
    /// The taint of devices it is about.
    pub device_taint: Option<DeviceTaintSpec>,
    /// The pod it is about.
    pub pod: String,
    /// The pod that is created.
    pub pod_spec: Option<PodSpec>,
    /// The pod's namespace; `default` if empty.
    pub namespace: String,
    /// The tolerations that replace the pod's.
    #[serde(deserialize_with = "nullable")]
    pub tolerations: Vec<TolerationSpec>,
    /// The grace period of a deletion; the pod's own if absent.
    pub grace: Option<i64>,
    /// How long something is down.
    pub downtime: GoDuration,
    /// How far the nodes' clocks are ahead from now on.
    pub ahead: SignedDuration,
    /// `lost`: after the outage the API server no longer knows where watches were.
    #[serde(rename = "watch-cache")]
    pub watch_cache: String,
    /// How much later watches deliver from now on.
    pub lag: GoDuration,
    /// How much later each further heartbeat comes; as it was if zero.
    pub period: GoDuration,
    /// The flags of `kubectl drain`.
    #[serde(deserialize_with = "nullable")]
    pub drain: DrainSpec,
    /// Whose requests are rejected; everybody's if empty.
    pub actor: String,
    /// The resource whose watches stall.
    pub resource: String,
    /// Labels to set; `null` removes one.
    #[serde(deserialize_with = "nullable")]
    pub labels: BTreeMap<String, Option<String>>,
    /// The workload it is about, `Deployment/web`.
    pub workload: String,
    /// What becomes of what the workload that is deleted owns: `Background` if empty, `Foreground`,
    /// `Orphan`.
    pub propagation: String,
    /// How many pods that workload asks for from now on.
    pub replicas: i32,
    /// The workload that is created.
    pub workload_spec: Option<WorkloadSpec>,
    /// The budget it is about, with what it asks for from now on.
    pub budget: Option<BudgetSpec>,
    /// What the cloud provider says of instances: `running`, `shut-down`, `gone`.
    pub state: String,
    /// How many nodes a maintenance has at a time; one if zero.
    #[serde(rename = "at-a-time")]
    pub at_a_time: usize,
    /// How long a maintenance has a machine off.
    pub off: GoDuration,
    /// Nodes are uncordoned after their maintenance; true if absent.
    pub uncordon: Option<bool>,
    /// What a maintenance does with a node that could not be drained: `stop` if empty, `skip`, `go-on`.
    #[serde(rename = "if-not-drained")]
    pub if_not_drained: String,
}

/// The flags of `kubectl drain`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct DrainSpec {
    /// Pods without a controller go too.
    pub force: bool,
    /// Pods of DaemonSets stay; true if absent.
    pub ignore_daemonsets: Option<bool>,
    /// In seconds; the pods' own if absent or negative.
    pub grace_period: Option<i64>,
    /// Of each node; zero waits for ever.
    pub timeout: GoDuration,
    /// Deletions in place of evictions.
    pub disable_eviction: bool,
    /// Pods with an emptyDir go too; true if absent.
    #[serde(rename = "delete-emptydir-data")]
    pub delete_emptydir_data: Option<bool>,
    /// Pods whose deletion is older are not waited for, in seconds; zero waits for all.
    pub skip_wait_for_delete_timeout: u32,
}

impl ActionSpec {
    /// The nodes it is about, in the recorder's order.
    pub(crate) fn node_names(&self) -> impl Iterator<Item = &str> {
        Some(self.node.as_str())
            .filter(|n| !n.is_empty())
            .into_iter()
            .chain(self.nodes.iter().map(String::as_str))
    }
}
