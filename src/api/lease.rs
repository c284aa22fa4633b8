//! Node leases (`coordination.k8s.io/v1 Lease` in `kube-node-lease`).

use super::meta::Uid;
use super::names::NodeId;

/// The lease of a node; its name is the node's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lease {
    /// Whose lease it is.
    pub(crate) node: NodeId,
    /// This life of the object.
    pub(crate) uid: Uid,
    /// The version of the object.
    pub(crate) resource_version: u64,
    /// When the kubelet last renewed it, by the kubelet's clock: microseconds from the start of the
    /// run.
    pub(crate) renew_time_us: i64,
}
