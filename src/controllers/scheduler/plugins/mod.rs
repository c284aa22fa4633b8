//! The scheduler's plugins, one file each (`pkg/scheduler/framework/plugins`).
//!
//! Left out, as they never tell nodes apart here: VolumeZone (volumes say their
//! zone by node affinity), NodeDeclaredFeatures, NodePreferAvoidPods, and the filter
//! NodeName: a pod that names a node is bound and does not come here.

pub mod balanced_allocation;
pub mod dynamic_resources;
pub(crate) mod image_locality;
pub(crate) mod inter_pod_affinity;
pub(crate) mod node_affinity;
pub(crate) mod node_conditions;
pub(crate) mod node_ports;
pub mod node_resources_fit;
pub(crate) mod node_unschedulable;
pub(crate) mod node_volume_limits;
pub(crate) mod pod_topology_spread;
pub mod pod_topology_spread_score;
pub(crate) mod selector_spread;
pub mod taint_toleration;
pub mod volume_binding;
