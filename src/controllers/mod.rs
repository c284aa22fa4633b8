//! The Kubernetes actors, a file or folder each. Siblings never import each other.

pub(crate) mod attach_detach;
pub(crate) mod cloud;
pub(crate) mod device_taint_eviction;
pub(crate) mod disruption;
pub(crate) mod drain;
pub(crate) mod garbage_collector;
pub(crate) mod kubelet;
pub(crate) mod node_lifecycle;
pub(crate) mod node_readiness;
pub(crate) mod pod_gc;
mod prelude;
pub(crate) mod resource_claim;
pub mod scheduler;
pub(crate) mod taint_eviction;
pub(crate) mod workload;
