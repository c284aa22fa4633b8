//! The Kubernetes actors, a file or folder each. Siblings never import each other.

pub mod kubelet;
pub mod node_lifecycle;
pub mod taint_eviction;
