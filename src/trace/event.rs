//! The events that controllers emit, as data, and what they say.

use crate::api::names::{Names, NodeId, PodId, TextId};
use crate::api::words::words;
use crate::api::workload::short_name;
use std::borrow::Cow;

const NORMAL: &str = "Normal";
const WARNING: &str = "Warning";

words! {
    /// The events controllers emit, by their reason or one word for it (`event_reason`); their message
    /// follows from this, the object's name and, for those of [`EventBody`], an argument.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum EventText {
        /// Normal RegisteredNode "Node N event: Registered Node N in Controller"
        RegisteredNode = "RegisteredNode": NORMAL,
        /// Normal RemovingNode "Node N event: Removing Node N from Controller"
        RemovingNode = "RemovingNode": NORMAL,
        /// Normal NodeNotReady "Node N status is now: NodeNotReady", of a node
        NodeNotReady = "NodeNotReady": NORMAL,
        /// Normal NodeReady, by the kubelet, "Node N status is now: NodeReady"
        NodeReady = "NodeReady": NORMAL,
        /// Warning NodeNotReady "Node is not ready", of a pod
        PodNodeNotReady = "NodeNotReady": WARNING,
        /// Normal TaintManagerEviction "Marking for deletion Pod ns/name"
        MarkingForDeletion = "TaintManagerEviction": NORMAL,
        /// Normal TaintManagerEviction "Cancelling deletion of Pod ns/name"
        CancellingDeletion = "TaintManagerEviction": NORMAL,
        /// Normal DeviceTaintManagerEviction "Marking for deletion"
        DeviceMarkingForDeletion = "DeviceTaintManagerEviction": NORMAL,
        /// Normal DeviceTaintManagerEviction "Cancelling deletion"
        DeviceCancellingDeletion = "DeviceTaintManagerEviction": NORMAL,
        /// Normal DeletingAllPods "Node N event: Deleting all Pods from Node N."
        DeletingAllPods = "DeletingAllPods": NORMAL,
        /// Normal NodeControllerEviction "Marking for deletion Pod P from Node N"
        NodeControllerEviction = "NodeControllerEviction": NORMAL,
        /// Warning TaintToleration: the kubelet refuses the pod.
        TaintToleration = "TaintToleration": WARNING,
        /// Normal DeletingNode "Deleting node N because it does not exist in the cloud provider"
        DeletingNode = "DeletingNode": NORMAL,
        /// The same up to 1.20, whose reason is that message and whose message is that reason: "Node N event: DeletingNode"
        DeletingNodeInReason = "DeletingNode": NORMAL,
        /// Normal Synced "Node synced successfully"
        NodeSynced = "Synced": NORMAL,
        /// Normal SuccessfulCreate "Created pod: P". Argument: pod.
        CreatedPod = "SuccessfulCreate": NORMAL,
        /// Normal SuccessfulDelete "Deleted pod: P". Argument: pod.
        DeletedPod = "SuccessfulDelete": NORMAL,
        /// Normal SuccessfulCreate in other words. Argument: text.
        SuccessfulCreate = "SuccessfulCreate": NORMAL,
        /// Normal SuccessfulDelete in other words. Argument: text.
        SuccessfulDelete = "SuccessfulDelete": NORMAL,
        /// Warning FailedCreate. Argument: text.
        FailedCreate = "FailedCreate": WARNING,
        /// Warning FailedDelete. Argument: text.
        FailedDelete = "FailedDelete": WARNING,
        /// Warning RecreatingFailedPod, of a StatefulSet. Argument: text.
        RecreatingFailedPod = "RecreatingFailedPod": WARNING,
        /// Normal RecreatingTerminatedPod, of a StatefulSet. Argument: text.
        RecreatingTerminatedPod = "RecreatingTerminatedPod": NORMAL,
        /// Normal ScalingReplicaSet, of a Deployment. Argument: text.
        ScalingReplicaSet = "ScalingReplicaSet": NORMAL,
        /// Warning FailedDaemonPod. Argument: text.
        FailedDaemonPod = "FailedDaemonPod": WARNING,
        /// Normal SucceededDaemonPod. Argument: text.
        SucceededDaemonPod = "SucceededDaemonPod": NORMAL,
        /// Warning BackoffLimitExceeded, of a Job. Argument: text.
        BackoffLimitExceeded = "BackoffLimitExceeded": WARNING,
        /// Warning PodFailurePolicy, of a Job. Argument: text.
        PodFailurePolicy = "PodFailurePolicy": WARNING,
        /// Normal Completed, of a Job. Argument: text.
        JobCompleted = "Completed": NORMAL,
        /// Normal Scheduled "Successfully assigned P to N". Argument: node.
        Scheduled = "Scheduled": NORMAL,
        /// Warning FailedScheduling. Argument: text.
        FailedScheduling = "FailedScheduling": WARNING,
        /// Normal Preempted. Argument: text.
        Preempted = "Preempted": NORMAL,
        /// Normal NoPods, of a disruption budget. Argument: text.
        NoPods = "NoPods": NORMAL,
        /// Warning CalculateExpectedPodCountFailed, of a disruption budget. Argument: text.
        CalculateExpectedPodCountFailed = "CalculateExpectedPodCountFailed": WARNING,
        /// Warning NoControllers, of a disruption budget. Argument: text.
        NoControllers = "NoControllers": WARNING,
        /// Warning NoControllerRef, of a disruption budget. Argument: text.
        NoControllerRef = "NoControllerRef": WARNING,
        /// Warning UnmanagedPods, of a disruption budget. Argument: text.
        UnmanagedPods = "UnmanagedPods": WARNING,
        /// Warning NotDeleted, of a pod whose eviction was granted. Argument: text.
        NotDeleted = "NotDeleted": WARNING,
        /// Warning MultiplePodDisruptionBudgets, of a pod. Argument: text.
        MultiplePodDisruptionBudgets = "MultiplePodDisruptionBudgets": WARNING,
        /// Warning TaintToleration "Predicate TaintToleration failed", as kubelets say it up to 1.30.
        TaintTolerationFailed = "TaintToleration": WARNING,
        /// Warning NodeAffinity "Predicate NodeAffinity failed: node(s) didn't match Pod's node
        /// affinity/selector"
        NodeAffinity = "NodeAffinity": WARNING,
        /// Warning NodeAffinity "Predicate NodeAffinity failed", as kubelets say it up to 1.30.
        NodeAffinityFailed = "NodeAffinity": WARNING,
        /// Normal SuccessfulAttachVolume, of a pod. Argument: text.
        SuccessfulAttachVolume = "SuccessfulAttachVolume": NORMAL,
        /// Warning FailedAttachVolume, of a pod. Argument: text.
        FailedAttachVolume = "FailedAttachVolume": WARNING,
        /// Warning NodeShutdown "Pod was rejected as the node is shutting down."
        NodeShutdown = "NodeShutdown": WARNING,
        /// Warning Shutdown "Node is in progress of shutting down, not admitting any new pods", as kubelets
        /// say it up to 1.21.
        Shutdown = "Shutdown": WARNING,
        /// Normal NodeShutdown "Shutdown manager detected shutdown event", of a node
        ShutdownDetected = "NodeShutdown": NORMAL,
        /// Warning Evicted: the kubelet evicts the pod. Argument: text.
        Evicted = "Evicted": WARNING,
        /// Warning Evicted: the kubelet does not admit the pod while something is short. Argument: text.
        RefusedUnderPressure = "Evicted": WARNING,
        /// Warning EvictionThresholdMet "Attempting to reclaim memory", of a node
        ReclaimMemory = "EvictionThresholdMet": WARNING,
        /// Warning EvictionThresholdMet "Attempting to reclaim ephemeral-storage", of a node
        ReclaimEphemeralStorage = "EvictionThresholdMet": WARNING,
        /// Warning EvictionThresholdMet "Attempting to reclaim inodes", of a node
        ReclaimInodes = "EvictionThresholdMet": WARNING,
        /// Warning EvictionThresholdMet "Attempting to reclaim pids", of a node
        ReclaimPids = "EvictionThresholdMet": WARNING,
        /// Normal TaintAdded, of a node. Argument: text.
        TaintAdded = "TaintAdded": NORMAL,
        /// Normal TaintRemoved, of a node. Argument: text.
        TaintRemoved = "TaintRemoved": NORMAL,
        /// Warning Unhealthy: a probe of a pod's container has failed. Argument: text.
        Unhealthy = "Unhealthy": WARNING,
        /// Normal Killing: a pod's container is killed because a probe has failed. Argument: text.
        Killing = "Killing": NORMAL,
        /// Warning BackOff: a pod's container is not started again yet. Argument: text.
        BackOff = "BackOff": WARNING,
        /// Normal Pulling: the image of a pod's container is to be pulled. Argument: text.
        Pulling = "Pulling": NORMAL,
        /// Normal Pulled: it was, or was there. Argument: text.
        Pulled = "Pulled": NORMAL,
        /// Warning Failed: it could not be pulled. Argument: text.
        Failed = "Failed": WARNING,
        /// Normal BackOff: it is not pulled again yet. Argument: text.
        BackOffPullImage = "BackOff": NORMAL,
    }

    /// `Normal` or `Warning`.
    pub(crate) fn kind -> &'static str;
}

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
        EventText::DeviceMarkingForDeletion => "Marking for deletion".to_owned(),
        EventText::DeviceCancellingDeletion => "Cancelling deletion".to_owned(),
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
            format!("Node {name} event: {}", EventText::DeletingNode.as_str())
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
        other => other.as_str().into(),
    }
}
