//! What events say: message, reason and type.

use super::event::{EventBody, EventText};
use crate::api::names::{Names, NodeId, PodId, TextId};
use crate::api::workload::short_name;
use std::borrow::Cow;

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
        EventText::DeletingNode => deleting_node(name),
        EventText::DeletingNodeInReason => {
            format!("Node {name} event: {}", EventText::DeletingNode.reason())
        }
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
