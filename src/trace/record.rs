//! One record: 32 bytes, so that the largest outages fit in memory.

use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::pod::{PodConditionType, PodPhase, PodReason};
use crate::kernel::Time;

/// A record's place in its trace.
pub type RecordId = u32;

/// Stands for "no record": a first cause, or a version nobody read.
pub const NO_RECORD: RecordId = u32::MAX;

/// Who did it, under the name that recorded timelines use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// The scenario's user, and faults.
    User,
    /// A kubelet.
    Kubelet,
    /// The node lifecycle controller.
    NodeLifecycle,
    /// The taint eviction controller (up to 1.28 the taint manager within the node lifecycle
    /// controller).
    TaintEviction,
    /// The API server itself: admission.
    ApiServer,
    /// The pod garbage collector.
    PodGc,
    /// The Deployment controller.
    Deployment,
    /// The ReplicaSet controller.
    ReplicaSet,
    /// The StatefulSet controller.
    StatefulSet,
    /// The DaemonSet controller.
    DaemonSet,
    /// The Job controller.
    Job,
    /// The cloud controllers.
    Cloud,
    /// The disruption controller, which keeps the status of PodDisruptionBudgets.
    Disruption,
    /// The scheduler.
    Scheduler,
}

impl Actor {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::User,
        Self::Kubelet,
        Self::NodeLifecycle,
        Self::TaintEviction,
        Self::ApiServer,
        Self::PodGc,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::DaemonSet,
        Self::Job,
        Self::Cloud,
        Self::Disruption,
        Self::Scheduler,
    ];

    /// The name that recorded timelines use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Kubelet => "kubelet",
            Self::NodeLifecycle => "node-lifecycle",
            Self::TaintEviction => "taint-eviction",
            Self::ApiServer => "api-server",
            Self::PodGc => "pod-gc",
            Self::Deployment => "deployment",
            Self::ReplicaSet => "replicaset",
            Self::StatefulSet => "statefulset",
            Self::DaemonSet => "daemonset",
            Self::Job => "job",
            Self::Cloud => "cloud",
            Self::Disruption => "disruption",
            Self::Scheduler => "scheduler",
        }
    }
}

/// The state of a zone (`node_lifecycle_controller.go: ZoneState`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ZoneState {
    /// Not looked at yet.
    Initial,
    /// Normal.
    Normal,
    /// At least the unhealthy-zone threshold of its nodes, and more than two, are not ready.
    PartialDisruption,
    /// No node is ready.
    FullDisruption,
    /// The empty string upstream leaves for a zone that lost its nodes between two loops.
    Empty,
}

impl ZoneState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Initial,
        Self::Normal,
        Self::PartialDisruption,
        Self::FullDisruption,
        Self::Empty,
    ];

    /// The word Kubernetes uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "Initial",
            Self::Normal => "Normal",
            Self::PartialDisruption => "PartialDisruption",
            Self::FullDisruption => "FullDisruption",
            Self::Empty => "",
        }
    }
}

/// The events controllers emit; their message follows from this, the object's name and, for those
/// of [`EventBody`], an argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventText {
    /// Normal RegisteredNode "Node N event: Registered Node N in Controller"
    RegisteredNode,
    /// Normal RemovingNode "Node N event: Removing Node N from Controller"
    RemovingNode,
    /// Normal NodeNotReady "Node N status is now: NodeNotReady", of a node
    NodeNotReady,
    /// Normal NodeReady, by the kubelet, "Node N status is now: NodeReady"
    NodeReady,
    /// Warning NodeNotReady "Node is not ready", of a pod
    PodNodeNotReady,
    /// Normal TaintManagerEviction "Marking for deletion Pod ns/name"
    MarkingForDeletion,
    /// Normal TaintManagerEviction "Cancelling deletion of Pod ns/name"
    CancellingDeletion,
    /// Normal DeletingAllPods "Node N event: Deleting all Pods from Node N."
    DeletingAllPods,
    /// Normal NodeControllerEviction "Marking for deletion Pod P from Node N"
    NodeControllerEviction,
    /// Warning TaintToleration: the kubelet refuses the pod.
    TaintToleration,
    /// Normal DeletingNode "Deleting node N because it does not exist in the cloud provider"
    DeletingNode,
    /// Normal Synced "Node synced successfully"
    NodeSynced,
    /// Normal SuccessfulCreate "Created pod: P". Argument: pod.
    CreatedPod,
    /// Normal SuccessfulDelete "Deleted pod: P". Argument: pod.
    DeletedPod,
    /// Normal SuccessfulCreate in other words. Argument: text.
    SuccessfulCreate,
    /// Normal SuccessfulDelete in other words. Argument: text.
    SuccessfulDelete,
    /// Warning FailedCreate. Argument: text.
    FailedCreate,
    /// Warning FailedDelete. Argument: text.
    FailedDelete,
    /// Warning RecreatingFailedPod, of a StatefulSet. Argument: text.
    RecreatingFailedPod,
    /// Normal RecreatingTerminatedPod, of a StatefulSet. Argument: text.
    RecreatingTerminatedPod,
    /// Normal ScalingReplicaSet, of a Deployment. Argument: text.
    ScalingReplicaSet,
    /// Warning FailedDaemonPod. Argument: text.
    FailedDaemonPod,
    /// Normal SucceededDaemonPod. Argument: text.
    SucceededDaemonPod,
    /// Warning BackoffLimitExceeded, of a Job. Argument: text.
    BackoffLimitExceeded,
    /// Warning PodFailurePolicy, of a Job. Argument: text.
    PodFailurePolicy,
    /// Normal Completed, of a Job. Argument: text.
    JobCompleted,
    /// Normal Scheduled "Successfully assigned P to N". Argument: node.
    Scheduled,
    /// Warning FailedScheduling. Argument: text.
    FailedScheduling,
    /// Normal Preempted. Argument: text.
    Preempted,
    /// Normal NoPods, of a disruption budget. Argument: text.
    NoPods,
    /// Warning CalculateExpectedPodCountFailed, of a disruption budget. Argument: text.
    CalculateExpectedPodCountFailed,
    /// Warning NotDeleted, of a pod whose eviction was granted. Argument: text.
    NotDeleted,
    /// Warning MultiplePodDisruptionBudgets, of a pod. Argument: text.
    MultiplePodDisruptionBudgets,
}

impl EventText {
    /// All of them; of two with one reason and message the first is meant.
    pub const ALL: [Self; 33] = [
        Self::RegisteredNode,
        Self::RemovingNode,
        Self::NodeNotReady,
        Self::NodeReady,
        Self::PodNodeNotReady,
        Self::MarkingForDeletion,
        Self::CancellingDeletion,
        Self::DeletingAllPods,
        Self::NodeControllerEviction,
        Self::TaintToleration,
        Self::DeletingNode,
        Self::NodeSynced,
        Self::CreatedPod,
        Self::DeletedPod,
        Self::SuccessfulCreate,
        Self::SuccessfulDelete,
        Self::FailedCreate,
        Self::FailedDelete,
        Self::RecreatingFailedPod,
        Self::RecreatingTerminatedPod,
        Self::ScalingReplicaSet,
        Self::FailedDaemonPod,
        Self::SucceededDaemonPod,
        Self::BackoffLimitExceeded,
        Self::PodFailurePolicy,
        Self::JobCompleted,
        Self::Scheduled,
        Self::FailedScheduling,
        Self::Preempted,
        Self::NoPods,
        Self::CalculateExpectedPodCountFailed,
        Self::NotDeleted,
        Self::MultiplePodDisruptionBudgets,
    ];
}

/// An event's text with its argument: a pod, a node or a text, by [`EventText`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventBody {
    /// The kind of text.
    pub text: EventText,
    /// What it speaks of beside its object, where it does.
    pub arg: u32,
}

impl From<EventText> for EventBody {
    fn from(text: EventText) -> Self {
        EventBody {
            text,
            arg: Self::NO_ARG,
        }
    }
}

impl EventBody {
    /// Stands for no argument.
    pub const NO_ARG: u32 = u32::MAX;

    /// A text about a pod.
    pub fn of_pod(text: EventText, pod: PodId) -> Self {
        EventBody { text, arg: pod.0 }
    }

    /// A text about a node.
    pub fn of_node(text: EventText, node: NodeId) -> Self {
        EventBody { text, arg: node.0 }
    }

    /// A text in free words.
    pub fn of_words(text: EventText, words: TextId) -> Self {
        EventBody { text, arg: words.0 }
    }
}

/// An event whose text has an argument, as it was stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// Its text.
    pub body: EventBody,
    /// It stands for several that are alike.
    pub combined: bool,
    /// How often it was seen.
    pub count: u32,
}

/// What a controller finds or decides without anything changing: what its log tells, and no
/// timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Note {
    /// A node was not heard of for longer than its grace period. Object: node; argument: for so
    /// many milliseconds.
    NodeExpired,
    /// The last heartbeat that is known of such a node. Object: node; argument: so many
    /// milliseconds before.
    LastHeartbeat,
    /// A zone gets its queue. Object: text of the zone key.
    ZoneQueue,
    /// The taint eviction controller knows these NoExecute taints of a node. Object: node;
    /// argument: they are those added by that change in [`Trace::taints`](super::Trace).
    TaintsKnown,
    /// The taint eviction controller knows of no NoExecute taint of a node any more. Object: node;
    /// argument: 1 if pods are on it.
    TaintsGone,
    /// A pod does not tolerate all taints of its node. Object: pod.
    NotTolerated,
    /// A pod tolerates all taints of its node for ever. Object: pod.
    ToleratesForever,
    /// A pod's eviction is not scheduled, as it was before. Object: pod.
    WorkExists,
}

impl Note {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NodeExpired,
        Self::LastHeartbeat,
        Self::ZoneQueue,
        Self::TaintsKnown,
        Self::TaintsGone,
        Self::NotTolerated,
        Self::ToleratesForever,
        Self::WorkExists,
    ];

    /// The kind of record, as `events.jsonl` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NodeExpired => "node-expired",
            Self::LastHeartbeat => "last-heartbeat",
            Self::ZoneQueue => "zone-queue",
            Self::TaintsKnown => "taints-known",
            Self::TaintsGone => "taints-gone",
            Self::NotTolerated => "not-tolerated",
            Self::ToleratesForever => "tolerates-forever",
            Self::WorkExists => "work-exists",
        }
    }

    fn is_of_node(self) -> bool {
        matches!(
            self,
            Self::NodeExpired | Self::LastHeartbeat | Self::TaintsKnown | Self::TaintsGone
        )
    }

    fn is_of_pod(self) -> bool {
        matches!(
            self,
            Self::NotTolerated | Self::ToleratesForever | Self::WorkExists
        )
    }
}

/// What happened. The object it happened to is the record's `object`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum What {
    /// A node was created. Object: node.
    NodeCreated,
    /// A node was deleted. Object: node.
    NodeDeleted,
    /// A node condition changed its status. Object: node.
    NodeCondition(NodeConditionType, ConditionStatus, NodeReason),
    /// One write changed a node's taints by more than timeAdded. Object: node; argument: the change
    /// in [`Trace::taints`](super::Trace).
    NodeTaints(u32),
    /// `spec.unschedulable` changed. Object: node.
    NodeUnschedulable(bool),
    /// A pod was created, bound to that node or to none. Object: pod.
    PodCreated(Option<std::num::NonZeroU32>),
    /// A pod was bound. Object: pod; argument: node.
    PodBound(u32),
    /// A pod's tolerations changed. Object: pod; they are in [`Trace::templates`](super::Trace)
    /// under the record's id.
    PodTolerations,
    /// A pod's phase changed. Object: pod.
    PodPhase(PodPhase),
    /// A pod condition changed its status. Object: pod.
    PodCondition(PodConditionType, ConditionStatus, PodReason),
    /// deletionTimestamp was set or the grace period shortened, to so many seconds. Object: pod.
    PodDeleting(u32),
    /// A pod object is gone. Object: pod.
    PodGone,
    /// An event about a node was stored: text, whether aggregated, count. Object: node.
    NodeEvent(EventText, bool, u32),
    /// An event about a pod was stored: text, whether aggregated, count. Object: pod.
    PodEvent(EventText, bool, u32),
    /// An event about a pod whose text has an argument was stored. Object: pod; argument: the event
    /// in [`Trace::messages`](super::Trace).
    PodMessage(u32),
    /// An event about a workload was stored. Object: workload; argument: the event in
    /// [`Trace::messages`](super::Trace).
    WorkloadMessage(u32),
    /// A workload was created. Object: workload; argument: how many pods it asks for.
    WorkloadCreated(i32),
    /// A workload asks for so many pods from now on. Object: workload.
    WorkloadScaled(i32),
    /// A workload was deleted. Object: workload.
    WorkloadDeleted,
    /// An action or fault of the timeline began. Object: the index of its entry in the plan's
    /// timeline.
    FaultBegan,
    /// A fault of the timeline ended. Object: the index of its entry in the plan's timeline.
    FaultEnded,
    /// The kubelet can no longer reach the API server. Object: node.
    NodeSilent,
    /// The kubelet reaches the API server again. Object: node.
    NodeHeard,
    /// A node's machine stops, and its containers with it. Object: node.
    MachineOff,
    /// A node's machine has booted: its kubelet runs and may start containers. Object: node.
    MachineOn,
    /// Clients no longer reach a node's pods. Object: node.
    NetworkLost,
    /// Clients reach a node's pods again. Object: node.
    NetworkBack,
    /// A pod's containers run from now on, whether or not the API says so yet. Those of pods that
    /// are Running at the start run from the start. Object: pod; argument: the node they run on.
    ContainersStarted(u32),
    /// A pod's containers have ended, but for those that [`What::MachineOff`] ends with their
    /// machine. Object: pod; argument: the node they ran on.
    ContainersStopped(u32),
    /// A zone is in a new state. Object: text of the zone key.
    Zone(ZoneState),
    /// Every zone is fully disrupted: taints are removed and tainting stops.
    MasterDisruptionEntered,
    /// Some node is ready again: tainting resumes.
    MasterDisruptionLeft,
    /// A node waits in its zone's queue for its NoExecute taint. Object: node.
    NodeQueued,
    /// An eviction timer was set for so many seconds from its start; 0 is at once. Object: pod.
    TimerSet(u32),
    /// An eviction timer was cancelled. Object: pod.
    TimerCancelled,
    /// An attempt to place a pod found no node. Object: pod; argument: what filters said, for
    /// [`Trace::verdicts`](super::Trace::verdicts).
    PodUnplaced(u32),
    /// Five tries to delete a pod failed; it stays until the next trigger. Object: pod.
    EvictionFailed,
    /// The controllers' process started.
    ControllersStarted,
    /// The controllers' process died; its timers are lost.
    ControllersStopped,
    /// A controller finds or decides something, and nothing changes. Object and argument by the
    /// note.
    Noted(Note, u32),
    /// kubectl refused what the timeline asked for. Object: the index of its entry in the plan's
    /// timeline; argument: the text of the refusal.
    Refused(u32),
    /// The eviction API grants a pod's eviction; its deletion follows in the same step. Object:
    /// pod; argument: the budget that was charged for it as it stood before, in
    /// [`Trace::budgets`](super::Trace), or [`NO_BUDGET`](super::NO_BUDGET).
    EvictionGranted(u32),
    /// The eviction API refuses a pod's eviction. Object: pod; argument: why, in
    /// [`Trace::budgets`](super::Trace).
    EvictionRefused(u32),
    /// `kubectl drain --disable-eviction` deletes a pod; that follows in the same step. Object:
    /// pod.
    DrainDeletes,
    /// kubectl is done with a node that it drains, or gives it up. Object: node; argument: how it
    /// ended, in [`Trace::drains`](super::Trace).
    DrainEnded(u32),
    /// A disruption budget was created in the course of the run. Object: the budget's name, a
    /// workload's id; argument: what it asks for, in [`Trace::budgets`](super::Trace).
    BudgetCreated(u32),
    /// A disruption budget asks for something else from now on. Object and argument as of
    /// `BudgetCreated`.
    BudgetChanged(u32),
    /// A disruption budget was deleted. Object: the budget's name, a workload's id.
    BudgetDeleted,
    /// An entry of the timeline did not do all that it was to do. Object: the index of its entry in
    /// the plan's timeline; argument: the text that says what is left.
    CutShort(u32),
}

/// A fact, when it became true, who made it so, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// When.
    pub at: Time,
    /// The record that led to this one, or [`NO_RECORD`].
    pub cause: RecordId,
    /// The record of the version of the object that the actor had seen when it decided, or
    /// [`NO_RECORD`].
    pub saw: RecordId,
    /// The node, pod, text or action it is about, by kind of record.
    pub object: u32,
    /// What.
    pub what: What,
    /// Who.
    pub actor: Actor,
}

impl Record {
    /// The node this record is about, if it is about one.
    pub fn node(&self) -> Option<NodeId> {
        match self.what {
            What::NodeCreated
            | What::NodeDeleted
            | What::NodeCondition(..)
            | What::NodeTaints(_)
            | What::NodeUnschedulable(_)
            | What::NodeEvent(..)
            | What::NodeSilent
            | What::NodeHeard
            | What::MachineOff
            | What::MachineOn
            | What::NetworkLost
            | What::NetworkBack
            | What::NodeQueued
            | What::DrainEnded(_) => Some(NodeId(self.object)),
            What::Noted(note, _) if note.is_of_node() => Some(NodeId(self.object)),
            _ => None,
        }
    }

    /// The pod this record is about, if it is about one.
    pub fn pod(&self) -> Option<PodId> {
        match self.what {
            What::PodCreated(_)
            | What::PodBound(_)
            | What::PodTolerations
            | What::PodPhase(_)
            | What::PodCondition(..)
            | What::PodDeleting(_)
            | What::PodGone
            | What::PodEvent(..)
            | What::PodMessage(_)
            | What::TimerSet(_)
            | What::TimerCancelled
            | What::PodUnplaced(_)
            | What::ContainersStarted(_)
            | What::ContainersStopped(_)
            | What::EvictionFailed
            | What::EvictionGranted(_)
            | What::EvictionRefused(_)
            | What::DrainDeletes => Some(PodId(self.object)),
            What::Noted(note, _) if note.is_of_pod() => Some(PodId(self.object)),
            _ => None,
        }
    }

    /// The workload this record is about, if it is about one.
    pub fn workload(&self) -> Option<WorkloadId> {
        match self.what {
            What::WorkloadMessage(_)
            | What::WorkloadCreated(_)
            | What::WorkloadScaled(_)
            | What::WorkloadDeleted => Some(WorkloadId(self.object)),
            _ => None,
        }
    }

    /// The zone this record is about, if it is about one.
    pub fn zone(&self) -> Option<TextId> {
        matches!(self.what, What::Zone(_)).then_some(TextId(self.object))
    }
}

impl What {
    /// A pod's creation on a node (stored one higher, so that the record stays small) or on none.
    pub fn pod_created(node: Option<NodeId>) -> Self {
        Self::PodCreated(node.and_then(|n| std::num::NonZeroU32::new(n.0 + 1)))
    }

    /// The node a pod was created on.
    pub fn created_on(node: Option<std::num::NonZeroU32>) -> Option<NodeId> {
        node.map(|n| NodeId(n.get() - 1))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_record_is_32_bytes() {
        assert_eq!(size_of::<super::Record>(), 32);
    }
}
