//! The events that controllers emit, as data, and what they say.

use crate::api::names::{Names, NodeId, PodId, TextId};
use crate::api::words::words;
use crate::api::workload::short_name;
use std::borrow::Cow;
use std::collections::BTreeSet;

const NORMAL: &str = "Normal";
const WARNING: &str = "Warning";
const NOT_TOLERATED: &str =
    "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
const NOT_MATCHED: &str =
    "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
/// The message is the argument.
const TEXT: &str = "{text}";

words! {
    /// The events controllers emit, by their reason or one word for it (`event_reason`); their message
    /// follows from this, the object's name and, for those of [`EventBody`], an argument.
    pub enum EventText {
        /// Normal RegisteredNode "Node N event: Registered Node N in Controller"
        RegisteredNode = "RegisteredNode":
            (NORMAL, "Node {name} event: Registered Node {name} in Controller"),
        /// Normal RemovingNode "Node N event: Removing Node N from Controller"
        RemovingNode = "RemovingNode":
            (NORMAL, "Node {name} event: Removing Node {name} from Controller"),
        /// Normal NodeNotReady "Node N status is now: NodeNotReady", of a node
        NodeNotReady = "NodeNotReady": (NORMAL, "Node {name} status is now: NodeNotReady"),
        /// Normal NodeReady, by the kubelet, "Node N status is now: NodeReady"
        NodeReady = "NodeReady": (NORMAL, "Node {name} status is now: NodeReady"),
        /// Warning NodeNotReady "Node is not ready", of a pod
        PodNodeNotReady = "NodeNotReady": (WARNING, "Node is not ready"),
        /// Normal TaintManagerEviction "Marking for deletion Pod ns/name"
        MarkingForDeletion = "TaintManagerEviction": (NORMAL, "Marking for deletion Pod {name}"),
        /// Normal TaintManagerEviction "Cancelling deletion of Pod ns/name"
        CancellingDeletion = "TaintManagerEviction": (NORMAL, "Cancelling deletion of Pod {name}"),
        /// Normal DeviceTaintManagerEviction "Marking for deletion"
        DeviceMarkingForDeletion = "DeviceTaintManagerEviction": (NORMAL, "Marking for deletion"),
        /// Normal DeviceTaintManagerEviction "Cancelling deletion"
        DeviceCancellingDeletion = "DeviceTaintManagerEviction": (NORMAL, "Cancelling deletion"),
        /// Normal DeletingAllPods "Node N event: Deleting all Pods from Node N."
        DeletingAllPods = "DeletingAllPods":
            (NORMAL, "Node {name} event: Deleting all Pods from Node {name}."),
        /// Normal NodeControllerEviction "Marking for deletion Pod P from Node N"
        NodeControllerEviction = "NodeControllerEviction":
            (NORMAL, "Marking for deletion Pod {short} from Node {node}"),
        /// Warning TaintToleration: the kubelet refuses the pod.
        TaintToleration = "TaintToleration": (WARNING, NOT_TOLERATED),
        /// Normal DeletingNode "Deleting node N because it does not exist in the cloud provider"
        DeletingNode = "DeletingNode":
            (NORMAL, "Deleting node {name} because it does not exist in the cloud provider"),
        /// The same up to 1.20, whose reason is that message and whose message is that reason: "Node N event: DeletingNode"
        DeletingNodeInReason = "DeletingNode": (NORMAL, "Node {name} event: DeletingNode"),
        /// Normal Synced "Node synced successfully"
        NodeSynced = "Synced": (NORMAL, "Node synced successfully"),
        /// Normal SuccessfulCreate "Created pod: P". Argument: pod.
        CreatedPod = "SuccessfulCreate": (NORMAL, "Created pod: {pod}"),
        /// Normal SuccessfulDelete "Deleted pod: P". Argument: pod.
        DeletedPod = "SuccessfulDelete": (NORMAL, "Deleted pod: {pod}"),
        /// Normal SuccessfulCreate in other words. Argument: text.
        SuccessfulCreate = "SuccessfulCreate": (NORMAL, TEXT),
        /// Normal SuccessfulDelete in other words. Argument: text.
        SuccessfulDelete = "SuccessfulDelete": (NORMAL, TEXT),
        /// Warning FailedCreate. Argument: text.
        FailedCreate = "FailedCreate": (WARNING, TEXT),
        /// Warning FailedDelete. Argument: text.
        FailedDelete = "FailedDelete": (WARNING, TEXT),
        /// Warning RecreatingFailedPod, of a StatefulSet. Argument: text.
        RecreatingFailedPod = "RecreatingFailedPod": (WARNING, TEXT),
        /// Normal RecreatingTerminatedPod, of a StatefulSet. Argument: text.
        RecreatingTerminatedPod = "RecreatingTerminatedPod": (NORMAL, TEXT),
        /// Normal ScalingReplicaSet, of a Deployment. Argument: text.
        ScalingReplicaSet = "ScalingReplicaSet": (NORMAL, TEXT),
        /// Warning FailedPlacement, of a DaemonSet. Argument: text.
        FailedPlacement = "FailedPlacement": (WARNING, TEXT),
        /// Warning FailedDaemonPod. Argument: text.
        FailedDaemonPod = "FailedDaemonPod": (WARNING, TEXT),
        /// Normal SucceededDaemonPod. Argument: text.
        SucceededDaemonPod = "SucceededDaemonPod": (NORMAL, TEXT),
        /// Warning BackoffLimitExceeded, of a Job. Argument: text.
        BackoffLimitExceeded = "BackoffLimitExceeded": (WARNING, TEXT),
        /// Warning PodFailurePolicy, of a Job. Argument: text.
        PodFailurePolicy = "PodFailurePolicy": (WARNING, TEXT),
        /// Normal Completed, of a Job. Argument: text.
        JobCompleted = "Completed": (NORMAL, TEXT),
        /// Normal Scheduled "Successfully assigned P to N". Argument: node.
        Scheduled = "Scheduled": (NORMAL, "Successfully assigned {name} to {node}"),
        /// Warning FailedScheduling. Argument: text.
        FailedScheduling = "FailedScheduling": (WARNING, TEXT),
        /// Normal Preempted. Argument: text.
        Preempted = "Preempted": (NORMAL, TEXT),
        /// Normal NoPods, of a disruption budget. Argument: text.
        NoPods = "NoPods": (NORMAL, TEXT),
        /// Warning CalculateExpectedPodCountFailed, of a disruption budget. Argument: text.
        CalculateExpectedPodCountFailed = "CalculateExpectedPodCountFailed": (WARNING, TEXT),
        /// Warning NoControllers, of a disruption budget. Argument: text.
        NoControllers = "NoControllers": (WARNING, TEXT),
        /// Warning NoControllerRef, of a disruption budget. Argument: text.
        NoControllerRef = "NoControllerRef": (WARNING, TEXT),
        /// Warning UnmanagedPods, of a disruption budget. Argument: text.
        UnmanagedPods = "UnmanagedPods": (WARNING, TEXT),
        /// Warning NotDeleted, of a pod whose eviction was granted. Argument: text.
        NotDeleted = "NotDeleted": (WARNING, TEXT),
        /// Warning MultiplePodDisruptionBudgets, of a pod. Argument: text.
        MultiplePodDisruptionBudgets = "MultiplePodDisruptionBudgets": (WARNING, TEXT),
        /// Warning TaintToleration "Predicate TaintToleration failed", as kubelets say it up to 1.30.
        TaintTolerationFailed = "TaintToleration": (WARNING, "Predicate TaintToleration failed"),
        /// Warning NodeAffinity "Predicate NodeAffinity failed: node(s) didn't match Pod's node
        /// affinity/selector"
        NodeAffinity = "NodeAffinity": (WARNING, NOT_MATCHED),
        /// Warning NodeAffinity "Predicate NodeAffinity failed", as kubelets say it up to 1.30.
        NodeAffinityFailed = "NodeAffinity": (WARNING, "Predicate NodeAffinity failed"),
        /// Normal SuccessfulAttachVolume, of a pod. Argument: text.
        SuccessfulAttachVolume = "SuccessfulAttachVolume": (NORMAL, TEXT),
        /// Warning FailedAttachVolume, of a pod. Argument: text.
        FailedAttachVolume = "FailedAttachVolume": (WARNING, TEXT),
        /// Normal WaitForFirstConsumer "waiting for first consumer to be created before binding", of a claim
        WaitForFirstConsumer = "WaitForFirstConsumer":
            (NORMAL, "waiting for first consumer to be created before binding"),
        /// Normal WaitForPodScheduled, of a claim. Argument: text.
        WaitForPodScheduled = "WaitForPodScheduled": (NORMAL, TEXT),
        /// Normal ExternalProvisioning, of a claim. Argument: text.
        ExternalProvisioning = "ExternalProvisioning": (NORMAL, TEXT),
        /// Normal Provisioning, of a claim. Argument: text.
        Provisioning = "Provisioning": (NORMAL, TEXT),
        /// Normal ProvisioningSucceeded, of a claim. Argument: text.
        ProvisioningSucceeded = "ProvisioningSucceeded": (NORMAL, TEXT),
        /// Warning ProvisioningFailed, of a claim. Argument: text.
        ProvisioningFailed = "ProvisioningFailed": (WARNING, TEXT),
        /// Warning NodeShutdown "Pod was rejected as the node is shutting down."
        NodeShutdown = "NodeShutdown": (WARNING, "Pod was rejected as the node is shutting down."),
        /// Warning Shutdown "Node is in progress of shutting down, not admitting any new pods", as kubelets
        /// say it up to 1.21.
        Shutdown = "Shutdown":
            (WARNING, "Node is in progress of shutting down, not admitting any new pods"),
        /// Normal Shutdown "Shutdown manager detected shutdown event", of a node
        ShutdownDetected = "Shutdown": (NORMAL, "Shutdown manager detected shutdown event"),
        /// Warning Evicted: the kubelet evicts the pod. Argument: text.
        Evicted = "Evicted": (WARNING, TEXT),
        /// Warning Evicted: the kubelet does not admit the pod while something is short. Argument: text.
        RefusedUnderPressure = "Evicted": (WARNING, TEXT),
        /// Warning EvictionThresholdMet "Attempting to reclaim memory", of a node
        ReclaimMemory = "EvictionThresholdMet": (WARNING, "Attempting to reclaim memory"),
        /// Warning EvictionThresholdMet "Attempting to reclaim ephemeral-storage", of a node
        ReclaimEphemeralStorage = "EvictionThresholdMet":
            (WARNING, "Attempting to reclaim ephemeral-storage"),
        /// Warning EvictionThresholdMet "Attempting to reclaim inodes", of a node
        ReclaimInodes = "EvictionThresholdMet": (WARNING, "Attempting to reclaim inodes"),
        /// Warning EvictionThresholdMet "Attempting to reclaim pids", of a node
        ReclaimPids = "EvictionThresholdMet": (WARNING, "Attempting to reclaim pids"),
        /// Normal TaintAdded, of a node. Argument: text.
        TaintAdded = "TaintAdded": (NORMAL, TEXT),
        /// Normal TaintRemoved, of a node. Argument: text.
        TaintRemoved = "TaintRemoved": (NORMAL, TEXT),
        /// Warning Unhealthy: a probe of a pod's container has failed. Argument: text.
        Unhealthy = "Unhealthy": (WARNING, TEXT),
        /// Normal Killing: a pod's container is killed because a probe has failed. Argument: text.
        Killing = "Killing": (NORMAL, TEXT),
        /// Warning BackOff: a pod's container is not started again yet. Argument: text.
        BackOff = "BackOff": (WARNING, TEXT),
        /// Normal Pulling: the image of a pod's container is to be pulled. Argument: text.
        Pulling = "Pulling": (NORMAL, TEXT),
        /// Normal Pulled: it was, or was there. Argument: text.
        Pulled = "Pulled": (NORMAL, TEXT),
        /// Warning Failed: it could not be pulled. Argument: text.
        Failed = "Failed": (WARNING, TEXT),
        /// Normal BackOff: it is not pulled again yet. Argument: text.
        BackOffPullImage = "BackOff": (NORMAL, TEXT),
        /// Warning FreeDiskSpaceFailed, of a node: too few images could be deleted. Argument: text.
        FreeDiskSpaceFailed = "FreeDiskSpaceFailed": (WARNING, TEXT),
        /// Warning ImageGCFailed, of a node: not for the first time. Argument: text.
        ImageGcFailed = "ImageGCFailed": (WARNING, TEXT),
    }

    /// `Normal` or `Warning`, and the message: of the `{name}` of its object, `{short}` without a namespace,
    /// and of its argument as a `{pod}`, a `{node}` or a `{text}`.
    pub(super) fn row -> (&'static str, &'static str);
}

impl EventText {
    /// Whether a message of it may have this part; of free words it may have any, and a name has no space and no capital.
    pub(crate) fn may_say(self, part: &str) -> bool {
        let message = format!("(combined from similar events): {}", self.row().1);
        // Each letter of the message; none for any number of those that names have.
        let mut letters = Vec::new();
        for (i, piece) in message.split(['{', '}']).enumerate() {
            match piece {
                "text" if i % 2 == 1 => return true,
                _ if i % 2 == 1 => letters.push(None),
                literal => letters.extend(literal.chars().map(Some)),
            }
        }
        let is_of_name =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c);
        // Where in the message it may stand after each letter of the part.
        let mut at: BTreeSet<usize> = (0..letters.len()).collect();
        for c in part.chars() {
            let mut next = BTreeSet::new();
            for mut i in std::mem::take(&mut at) {
                while let Some(None) = letters.get(i) {
                    next.extend(is_of_name(c).then_some(i));
                    i += 1;
                }
                next.extend((letters.get(i) == Some(&Some(c))).then_some(i + 1));
            }
            at = next;
        }
        !at.is_empty()
    }
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
    let part = |(place, part): (usize, &'static str)| match part {
        literal if place % 2 == 0 => literal,
        "name" => name,
        "short" => short_name(name),
        "pod" => short_name(names.pod_name(PodId(body.arg))),
        "node" => names.node_name(NodeId(body.arg)),
        _ => names.text_of(TextId(body.arg)),
    };
    body.text.row().1.split(['{', '}']).enumerate().map(part).collect()
}

/// The reason of an event about the object of that name.
pub(crate) fn event_reason(text: EventText, name: &str) -> Cow<'static, str> {
    match text {
        EventText::DeletingNodeInReason => {
            EventText::DeletingNode.row().1.replace("{name}", name).into()
        }
        other => other.as_str().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::EventText;

    /// By the messages in the list above: names are lower case, and nothing is known of free words.
    #[test]
    fn what_a_message_may_say() {
        let marking = EventText::MarkingForDeletion;
        for (part, may) in [
            ("Marking for deletion", true),
            ("deletion Pod default/web-0", true),
            ("web", true),
            ("Marking for deletoin", false),
            ("Pod Web", false),
            ("", true),
        ] {
            assert_eq!(marking.may_say(part), may, "{part}");
        }
        assert!(EventText::NodeControllerEviction.may_say("web-0 from Node a-0"));
        assert!(EventText::FailedScheduling.may_say("Anything"));
    }
}
