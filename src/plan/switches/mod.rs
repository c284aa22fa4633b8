//! What changed in each component from release to release, as named switches. Which release has
//! which is said in one place, `profiles`.

pub mod api_fields;
pub(crate) mod attach_detach;
pub(crate) mod cloud;
pub(crate) mod device_taint_eviction;
pub(crate) mod disruption;
pub(crate) mod eviction;
pub(crate) mod kubelet;
pub(crate) mod node_lifecycle;
pub(crate) mod persistent_volume;
pub(crate) mod pod_gc;
pub mod scheduler;
pub mod taint_eviction;
pub(crate) mod workload;
