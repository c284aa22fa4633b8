//! The Kubernetes actors, a file or folder each. Siblings never import each other.

pub mod cloud;
pub mod disruption;
pub mod drain;
pub mod kubelet;
pub mod node_lifecycle;
pub mod pod_gc;
pub mod scheduler;
pub mod taint_eviction;
pub mod workload;
