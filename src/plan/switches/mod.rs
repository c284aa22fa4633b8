//! What changed in each component from release to release, as named switches. Which release has
//! which is said in one place, `scenario::profiles`.

pub mod disruption;
pub mod eviction;
pub mod kubelet;
pub mod node_lifecycle;
pub mod pod_gc;
pub mod scheduler;
pub mod taint_eviction;
pub mod workload;
