//! What entries of the timeline do: faults, and what people do.

use super::cluster::{ConditionKind, NodeGroup, NodeSelector, PodGroup, PodSelector};
use super::devices::DeviceTaintRule;
use super::entry_words::{Afterwards, ApiClient, Cut, DrainFlags, RestartKind};
use super::readiness::NodeReadinessRule;
use super::scheduling::Toleration;
use super::workload::{PodDisruptionBudget, Workload};
use crate::api::workload::Propagation;
use crate::language::prelude::*;
use crate::plan::{
    Connections, IfNotDrained, Instance, ProvisioningFails, RegistryFails, Resource, RuntimeFails,
    WatchCache,
};

/// Writes the enum of all that can happen. A step `of nodes` names one or several, as its first fields.
macro_rules! steps {
    ($(#[$about:meta])* $view:vis enum $name:ident {
        $($(#[$doc:meta])* $step:ident $(of $nodes:ident)? { $($field:tt)* },)*
    }) => {
        $(#[$about])*
        $view enum $name {
            $($(#[$doc])* $step {
                $(
                    /// One node.
                    node: Option<String>,
                    /// Several nodes.
                    $nodes: Option<NodeSelector>,
                )?
                $($field)*
            },)*
        }

        impl $name {
            /// The nodes that it names, in one of two ways.
            pub(crate) fn nodes(&self) -> (Option<&str>, Option<&NodeSelector>) {
                match self {
                    $($(Self::$step { node, $nodes, .. } => (node.as_deref(), $nodes.as_ref()),)?)*
                    // What they say of theirs is more than that there are some.
                    Self::Drain { node, nodes, .. }
                    | Self::TaintDevices { node, nodes, .. }
                    | Self::UntaintDevices { node, nodes, .. }
                    | Self::Maintain { node, nodes, .. } => (node.as_deref(), nodes.as_ref()),
                    _ => (None, None),
                }
            }
        }
    };
}

steps! {
    /// What happens. Where nodes are meant, either `node` (one name) or `nodes` (a selector) is given; the same for pods.
    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub enum Step {
        /// Nodes are cut off: their kubelets cannot reach the API server, and by `cut` clients cannot reach their pods. Containers run on.
        Partition of nodes {
            /// Whom it cuts the nodes off from; everybody where not given.
            #[serde(default, skip_serializing_if = "is_default")]
            cut: Cut,
            /// What becomes of connections; `Dropped` where not given.
            #[serde(default, skip_serializing_if = "is_default")]
            connections: Connections,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// Kubelets reach the API server again, and clients their pods, whatever cut them off, an import included.
        Heal of nodes {},
        /// Machines stop, and their containers with them.
        Crash of nodes {
            /// After this long they start to boot; never where not given.
            duration: Option<DurationText>,
        },
        /// Machines are told to go off (`systemctl poweroff`, a cloud's notice): kubelets that have grace
        /// periods (`flags.kubelet.shutdown-grace-period`) end their pods first; others go off at once.
        Shutdown of nodes {
            /// This long after they were told they start to boot, or once they are off, if that is later; never where not given.
            duration: Option<DurationText>,
            /// This long after they were told they are off, whatever still runs: what a cloud grants;
            /// the grace periods decide where not given.
            at_most: Option<DurationText>,
        },
        /// Machines stop and boot again at once.
        Reboot of nodes {},
        /// Kubelets die, and fresh ones start; their machines run on, and the containers.
        KubeletRestart of nodes {
            /// How long there are none.
            downtime: DurationText,
        },
        /// Partitions that come and go.
        Flap of nodes {
            /// Whom each partition cuts the nodes off from; everybody where not given.
            #[serde(default, skip_serializing_if = "is_default")]
            cut: Cut,
            /// What becomes of connections; `Dropped` where not given.
            #[serde(default, skip_serializing_if = "is_default")]
            connections: Connections,
            /// How long each partition lasts.
            down: DurationText,
            /// How long the nodes are back in between.
            up: DurationText,
            /// How many partitions.
            times: u32,
        },
        /// Leases are renewed and status is posted only every so often.
        SlowHeartbeats of nodes {
            /// The period.
            period: DurationText,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// The kubelets' own view of a condition changes, and goes back at the end.
        Condition of nodes {
            /// Which condition.
            #[serde(rename = "type")]
            kind: ConditionKind,
            /// Its new status.
            status: ConditionStatus,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// The container runtime of nodes fails: their kubelets notice, and post that the nodes are not ready with their next status check.
        RuntimeFailure of nodes {
            /// What fails.
            fails: RuntimeFails,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// The registry of images serves nobody: pulls that are under way fail, and others.
        RegistryOutage {
            /// How it fails; `Refused` where not given.
            #[serde(default, skip_serializing_if = "is_default")]
            fails: RegistryFails,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// The drivers of volumes refuse to make any, of claims with `provision`; those that are being made they finish.
        ProvisioningOutage {
            /// The one that does; all of them where not given.
            driver: Option<String>,
            /// The zone in which they do; everywhere where not given.
            zone: Option<String>,
            /// With which error; `Internal` where not given.
            #[serde(default, skip_serializing_if = "is_default")]
            fails: ProvisioningFails,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// The API server refuses everybody.
        ApiOutage {
            /// What its watch caches know afterwards; `Lost` where not given, as of a server that was started anew.
            #[serde(default, skip_serializing_if = "is_default")]
            watch_cache: WatchCache,
            /// Of several servers behind a balancer only these are gone, without a word: `"one of
            /// three"`, `"1 of 3"`. Who was connected to one of them notices, and finds another.
            of: Option<String>,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// API Priority and Fairness rejects requests: they are answered 429, and tried again by their
        /// clients after a second, some ten times. Watches that stand go on.
        TooManyRequests {
            /// Whose; everybody's but those of kubelets and of leader election where not given, which have
            /// priority levels of their own.
            clients: Option<Vec<ApiClient>>,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// Watches of a resource deliver later than they should.
        WatchLag {
            /// Which resource.
            resource: Resource,
            /// By how much.
            lag: DurationText,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// Watches of a resource deliver nothing, then everything.
        WatchStall {
            /// Which resource.
            resource: Resource,
            /// How long.
            duration: DurationText,
        },
        /// The controllers' process dies, and a fresh one starts.
        ControllerRestart {
            /// How long there is none; with `kind: Same`, until the process is started again.
            downtime: Option<DurationText>,
            /// Who takes over, by leader election; where not given, it is somebody after `downtime`.
            kind: Option<RestartKind>,
        },
        /// The kubelets' clocks are off.
        ClockSkew of nodes {
            /// By how much; negative is behind.
            skew: DurationText,
            /// How long; to the end of the run where not given.
            duration: Option<DurationText>,
        },
        /// Nodes join: their kubelets register them.
        AddNode {
            /// The node or nodes.
            node: NodeGroup,
        },
        /// Node objects and leases are deleted, and their machines go with them.
        DeleteNode of nodes {},
        /// `kubectl taint`; a trailing "-" removes.
        Taint of nodes {
            /// One taint or several, in one write: `"key=value:NoExecute"`, `"key:NoExecute-"`, `"key-"`.
            taint: OneOrMany,
            /// `--overwrite`
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            overwrite: bool,
        },
        /// `kubectl taint` with the trailing "-" left out.
        Untaint of nodes {
            /// One taint or several, in one write: `"key"`, `"key:NoExecute"`.
            taint: OneOrMany,
        },
        /// `kubectl cordon`
        Cordon of nodes {},
        /// `kubectl uncordon`
        Uncordon of nodes {},
        /// `kubectl label nodes`
        Label of nodes {
            /// Labels to set; `None` removes one.
            labels: BTreeMap<String, Option<String>>,
        },
        /// Pods are created.
        CreatePod {
            /// The pod or pods.
            pod: PodGroup,
        },
        /// `kubectl delete pod`
        DeletePod {
            /// One pod.
            pod: Option<String>,
            /// Several pods.
            pods: Option<PodSelector>,
            /// `--grace-period`; the pods' own where not given.
            #[serde(rename = "gracePeriodSeconds")]
            grace_period_seconds: Option<i64>,
        },
        /// An unbound pod is bound, as a scheduler would.
        BindPod {
            /// The pod.
            pod: String,
            /// The node.
            node: String,
        },
        /// Tolerations are patched.
        PatchTolerations {
            /// One pod.
            pod: Option<String>,
            /// Several pods.
            pods: Option<PodSelector>,
            /// The new list.
            tolerations: Vec<Toleration>,
        },
        /// What the cloud provider says of machines from now on.
        Instance of nodes {
            /// What it says.
            state: Instance,
        },
        /// `kubectl drain`
        Drain {
            /// One node.
            node: Option<String>,
            /// Several nodes, one after the other.
            nodes: Option<NodeSelector>,
            /// `--force`: pods without a controller go, too.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            force: bool,
            /// `--ignore-daemonsets`: their pods stay.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            ignore_daemonsets: bool,
            /// `--delete-emptydir-data`: pods with an emptyDir go, too.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            delete_emptydir_data: bool,
            /// `--disable-eviction`: plain deletions, which no budget stops.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            disable_eviction: bool,
            /// `--grace-period`; the pods' own where not given.
            #[serde(rename = "gracePeriodSeconds")]
            grace_period_seconds: Option<i64>,
            /// `--timeout`, of each node anew; it waits for ever where not given.
            timeout: Option<DurationText>,
            /// `--skip-wait-for-delete-timeout`
            skip_wait_for_delete_timeout: Option<DurationText>,
        },
        /// `kubectl scale`
        Scale {
            /// Which workload: its name, `"shop/web"`, or `"Deployment/web"`.
            workload: String,
            /// How many pods it asks for from now on.
            replicas: i32,
        },
        /// A workload is created.
        CreateWorkload {
            /// The workload.
            workload: Workload,
        },
        /// `kubectl delete` of a workload; what it owns is the garbage collector's business.
        DeleteWorkload {
            /// Which workload.
            workload: String,
            /// `--cascade`; `Background` if absent.
            cascade: Option<Propagation>,
        },
        /// A disruption budget is created.
        CreateBudget {
            /// The budget.
            budget: PodDisruptionBudget,
        },
        /// A disruption budget asks for something else from now on (`kubectl patch`); what is given replaces what it asked for.
        PatchBudget {
            /// Which budget: its name, or `"shop/web"`.
            budget: String,
            /// `spec.minAvailable`: a number, or `"50%"`.
            #[serde(rename = "minAvailable")]
            min_available: Option<FlagValue>,
            /// `spec.maxUnavailable`: a number, or `"25%"`.
            #[serde(rename = "maxUnavailable")]
            max_unavailable: Option<FlagValue>,
        },
        /// `kubectl delete pdb`
        DeleteBudget {
            /// Which budget: its name, or `"shop/web"`.
            budget: String,
        },
        /// A DeviceTaintRule is created, which taints devices:
        /// `CreateDeviceTaintRule(rule: (name: "bad", pool: "a-1", device: "gpu-0", taint: "ecc:NoExecute"))`
        CreateDeviceTaintRule {
            /// The rule.
            rule: DeviceTaintRule,
        },
        /// The spec of a DeviceTaintRule becomes this, as `kubectl edit` or `kubectl replace` leaves it. `added` stays what it
        /// was where it is not given, unless the effect changes: then it is the present.
        UpdateDeviceTaintRule {
            /// The rule, all of it.
            rule: DeviceTaintRule,
        },
        /// A DeviceTaintRule is deleted.
        DeleteDeviceTaintRule {
            /// Its name.
            rule: String,
        },
        /// Drivers publish a taint of devices in their ResourceSlices.
        TaintDevices {
            /// The devices of one node.
            node: Option<String>,
            /// The devices of several nodes.
            nodes: Option<NodeSelector>,
            /// Only those of that driver.
            driver: Option<String>,
            /// Only those of that name.
            device: Option<String>,
            /// `"key=value:NoExecute"`, `"key:NoSchedule"`
            taint: String,
        },
        /// Drivers publish a taint no longer.
        UntaintDevices {
            /// The devices of one node.
            node: Option<String>,
            /// The devices of several nodes.
            nodes: Option<NodeSelector>,
            /// Only those of that driver.
            driver: Option<String>,
            /// Only those of that name.
            device: Option<String>,
            /// `"key:NoExecute"`, or `"key"` whatever its effect
            taint: String,
        },
        /// A rule of the node readiness controller is created.
        CreateNodeReadinessRule {
            /// The rule.
            rule: NodeReadinessRule,
        },
        /// A rule of the node readiness controller is deleted.
        DeleteNodeReadinessRule {
            /// Its name.
            rule: String,
        },
        /// Agents on nodes post a condition of a type that no kubelet posts, and it stays.
        SetCondition of nodes {
            /// Its type: `"CniReady"`.
            #[serde(rename = "type")]
            kind: String,
            /// Its status.
            status: ConditionStatus,
        },
        /// A rolling maintenance: a number of nodes at a time are cordoned and drained, their machines are
        /// off for a while and boot, and once a node is Ready again it is uncordoned, and the next one
        /// begins.
        Maintain {
            /// One node.
            node: Option<String>,
            /// Several nodes, in the order of the selector.
            nodes: Option<NodeSelector>,
            /// How many nodes at a time: a number, or a share of these nodes such as `"5%"`, rounded
            /// down, but at least one; 1 where not given.
            at_a_time: Option<FlagValue>,
            /// How each node is drained.
            #[serde(default, skip_serializing_if = "is_default")]
            drain: DrainFlags,
            /// How long a machine is off before it boots, from its node's drain on; at least a second.
            off: DurationText,
            /// What comes once a node is Ready again; `Uncordon` where not given.
            then: Option<Afterwards>,
            /// What happens if a drain fails or times out; `Stop` where not given.
            if_not_drained: Option<IfNotDrained>,
        },
    }
}

impl Step {
    /// The pods that it names, in one of two ways.
    pub(crate) fn pods(&self) -> (Option<&str>, Option<&PodSelector>) {
        match self {
            Self::DeletePod { pod, pods, .. } | Self::PatchTolerations { pod, pods, .. } => {
                (pod.as_deref(), pods.as_ref())
            }
            _ => (None, None),
        }
    }
}
