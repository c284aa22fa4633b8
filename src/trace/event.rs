//! The events that controllers emit, as data, and what they say.

use crate::api::names::{Names, NodeId, PodId, TextId};
use crate::api::workload::short_name;
use std::borrow::Cow;

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
    /// Normal SuccessfulAttachVolume, of a pod. Argument: text.
    SuccessfulAttachVolume,
    /// Warning FailedAttachVolume, of a pod. Argument: text.
    FailedAttachVolume,
    /// Warning NodeShutdown "Pod was rejected as the node is shutting down."
    NodeShutdown,
    /// Warning Shutdown "Node is in progress of shutting down, not admitting any new pods", as kubelets
    /// say it up to 1.21.
    Shutdown,
    /// Normal NodeShutdown "Shutdown manager detected shutdown event", of a node
    ShutdownDetected,
    /// Warning Evicted: the kubelet evicts the pod. Argument: text.
    Evicted,
    /// Warning Evicted: the kubelet does not admit the pod while something is short. Argument: text.
    RefusedUnderPressure,
    /// Warning EvictionThresholdMet "Attempting to reclaim memory", of a node
    ReclaimMemory,
    /// Warning EvictionThresholdMet "Attempting to reclaim ephemeral-storage", of a node
    ReclaimEphemeralStorage,
    /// Warning EvictionThresholdMet "Attempting to reclaim inodes", of a node
    ReclaimInodes,
    /// Warning EvictionThresholdMet "Attempting to reclaim pids", of a node
    ReclaimPids,
}

/// The types of events.
const NORMAL: &str = "Normal";
const WARNING: &str = "Warning";

impl EventText {
    /// Of each in the order of their declaration: the type of the event, and its reason or one word
    /// for it ([`event_reason`](event_reason)).
    pub(crate) const TABLE: &[(Self, &'static str, &'static str); 51] = &[
        (Self::RegisteredNode, NORMAL, "RegisteredNode"),
        (Self::RemovingNode, NORMAL, "RemovingNode"),
        (Self::NodeNotReady, NORMAL, "NodeNotReady"),
        (Self::NodeReady, NORMAL, "NodeReady"),
        (Self::PodNodeNotReady, WARNING, "NodeNotReady"),
        (Self::MarkingForDeletion, NORMAL, "TaintManagerEviction"),
        (Self::CancellingDeletion, NORMAL, "TaintManagerEviction"),
        (Self::DeletingAllPods, NORMAL, "DeletingAllPods"),
        (Self::NodeControllerEviction, NORMAL, "NodeControllerEviction"),
        (Self::TaintToleration, WARNING, "TaintToleration"),
        (Self::DeletingNode, NORMAL, "DeletingNode"),
        (Self::DeletingNodeInReason, NORMAL, "DeletingNode"),
        (Self::NodeSynced, NORMAL, "Synced"),
        (Self::CreatedPod, NORMAL, "SuccessfulCreate"),
        (Self::DeletedPod, NORMAL, "SuccessfulDelete"),
        (Self::SuccessfulCreate, NORMAL, "SuccessfulCreate"),
        (Self::SuccessfulDelete, NORMAL, "SuccessfulDelete"),
        (Self::FailedCreate, WARNING, "FailedCreate"),
        (Self::FailedDelete, WARNING, "FailedDelete"),
        (Self::RecreatingFailedPod, WARNING, "RecreatingFailedPod"),
        (Self::RecreatingTerminatedPod, NORMAL, "RecreatingTerminatedPod"),
        (Self::ScalingReplicaSet, NORMAL, "ScalingReplicaSet"),
        (Self::FailedDaemonPod, WARNING, "FailedDaemonPod"),
        (Self::SucceededDaemonPod, NORMAL, "SucceededDaemonPod"),
        (Self::BackoffLimitExceeded, WARNING, "BackoffLimitExceeded"),
        (Self::PodFailurePolicy, WARNING, "PodFailurePolicy"),
        (Self::JobCompleted, NORMAL, "Completed"),
        (Self::Scheduled, NORMAL, "Scheduled"),
        (Self::FailedScheduling, WARNING, "FailedScheduling"),
        (Self::Preempted, NORMAL, "Preempted"),
        (Self::NoPods, NORMAL, "NoPods"),
        (Self::CalculateExpectedPodCountFailed, WARNING, "CalculateExpectedPodCountFailed"),
        (Self::NoControllers, WARNING, "NoControllers"),
        (Self::NoControllerRef, WARNING, "NoControllerRef"),
        (Self::UnmanagedPods, WARNING, "UnmanagedPods"),
        (Self::NotDeleted, WARNING, "NotDeleted"),
        (Self::MultiplePodDisruptionBudgets, WARNING, "MultiplePodDisruptionBudgets"),
        (Self::TaintTolerationFailed, WARNING, "TaintToleration"),
        (Self::NodeAffinity, WARNING, "NodeAffinity"),
        (Self::NodeAffinityFailed, WARNING, "NodeAffinity"),
        (Self::SuccessfulAttachVolume, NORMAL, "SuccessfulAttachVolume"),
        (Self::FailedAttachVolume, WARNING, "FailedAttachVolume"),
        (Self::NodeShutdown, WARNING, "NodeShutdown"),
        (Self::Shutdown, WARNING, "Shutdown"),
        (Self::ShutdownDetected, NORMAL, "NodeShutdown"),
        (Self::Evicted, WARNING, "Evicted"),
        (Self::RefusedUnderPressure, WARNING, "Evicted"),
        (Self::ReclaimMemory, WARNING, "EvictionThresholdMet"),
        (Self::ReclaimEphemeralStorage, WARNING, "EvictionThresholdMet"),
        (Self::ReclaimInodes, WARNING, "EvictionThresholdMet"),
        (Self::ReclaimPids, WARNING, "EvictionThresholdMet"),
    ];

    /// `Normal` or `Warning`.
    pub(crate) fn kind(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// The event's reason, or one word for it.
    pub(crate) const fn reason(self) -> &'static str {
        Self::TABLE[self as usize].2
    }
}

// Each row stands in the place of its text.
const _: () = {
    let mut place = 0;
    while place < EventText::TABLE.len() {
        assert!(EventText::TABLE[place].0 as usize == place);
        place += 1;
    }
};

/// An event's text with its argument: a pod, a node or a text, by [`EventText`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventBody {
    /// The kind of text.
    pub text: EventText,
    /// What it speaks of beside its object, where it does.
    pub(crate) arg: u32,
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
    pub(crate) combined: bool,
    /// How often it was seen.
    pub count: u32,
}

/// The message of an event about an object: `name` is a node's name, or `namespace/name`.
pub(crate) fn event_message(body: EventBody, name: &str, names: &Names) -> String {
    match body.text {
        EventText::RegisteredNode => {
            format!("Node {name} event: Registered Node {name} in Controller")
        }
        EventText::RemovingNode => {
            format!("Node {name} event: Removing Node {name} from Controller")
        }
        EventText::NodeNotReady => format!("Node {name} status is now: NodeNotReady"),
        EventText::NodeReady => format!("Node {name} status is now: NodeReady"),
        EventText::PodNodeNotReady => "Node is not ready".to_owned(),
        EventText::MarkingForDeletion => format!("Marking for deletion Pod {name}"),
        EventText::CancellingDeletion => format!("Cancelling deletion of Pod {name}"),
        EventText::DeletingAllPods => {
            format!("Node {name} event: Deleting all Pods from Node {name}.")
        }
        EventText::NodeControllerEviction => format!(
            "Marking for deletion Pod {} from Node {}",
            short_name(name),
            names.node_name(NodeId(body.arg))
        ),
        EventText::TaintToleration => {
            "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
                .to_owned()
        }
        EventText::TaintTolerationFailed => "Predicate TaintToleration failed".to_owned(),
        EventText::NodeAffinity => {
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
                .to_owned()
        }
        EventText::NodeAffinityFailed => "Predicate NodeAffinity failed".to_owned(),
        EventText::NodeShutdown => "Pod was rejected as the node is shutting down.".to_owned(),
        EventText::Shutdown => {
            "Node is in progress of shutting down, not admitting any new pods".to_owned()
        }
        EventText::ShutdownDetected => "Shutdown manager detected shutdown event".to_owned(),
        EventText::DeletingNode => deleting_node(name),
        EventText::DeletingNodeInReason => {
            format!("Node {name} event: {}", EventText::DeletingNode.reason())
        }
        EventText::ReclaimMemory => "Attempting to reclaim memory".to_owned(),
        EventText::ReclaimEphemeralStorage => "Attempting to reclaim ephemeral-storage".to_owned(),
        EventText::ReclaimInodes => "Attempting to reclaim inodes".to_owned(),
        EventText::ReclaimPids => "Attempting to reclaim pids".to_owned(),
        EventText::NodeSynced => "Node synced successfully".to_owned(),
        EventText::CreatedPod => {
            format!("Created pod: {}", short_name(names.pod_name(PodId(body.arg))))
        }
        EventText::DeletedPod => {
            format!("Deleted pod: {}", short_name(names.pod_name(PodId(body.arg))))
        }
        EventText::Scheduled => {
            format!("Successfully assigned {name} to {}", names.node_name(NodeId(body.arg)))
        }
        _ => names.text_of(TextId(body.arg)).to_owned(),
    }
}

fn deleting_node(name: &str) -> String {
    format!("Deleting node {name} because it does not exist in the cloud provider")
}

/// The reason of an event about the object of that name.
pub(crate) fn event_reason(text: EventText, name: &str) -> Cow<'static, str> {
    match text {
        EventText::DeletingNodeInReason => deleting_node(name).into(),
        other => other.reason().into(),
    }
}
