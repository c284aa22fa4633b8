//! A run's input, fully resolved: what a scenario file, an export of kubectl or a recorded timeline
//! comes down to.
//!
//! Everything here is checked before it gets here: names are declared, limits are kept, texts are
//! parsed. A plan is plain data and may be shared between threads; each run builds its own objects
//! from it.

use super::profile::Profile;
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::kubectl_taint::TaintEdit;
use crate::api::labels::{LabelSelector, Labels, Selector};
use crate::api::meta::ConditionStatus;
use crate::api::node::{NodeCondition, NodeConditionType};
use crate::api::pod::{Deletion, PodCondition, PodPhase, PodTemplate};
use crate::api::quantity::Resources;
use crate::api::taint::Taint;
use crate::api::toleration::Toleration;
use crate::api::workload::{WorkloadKind, WorkloadSpec};
use crate::apiserver::NamespaceTolerations;
pub use crate::client::{Delay, Limits};
use crate::controllers::cloud::Instance;
use crate::controllers::drain;
use crate::controllers::kubelet::KubeletMode;
use crate::controllers::scheduler::Strategy;
use crate::kernel::choice::Deviation;
use crate::kernel::{Dur, Time};
use crate::trace::Actor;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One run, but for its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario's name: its file name without extension.
    pub name: String,
    /// What the scenario is about.
    pub doc: String,
    /// What a person should know of how it came about, a sentence each: pods of an export that a
    /// setting changed.
    pub notes: Vec<String>,
    /// The end of the run.
    pub horizon: Time,
    /// The behaviour of the release.
    pub profile: Profile,
    /// Settings of the components.
    pub flags: Flags,
    /// Delays and limits.
    pub timing: Timing,
    /// Admission plugins that are on.
    pub admission: Admission,
    /// When the controllers' process starts.
    pub controllers_start: Time,
    /// The controllers have been running for long at time zero: they know the nodes and have no
    /// history to tell. Otherwise they start like a new process, which registers every node.
    pub warm_start: bool,
    /// Nodes that exist from the start, then those that join later ([`Do::AddNode`]).
    pub nodes: Vec<NodePlan>,
    /// Templates that pods refer to.
    pub templates: Vec<PodTemplate>,
    /// Pods that exist from the start, then those that are created later ([`Do::CreatePod`]).
    pub pods: Vec<PodPlan>,
    /// The controllers that run beside those of node failure handling.
    pub controllers: Controllers,
    /// The scheduler's configuration.
    pub scheduler: SchedulerSettings,
    /// Workloads that exist from the start, then those that are created later
    /// ([`Do::CreateWorkload`]).
    pub workloads: Vec<WorkloadPlan>,
    /// Disruption budgets that exist from the start, then those that are created later
    /// ([`Do::CreateBudget`]).
    pub budgets: Vec<BudgetPlan>,
    /// What namespaces say of their pods' tolerations, by their names.
    pub namespaces: BTreeMap<String, NamespaceTolerations>,
    /// The entries of the timeline as a person wrote them.
    pub timeline: Vec<TimelineEntry>,
    /// What the entries come down to, in time order.
    pub actions: Vec<Action>,
    /// Trouble that is left to the choices.
    pub perturb: Perturb,
    /// The tape that the scenario brings along: deviations from the default order.
    pub tape: Option<Vec<Deviation>>,
}

/// Trouble that controllers have to survive, each kind a choice where it is on; without deviations
/// nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Perturb {
    /// A watch is held back: what it would deliver comes later (`watch-held`).
    pub stale: bool,
    /// The controllers' process dies after one of its writes and starts anew (`crash`).
    pub crash: bool,
    /// A watch breaks, and the list that follows shows only the last of several changes
    /// (`watch-broken`).
    pub coalesce: bool,
}

impl Perturb {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 3] = ["stale", "crash", "coalesce"];

    /// Switches a kind on; false if there is none of that name.
    pub fn switch_on(&mut self, name: &str) -> bool {
        match name {
            "stale" => self.stale = true,
            "crash" => self.crash = true,
            "coalesce" => self.coalesce = true,
            _ => return false,
        }
        true
    }

    /// The names of those that are on.
    pub fn names(self) -> Vec<String> {
        let on = [self.stale, self.crash, self.coalesce];
        Self::NAMES
            .iter()
            .zip(on)
            .filter(|(_, on)| *on)
            .map(|(name, _)| (*name).to_owned())
            .collect()
    }
}

/// Which controllers run beside node lifecycle and taint eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Controllers {
    /// The pod garbage collector.
    pub pod_gc: bool,
    /// The Deployment controller.
    pub deployment: bool,
    /// The ReplicaSet controller.
    pub replica_set: bool,
    /// The StatefulSet controller.
    pub stateful_set: bool,
    /// The DaemonSet controller.
    pub daemon_set: bool,
    /// The Job controller.
    pub job: bool,
    /// The cloud controllers.
    pub cloud: bool,
    /// The disruption controller.
    pub disruption: bool,
    /// The scheduler.
    pub scheduler: bool,
}

/// What of `KubeSchedulerConfiguration` may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerSettings {
    /// `percentageOfNodesToScore`; 0 is the default, which depends on the size of the cluster.
    pub percentage_of_nodes_to_score: u32,
    /// `scoringStrategy` of NodeResourcesFit.
    pub strategy: Strategy,
    /// The plugin DefaultPreemption is on.
    pub preemption: bool,
}

impl Default for SchedulerSettings {
    fn default() -> Self {
        SchedulerSettings {
            percentage_of_nodes_to_score: 0,
            strategy: Strategy::LeastAllocated,
            preemption: true,
        }
    }
}

/// A workload that a user made.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    /// `Kind/namespace/name`
    pub name: String,
    /// Its kind.
    pub kind: WorkloadKind,
    /// The workload that owns it, index into [`Plan::workloads`]: the Deployment of an imported
    /// ReplicaSet.
    pub owner: Option<WorkloadIndex>,
    /// `spec.selector`
    pub selector: Rc<LabelSelector>,
    /// `spec.template`, index into [`Plan::templates`].
    pub template: u32,
    /// The node the template names, index into [`Plan::nodes`].
    pub node: Option<NodeIndex>,
    /// `spec.minReadySeconds`
    pub min_ready_seconds: i32,
    /// How many of its pods have to be up for it to do its work, where the scenario says so.
    pub needs: Option<IntOrPercent>,
    /// The rest of its spec.
    pub spec: WorkloadSpec,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug)]
pub struct BudgetPlan {
    /// `PodDisruptionBudget/namespace/name`
    pub name: String,
    /// `spec.selector`
    pub selector: Selector,
    /// What it asks for.
    pub rule: BudgetRule,
    /// `spec.unhealthyPodEvictionPolicy` is `AlwaysAllow`.
    pub always_allow_unhealthy: bool,
}

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
    /// When.
    pub at: Time,
    /// The entry of [`Plan::timeline`] it belongs to.
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

/// Index into [`Plan::nodes`].
pub type NodeIndex = u32;
/// Index into [`Plan::pods`].
pub type PodIndex = u32;
/// Index into [`Plan::workloads`].
pub type WorkloadIndex = u32;
/// Index into [`Plan::budgets`].
pub type BudgetIndex = u32;

/// A primitive step. Those of a user are written as [`Timing::user`] says.
#[derive(Clone, Debug, PartialEq)]
pub enum Do {
    /// The kubelets can no longer reach the API server; containers run on, and clients reach them.
    Cut(Vec<NodeIndex>),
    /// The kubelets reach the API server again.
    Heal(Vec<NodeIndex>),
    /// Clients no longer reach the nodes' pods. Done in one with the step before it, which cuts
    /// their kubelets off.
    Isolate(Vec<NodeIndex>),
    /// Clients reach the nodes' pods again. Done in one with the step before it.
    Reconnect(Vec<NodeIndex>),
    /// The machines stop, and their containers with them.
    Crash(Vec<NodeIndex>),
    /// Crashed machines are switched on again: once they have booted, kubelets and containers start
    /// anew.
    Boot(Vec<NodeIndex>),
    /// Leases are renewed and status is posted only every so often; `None` is as configured.
    HeartbeatPeriod(Vec<NodeIndex>, Option<Dur>),
    /// The kubelets' own view of a condition.
    Condition(Vec<NodeIndex>, NodeConditionType, ConditionStatus),
    /// The kubelets' clocks are off by so many nanoseconds.
    ClockSkew(Vec<NodeIndex>, i64),
    /// The API server answers nobody.
    ApiDown,
    /// The API server answers again.
    ApiUp,
    /// Watches of a resource deliver so much later; zero ends it.
    WatchLag(WatchedResource, Dur),
    /// Watches of a resource deliver nothing for so long, then everything.
    StallWatches(WatchedResource, Dur),
    /// Every controller process dies; fresh ones start so much later.
    RestartControllers(Dur),
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
    Drain(Vec<NodeIndex>, drain::Options),
    /// A pod's tolerations are replaced (`Raw`), or added to as the API allows (kubectl).
    PatchTolerations(PodIndex, Vec<Toleration>),
    /// A workload asks for so many pods from now on.
    Scale(WorkloadIndex, i32),
    /// A workload is created.
    CreateWorkload(WorkloadIndex),
    /// A workload is deleted, and with it what it owns, as the garbage collector would do in the
    /// background.
    DeleteWorkload(WorkloadIndex),
    /// A disruption budget is created.
    CreateBudget(BudgetIndex),
    /// A disruption budget asks for something else from now on.
    PatchBudget(BudgetIndex, BudgetRule),
    /// A disruption budget is deleted.
    DeleteBudget(BudgetIndex),
    /// A rolling maintenance of nodes.
    Maintain(Vec<NodeIndex>, Box<Maintenance>),
}

/// How nodes are maintained: so many at a time, each cordoned, drained, switched off, booted and,
/// once it is Ready again, uncordoned.
#[derive(Clone, Debug, PartialEq)]
pub struct Maintenance {
    /// How many nodes at a time; at least one.
    pub at_a_time: usize,
    /// How each is drained.
    pub drain: drain::Options,
    /// How long a machine is off before it boots; at least a second.
    pub off: Dur,
    /// Nodes are uncordoned when they are Ready again; otherwise they stay cordoned.
    pub uncordon: bool,
    /// What happens if a drain fails or times out.
    pub if_not_drained: IfNotDrained,
}

/// What a maintenance does if the drain of a node fails or times out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfNotDrained {
    /// The node stays as it is, cordoned; no further node begins, those under way are finished.
    Stop,
    /// The node is uncordoned and left alone; the next one begins.
    Skip,
    /// The machine is switched off all the same, with the pods that are left on it.
    GoOn,
}

impl Plan {
    /// Whether an entry of the timeline lasts: it has a begin and an end, be it one that only the
    /// run can tell.
    pub fn lasts(&self, entry: u32) -> bool {
        let open = || {
            self.actions
                .iter()
                .any(|a| a.entry == entry && matches!(a.act, Do::Maintain(..)))
        };
        self.timeline
            .get(entry as usize)
            .is_some_and(|e| e.ends.is_some() || open())
    }
}

impl Do {
    /// The nodes that it is about: an empty list where it is about other objects, none where it may
    /// touch every node.
    pub fn nodes(&self) -> Option<&[NodeIndex]> {
        match self {
            Self::Cut(n)
            | Self::Heal(n)
            | Self::Isolate(n)
            | Self::Reconnect(n)
            | Self::Crash(n)
            | Self::Boot(n)
            | Self::HeartbeatPeriod(n, _)
            | Self::Condition(n, ..)
            | Self::ClockSkew(n, _)
            | Self::DeleteNode(n)
            | Self::Taint(n, _)
            | Self::Cordon(n, _)
            | Self::Drain(n, _)
            | Self::Instance(n, _)
            | Self::Label(n, _)
            | Self::Maintain(n, _) => Some(n),
            Self::AddNode(n) => Some(std::slice::from_ref(n)),
            Self::CreatePod(_)
            | Self::DeletePod(..)
            | Self::BindPod(..)
            | Self::PatchTolerations(..)
            | Self::Scale(..)
            | Self::CreateWorkload(_)
            | Self::DeleteWorkload(_)
            | Self::CreateBudget(_)
            | Self::PatchBudget(..)
            | Self::DeleteBudget(_) => Some(&[]),
            Self::ApiDown
            | Self::ApiUp
            | Self::WatchLag(..)
            | Self::StallWatches(..)
            | Self::RestartControllers(_)
            | Self::Over => None,
        }
    }
}

/// A resource that controllers watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum WatchedResource {
    /// Nodes.
    Nodes,
    /// Pods.
    Pods,
    /// Node leases.
    Leases,
    /// Workloads of a kind.
    Workloads(WorkloadKind),
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Its name.
    pub name: String,
    /// Its labels, those of zone, region and host name included.
    pub labels: Rc<Labels>,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// Cordoned from the start.
    pub unschedulable: bool,
    /// Its allocatable resources.
    pub allocatable: Rc<Resources>,
    /// `Imitated` kubelets: when the lease is first renewed, and the period from then on; a zero
    /// offset is one period.
    pub lease_offset: Dur,
    /// The period of lease renewals.
    pub lease_period: Dur,
    /// `Imitated` kubelets: when the status is first checked.
    pub status_offset: Dur,
    /// How it starts.
    pub start: NodeStart,
}

/// How a node starts.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeStart {
    /// Ready, with heartbeat and lease at time zero.
    Ready,
    /// Without conditions, lease and kubelet.
    Silent,
    /// It joins later.
    Absent,
    /// As an export shows it: conditions, the lease's renewal (ns from the start, not above zero),
    /// and whether its kubelet is cut off.
    Imported {
        /// Its conditions as exported.
        conditions: Vec<NodeCondition>,
        /// The lease's renewTime in microseconds from the start.
        lease_renewed_us: Option<i64>,
        /// The kubelet does not reach the API server at the start.
        cut: bool,
    },
}

/// A pod.
#[derive(Clone, Debug)]
pub struct PodPlan {
    /// Its namespace and name, `default/web-0`.
    pub name: Box<str>,
    /// Index into [`Plan::templates`].
    pub template: u32,
    /// The node it is bound to, index into [`Plan::nodes`].
    pub node: Option<NodeIndex>,
    /// How it starts.
    pub start: PodStart,
}

/// How a pod starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PodStart {
    /// Pending; its kubelet starts it.
    Pending,
    /// Running and Ready.
    Running,
    /// It is created later.
    Absent,
    /// As an export shows it.
    Imported {
        /// `status.phase`
        phase: PodPhase,
        /// The condition Ready.
        ready: Option<PodCondition>,
        /// The condition DisruptionTarget.
        disruption_target: Option<PodCondition>,
        /// It was being deleted.
        deletion: Option<Deletion>,
    },
}

/// Settings of the components under their real names.
#[derive(Clone, Debug, PartialEq)]
pub struct Flags {
    /// kube-controller-manager `--node-monitor-period`
    pub node_monitor_period: Dur,
    /// kube-controller-manager `--node-monitor-grace-period`
    pub node_monitor_grace_period: Dur,
    /// kube-controller-manager `--node-startup-grace-period`
    pub node_startup_grace_period: Dur,
    /// kube-controller-manager `--node-eviction-rate`, nodes per second
    pub node_eviction_rate: f32,
    /// kube-controller-manager `--secondary-node-eviction-rate`
    pub secondary_node_eviction_rate: f32,
    /// kube-controller-manager `--large-cluster-size-threshold`
    pub large_cluster_size_threshold: i32,
    /// kube-controller-manager `--unhealthy-zone-threshold`
    pub unhealthy_zone_threshold: f32,
    /// kube-controller-manager `--pod-eviction-timeout`, up to 1.26
    pub pod_eviction_timeout: Dur,
    /// kube-controller-manager `--enable-taint-manager`, up to 1.26
    pub enable_taint_manager: bool,
    /// kube-controller-manager `--terminated-pod-gc-threshold`; zero and less is no limit
    pub terminated_pod_gc_threshold: i32,
    /// kube-apiserver `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// kube-apiserver `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
}

/// Admission plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// DefaultTolerationSeconds
    pub default_toleration_seconds: bool,
    /// TaintNodesByCondition
    pub taint_nodes_by_condition: bool,
    /// PodTolerationRestriction
    pub pod_toleration_restriction: bool,
    /// ExtendedResourceToleration
    pub extended_resource_toleration: bool,
}

/// Delays, limits, and how kubelets and users behave.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// `Ideal`, `Typical`, `Custom` or `Recorded`.
    pub name: String,
    /// From sending a request to its being applied.
    pub request: Delay,
    /// From applying a request to its reply.
    pub response: Delay,
    /// From applying a change to its delivery to every watch.
    pub watch: Delay,
    /// Added to the monitor period, for the time a pass takes.
    pub pass_overhead: Dur,
    /// Added to the period of the pod garbage collector, for the same reason.
    pub pod_gc_overhead: Dur,
    /// No two readings of a controller's clock are equal, as on a real machine; otherwise the clock
    /// stands still within an instant, as in recorded timelines.
    pub clock_advances: bool,
    /// The limit of the node lifecycle controller's client; none is unlimited.
    pub node_lifecycle_client: Option<Limits>,
    /// The limit of the taint eviction controller's client; up to 1.28 it has none of its own.
    pub taint_eviction_client: Option<Limits>,
    /// The limits of the other controllers' clients; one that is not there is unlimited.
    pub clients: BTreeMap<Actor, Limits>,
    /// How kubelets behave.
    pub kubelet: KubeletMode,
    /// How the timeline's user writes.
    pub user: UserMode,
}

/// How the timeline's user writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserMode {
    /// Straight into the store, without latency or rules, as the recorder does.
    Raw,
    /// As kubectl does, refusals included.
    Kubectl,
}
