//! What the steps of the controller say to whoever skips passes and leaves nodes out, without
//! knowing what is made of it.

use crate::api::names::NodeId;

/// Who skips work hears of what may end that.
pub(super) trait Notices {
    /// The pass did something, or will do it again.
    fn restless(&self);
    /// Every node has to be looked at again.
    fn rouse_all(&self);
    /// The NoExecute loop has something to do at its next turn, a node that was queued, or something
    /// to wait for, its lock. `by_worker`: not by the health pass itself, whose turn was fixed long
    /// before.
    fn tainting_is_due(&self, by_worker: bool);
    /// The cache has a new version of a node, or has it no more.
    fn node_changed(&self, id: NodeId, was: bool, is: bool);
    /// Something reached the caches of nodes, or may come of a node that was quiet.
    fn stirred(&self);
    /// A node's heartbeats are computed up to now, and no more.
    fn wakes(&self, node: NodeId);
}
