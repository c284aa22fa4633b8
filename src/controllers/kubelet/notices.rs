//! What the steps of kubelets announce to whoever computes heartbeats instead of simulating them.
//! The steps know no more of that than these names.

use crate::api::names::NodeId;

/// Announcements of the steps.
pub(super) trait Notices {
    /// A status check found nothing to do about a kubelet that is well.
    fn rests(&self, node: NodeId);
    /// Something happens to a kubelet or its node.
    fn touched(&self, node: NodeId);
    /// A kubelet falls silent: whether a heartbeat of this very instant still comes is for a search
    /// to say.
    fn silenced(&self, node: NodeId);
    /// Its heartbeats are about to deviate from what can be computed, and what comes of that may
    /// outlast the deviation, as a renewal from the future does.
    fn deviates(&self, node: NodeId);
}
