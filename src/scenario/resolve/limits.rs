//! The limits of a cluster, and of a timeline.

/// The most nodes of a cluster, forty times what Kubernetes supports.
pub const NODES_MAX: u64 = 200_000;
/// The most pods of a cluster, thirty times what Kubernetes supports.
pub const PODS_MAX: u64 = 5_000_000;

/// How many nodes the steps of a timeline may name in all, each time a node is named.
pub(super) const MENTIONS_MAX: u64 = 20_000_000;
