//! A node's conditions as its kubelet sees them, and as it writes them.

use crate::api::node::NodeReason;
use crate::controllers::prelude::*;

/// Conditions as a kubelet sees them itself, in the order in which it writes them; `None` is not
/// its business.
pub(super) type View = [(NodeConditionType, Option<ConditionStatus>); 6];

/// The view of a healthy node.
pub(super) fn healthy() -> View {
    NodeConditionType::ALL.map(|kind| {
        let status = match kind {
            NodeConditionType::Ready => Some(ConditionStatus::True),
            NodeConditionType::MemoryPressure
            | NodeConditionType::DiskPressure
            | NodeConditionType::PidPressure => Some(ConditionStatus::False),
            NodeConditionType::NetworkUnavailable | NodeConditionType::OutOfDisk => None,
        };
        (kind, status)
    })
}

/// The conditions that a healthy kubelet posts now.
pub(crate) fn healthy_conditions(at: Timestamp) -> Vec<NodeCondition> {
    let mut conditions = Vec::with_capacity(4);
    fill(&mut conditions, &healthy(), at);
    conditions
}

/// Writes a kubelet's view into a node's conditions, with a new heartbeat on all of its own.
pub(super) fn fill(conditions: &mut Vec<NodeCondition>, view: &View, at: Timestamp) {
    for &(kind, status) in view {
        let Some(status) = status else { continue };
        let reason = NodeReason::of_kubelet(kind, status);
        match conditions.iter_mut().find(|c| c.kind == kind) {
            None => conditions.push(NodeCondition {
                kind,
                status,
                reason,
                last_heartbeat_time: at,
                last_transition_time: at,
            }),
            Some(c) => {
                if c.status != status {
                    c.last_transition_time = at;
                }
                c.status = status;
                c.reason = reason;
                c.last_heartbeat_time = at;
            }
        }
    }
}
