//! The events that controllers emit, as data.

use crate::api::names::{NodeId, PodId, TextId};

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
    /// The same up to 1.20, whose reason is that message and whose message is that reason: "Node N event: DeletingNode"
    DeletingNodeInReason,
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
    /// Warning NoControllers, of a disruption budget. Argument: text.
    NoControllers,
    /// Warning NoControllerRef, of a disruption budget. Argument: text.
    NoControllerRef,
    /// Warning UnmanagedPods, of a disruption budget. Argument: text.
    UnmanagedPods,
    /// Warning NotDeleted, of a pod whose eviction was granted. Argument: text.
    NotDeleted,
    /// Warning MultiplePodDisruptionBudgets, of a pod. Argument: text.
    MultiplePodDisruptionBudgets,
    /// Warning TaintToleration "Predicate TaintToleration failed", as kubelets say it up to 1.30.
    TaintTolerationFailed,
    /// Warning NodeAffinity "Predicate NodeAffinity failed: node(s) didn't match Pod's node
    /// affinity/selector"
    NodeAffinity,
    /// Warning NodeAffinity "Predicate NodeAffinity failed", as kubelets say it up to 1.30.
    NodeAffinityFailed,
}

impl EventText {
    /// All of them; of two with one reason and message the first is meant.
    pub(crate) const ALL: [Self; 40] = [
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
        Self::DeletingNodeInReason,
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
        Self::NoControllers,
        Self::NoControllerRef,
        Self::UnmanagedPods,
        Self::NotDeleted,
        Self::MultiplePodDisruptionBudgets,
        Self::TaintTolerationFailed,
        Self::NodeAffinity,
        Self::NodeAffinityFailed,
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
        EventBody { text, arg: Self::NO_ARG }
    }
}

impl EventBody {
    /// Stands for no argument.
    pub(crate) const NO_ARG: u32 = u32::MAX;

    /// A text about a pod.
    pub(crate) fn of_pod(text: EventText, pod: PodId) -> Self {
        EventBody { text, arg: pod.0 }
    }

    /// A text about a node.
    pub(crate) fn of_node(text: EventText, node: NodeId) -> Self {
        EventBody { text, arg: node.0 }
    }

    /// A text in free words.
    pub(crate) fn of_words(text: EventText, words: TextId) -> Self {
        EventBody { text, arg: words.0 }
    }
}

/// An event whose text has an argument, as it was stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The words, and what they are about.
    pub body: EventBody,
    /// It stands for several that are alike.
    pub combined: bool,
    /// How often it was seen.
    pub count: u32,
}
