//! NodePorts (`plugins/nodeports/node_ports.go`): host ports are taken once per node.

use crate::controllers::scheduler::prelude::*;

/// Rejects a node on which a host port of the pod is taken.
pub(crate) fn filter(shape: &Shape, node: &NodeInfo) -> Verdict {
    if shape.host_ports().iter().any(|wanted| node.ports.iter().any(|used| used.conflicts(wanted)))
    {
        return Err(Rejection::resolvable(
            Plugin::NodePorts,
            "node(s) didn't have free ports for the requested pod ports",
        ));
    }
    Ok(())
}

/// Whether two pods want a port in common: the deletion of the one may then help the other.
pub(crate) fn share_a_port(a: &Shape, b: &Shape) -> bool {
    a.host_ports().iter().any(|p| b.host_ports().iter().any(|q| p.conflicts(q)))
}
