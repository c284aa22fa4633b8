//! What happens to a cluster: the entries of the timeline, and the steps that they come down to.

use super::objects::{BudgetIndex, NodeIndex, PodIndex, WorkloadIndex};
use super::resource::Resource;
use crate::api::budget::BudgetRule;
use crate::api::device::DeviceSelector;
use crate::api::kubectl_taint::TaintEdit;
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::api::readiness::ReadinessSpec;
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::Toleration;
use crate::api::workload::Propagation;
use crate::kernel::{Dur, Time};
use crate::trace::Actor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// An entry of the timeline, for people to refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineEntry {
    /// When it begins.
    pub at: Time,
    /// Its name, given or made from what it does.
    pub name: String,
    /// When it ends, if it lasts.
    pub ends: Option<Time>,
    /// Whether it makes nodes fall silent, so that times are given relative to it.
    pub is_fault: bool,
}

/// One primitive step of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// From the start of the run.
    pub at: Time,
    /// The entry of [`timeline`](super::Plan::timeline) it belongs to.
    pub entry: u32,
    /// Whether it begins its entry, ends it, or is a step in between.
    pub phase: Phase,
    /// What to do.
    pub act: Do,
}

/// What part of its timeline entry an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The entry begins.
    Begin,
    /// A step of it that is neither.
    Step,
    /// The entry ends.
    End,
}

/// A primitive step. Those of a user are written as [`user`](super::Timing::user) says.
#[derive(Clone, Debug, PartialEq)]
pub enum Do {
    /// Something is wrong with nodes from now on.
    Fail(Vec<NodeIndex>, NodeFault),
    /// It is over.
    Recover(Vec<NodeIndex>, NodeFault),
    /// The API server answers nobody.
    ApiDown,
    /// API servers behind a load balancer die: how many, and of how many. Connections to them hang.
    ServersDie(u32, u32),
    /// The API server answers again.
    ApiUp(WatchCache),
    /// Watches of a resource deliver later by this delay; zero ends it.
    WatchLag(Resource, Dur),
    /// Watches of a resource deliver nothing for this long, then everything.
    StallWatches(Resource, Dur),
    /// Watches of a resource, or of all, end, and the server no longer knows where they were: they
    /// list anew.
    ExpireWatches(Option<Resource>),
    /// Watches of a resource, or of all, end; they begin anew where they were.
    LoseWatches(Option<Resource>),
    /// The registry that images are pulled from fails so from now on, or answers again.
    Registry(Option<RegistryFails>),
    /// Drivers of volumes refuse so to make any from now on, and in no other way.
    RefuseVolumes(Vec<RefuseVolumes>),
    /// Requests of these clients are rejected for this long: 429, with Retry-After.
    RejectRequests(Clients, Dur),
    /// Every controller process dies; fresh ones start after this delay.
    RestartControllers(Dur),
    /// Every controller process dies; a successor takes over as leader election has it.
    ReplaceLeader(Successor),
    /// Nothing: what began ends by itself, as a stall of watches does, and this marks the end of
    /// its entry.
    Over,
    /// A node joins: its kubelet registers it.
    AddNode(NodeIndex),
    /// Node and lease are deleted and the kubelet ends.
    DeleteNode(Vec<NodeIndex>),
    /// Taints are added, overwritten, removed.
    Taint(Vec<NodeIndex>, TaintEdit),
    /// `spec.unschedulable` is set, or unset.
    Cordon(Vec<NodeIndex>, bool),
    /// Labels are set, or removed.
    Label(Vec<NodeIndex>, Vec<(String, Option<String>)>),
    /// A pod is created.
    CreatePod(PodIndex),
    /// A pod is deleted, with this grace period or its own.
    DeletePod(PodIndex, Option<i64>),
    /// A pod is bound to a node.
    BindPod(PodIndex, NodeIndex),
    /// The cloud provider says so of the nodes' instances from now on.
    Instance(Vec<NodeIndex>, Instance),
    /// `kubectl drain` of nodes, one after the other.
    Drain(Vec<NodeIndex>, DrainOptions),
    /// A pod's tolerations are replaced (`Raw`), or added to as the API allows (kubectl).
    PatchTolerations(PodIndex, Vec<Toleration>),
    /// A workload asks for this number of pods from now on.
    Scale(WorkloadIndex, i32),
    /// A workload is created.
    CreateWorkload(WorkloadIndex),
    /// A workload is deleted; what it owns is the garbage collector's business.
    DeleteWorkload(WorkloadIndex, Propagation),
    /// A disruption budget is created.
    CreateBudget(BudgetIndex),
    /// A disruption budget asks for something else from now on.
    PatchBudget(BudgetIndex, BudgetRule),
    /// A disruption budget is deleted.
    DeleteBudget(BudgetIndex),
    /// A DeviceTaintRule is created.
    CreateDeviceTaintRule(Box<NewRule>),
    /// The spec of the DeviceTaintRule of that name becomes this.
    UpdateDeviceTaintRule(Box<NewRule>),
    /// The DeviceTaintRule of that name is deleted.
    DeleteDeviceTaintRule(String),
    /// The drivers of nodes publish other taints of devices.
    TaintDevices(Vec<NodeIndex>, Box<DeviceTaintEdit>),
    /// A NodeReadinessRule is created.
    CreateReadinessRule(Rc<ReadinessSpec>),
    /// The NodeReadinessRule of that name is deleted.
    DeleteReadinessRule(String),
    /// Agents of nodes post a condition.
    SetCondition(Vec<NodeIndex>, String, ConditionStatus),
    /// A rolling maintenance of nodes.
    Maintain(Vec<NodeIndex>, Box<Maintenance>),
}

impl Do {
    /// Whether watches end by it, which each process then begins anew in its own time.
    pub(crate) fn ends_watches(&self) -> bool {
        matches!(
            self,
            Self::ApiDown | Self::ServersDie(..) | Self::ExpireWatches(_) | Self::LoseWatches(_)
        )
    }

    /// Whether it makes nodes unhealthy, or their controllers think so.
    pub(crate) fn is_fault(&self) -> bool {
        match self {
            Self::Fail(_, fault) => !matches!(fault, NodeFault::ClockSkew(_)),
            Self::ApiDown | Self::ServersDie(..) => true,
            _ => false,
        }
    }

    /// Whether it takes pods away by itself, without being a fault.
    pub(crate) fn takes_pods(&self) -> bool {
        match self {
            Self::Drain(..)
            | Self::Maintain(..)
            | Self::DeleteNode(_)
            | Self::DeletePod(..)
            | Self::Instance(..) => true,
            Self::Taint(_, edit) => edit.add.iter().any(|t| t.effect == Effect::NoExecute),
            Self::CreateDeviceTaintRule(rule) | Self::UpdateDeviceTaintRule(rule) => {
                !rule.previews && rule.taint.effect == Effect::NoExecute
            }
            Self::CreateReadinessRule(rule) => rule.taint.effect == Effect::NoExecute,
            Self::TaintDevices(_, edit) => edit.adds && edit.taint.effect == Effect::NoExecute,
            _ => false,
        }
    }

    /// Whether it may keep pods from being made, placed or started, without being a fault.
    pub(crate) fn holds_pods(&self) -> bool {
        match self {
            Self::Registry(fails) => fails.is_some(),
            Self::RefuseVolumes(which) => !which.is_empty(),
            Self::WatchLag(_, by) => *by > Dur::ZERO,
            Self::Cordon(_, is_set) => *is_set,
            Self::Taint(_, edit) => edit.add.iter().any(|t| t.effect == Effect::NoSchedule),
            Self::TaintDevices(_, edit) => edit.adds,
            Self::CreateDeviceTaintRule(rule) | Self::UpdateDeviceTaintRule(rule) => !rule.previews,
            Self::StallWatches(..)
            | Self::RejectRequests(..)
            | Self::RestartControllers(_)
            | Self::ReplaceLeader(_)
            | Self::CreateReadinessRule(_)
            | Self::SetCondition(..) => true,
            _ => false,
        }
    }

    /// Whether it is about API servers, watches, requests or the controllers' processes.
    pub(crate) fn is_of_control_plane(&self) -> bool {
        self.nodes().is_none() && *self != Self::Over
    }

    /// The nodes that it is about: an empty list where it is about other objects, none where it may
    /// touch every node.
    pub(crate) fn nodes(&self) -> Option<&[NodeIndex]> {
        match self {
            Self::Fail(n, _)
            | Self::Recover(n, _)
            | Self::DeleteNode(n)
            | Self::Taint(n, _)
            | Self::Cordon(n, _)
            | Self::Drain(n, _)
            | Self::Instance(n, _)
            | Self::Label(n, _)
            | Self::TaintDevices(n, _)
            | Self::SetCondition(n, ..)
            | Self::Maintain(n, _) => Some(n),
            Self::AddNode(n) => Some(std::slice::from_ref(n)),
            Self::ApiDown
            | Self::ServersDie(..)
            | Self::ApiUp(_)
            | Self::WatchLag(..)
            | Self::StallWatches(..)
            | Self::ExpireWatches(_)
            | Self::LoseWatches(_)
            | Self::RejectRequests(..)
            | Self::RestartControllers(_)
            | Self::ReplaceLeader(_)
            | Self::Over => None,
            // Of other objects, or of the registry.
            _ => Some(&[]),
        }
    }
}

/// What is wrong with a node while a fault lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeFault {
    /// The kubelet can no longer reach the API server, and what becomes of its connections;
    /// containers run on, and clients reach them.
    Cut(Connections),
    /// Clients no longer reach the node's pods. Done in one with the step before it, which cuts its
    /// kubelet off.
    Isolated,
    /// The machine is off, and its containers with it. Once it has booted, kubelet and containers
    /// start anew.
    Off,
    /// The machine is told to go off: its kubelet ends the pods within its grace periods, and then it
    /// is off; after this time at the latest, where one is given. Where the kubelet has no grace
    /// periods, it is off at once.
    Shutdown(Option<Dur>),
    /// The kubelet is dead until a fresh one starts; the machine runs on, and the containers.
    NoKubelet,
    /// Leases are renewed and status is posted only every so often.
    SlowHeartbeats(Dur),
    /// The kubelet's own view of a condition.
    Condition(NodeConditionType, ConditionStatus),
    /// The container runtime fails so.
    Runtime(RuntimeFails),
    /// The kubelet's clock is off by this number of nanoseconds.
    ClockSkew(i64),
}

impl NodeFault {
    /// Whether only one of the two can be in force at a node.
    pub(crate) fn replaces(self, other: Self) -> bool {
        match (self, other) {
            (Self::Condition(one, _), Self::Condition(two, _)) => one == two,
            _ => std::mem::discriminant(&self) == std::mem::discriminant(&other),
        }
    }
}

/// A DeviceTaintRule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRule {
    /// Its name.
    pub name: String,
    /// Whom it taints.
    pub selector: DeviceSelector,
    /// How.
    pub taint: Taint,
    /// Its effect is `None`.
    pub previews: bool,
}

/// What drivers publish from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceTaintEdit {
    /// Of which devices.
    pub selector: DeviceSelector,
    /// The taint.
    pub taint: Taint,
    /// It is added, or else removed.
    pub adds: bool,
}

/// Whose requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clients {
    /// Everybody's: those of all controllers with their lists and watches, of the scheduler and of
    /// kubectl. Not those of kubelets, nor those of leader election.
    All,
    /// Those of these controllers, of the scheduler, or of kubectl (the user).
    Of(Vec<Actor>),
}

/// How nodes are maintained: a few at a time, each cordoned, drained, switched off, booted and,
/// once it is Ready again, uncordoned.
#[derive(Clone, Debug, PartialEq)]
pub struct Maintenance {
    /// How many nodes at a time; at least one.
    pub at_a_time: usize,
    /// How each is drained.
    pub drain: DrainOptions,
    /// How long a machine is off before it boots; at least a second.
    pub off: Dur,
    /// Nodes are uncordoned when they are Ready again; otherwise they stay cordoned.
    pub uncordon: bool,
    /// What happens if a drain fails or times out.
    pub if_not_drained: IfNotDrained,
}

/// What a maintenance does if the drain of a node fails or times out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
pub enum IfNotDrained {
    /// The node stays cordoned and on; no further node begins, and those under way are finished.
    #[default]
    Stop,
    /// The node is uncordoned and left as it is; the next one begins.
    Skip,
    /// The machine goes off all the same, with the pods that are left on it.
    GoOn,
}

/// What fails of a container runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum RuntimeFails {
    /// It says that it is not ready, which a kubelet sees within 5 s.
    Ready,
    /// It does not answer, which counts after 30 s.
    Status,
}

/// How the registry of images fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum RegistryFails {
    /// It refuses everybody, at once.
    #[default]
    Refused,
    /// Packets vanish: who wants to connect waits for 30 s.
    Dropped,
    /// It lets everybody connect, up to TLS, and says nothing then, which is given up after five minutes.
    Silent,
}

/// Which volumes are not made, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefuseVolumes {
    /// Those of this driver; of all where it is not said.
    pub driver: Option<String>,
    /// Those of this zone; of all where it is not said.
    pub zone: Option<String>,
    /// With this error.
    pub fails: ProvisioningFails,
}

/// With which error a driver refuses to make a volume (`google.golang.org/grpc/codes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ProvisioningFails {
    /// It is asked again after a back-off.
    #[default]
    Internal,
    /// There is no storage left. Where a node was chosen, the claim is given back at once, and the scheduler chooses
    /// anew.
    ResourceExhausted,
    /// It will never make such a volume: it is asked again after five minutes at the soonest.
    InvalidArgument,
}

/// Who leads after a leader that died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successor {
    /// Another process, which has been waiting.
    Standby,
    /// The same, started again after this time.
    Same(Dur),
}

/// What becomes of connections to an API server that cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Connections {
    /// Packets vanish: nobody answers, and nobody is told.
    #[default]
    Dropped,
    /// They are reset, and new ones refused, at once.
    Refused,
}

/// What the API server's watch caches know after an outage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum WatchCache {
    /// Nothing from before: watches that broke have to list.
    #[default]
    Lost,
    /// All that happened: watches go on where they were.
    Kept,
}

/// What a cloud provider says of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "InstanceState")]
pub enum Instance {
    /// It runs.
    Running,
    /// It is shut down: the node is tainted once it is not Ready.
    ShutDown,
    /// It does not exist: the node is deleted once it is not Ready.
    Gone,
}

/// The flags of `kubectl drain`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct DrainOptions {
    /// `--force`: pods without a controller go too.
    pub force: bool,
    /// `--ignore-daemonsets`: pods of DaemonSets stay.
    pub ignore_daemonsets: bool,
    /// `--delete-emptydir-data`: pods with an emptyDir go too.
    pub delete_emptydir_data: bool,
    /// `--disable-eviction`: plain deletions, which budgets do not stop.
    pub disable_eviction: bool,
    /// `--grace-period`, in seconds; none is the pod's own.
    pub grace_period: Option<i64>,
    /// `--timeout`, of each node anew (`evictPods` makes a context of its own for each); none waits
    /// for ever.
    pub timeout: Option<Dur>,
    /// `--skip-wait-for-delete-timeout`: pods that have been terminating for longer are not waited
    /// for.
    pub skip_wait_for_delete_timeout: Option<Dur>,
}
