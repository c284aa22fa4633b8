//! NodeUnschedulable (`plugins/nodeunschedulable/node_unschedulable.go`): cordoned nodes take no
//! pods.

use crate::controllers::scheduler::prelude::*;

/// Rejects a cordoned node unless the pod tolerates the taint of cordoned nodes.
pub(crate) fn filter(shape: &Shape, node: &Node) -> Verdict {
    if !node.unschedulable || shape.tolerates_unschedulable {
        return Ok(());
    }
    Err(Rejection::unresolvable(Plugin::NodeUnschedulable, "node(s) were unschedulable"))
}

/// Whether a change of a node, or of the pod's own tolerations, may help a pod that this plugin
/// rejected.
pub(crate) fn hint(shape: &Shape, event: ClusterEvent, (old, new): Nodes<'_>) -> bool {
    if event == ClusterEvent::OwnTolerations {
        return shape.tolerates_unschedulable;
    }
    new.is_some_and(|n| !n.unschedulable && old.is_none_or(|o| o.unschedulable))
}
