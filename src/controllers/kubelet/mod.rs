//! Kubelets: heartbeats, and the life of pods on their nodes.
//!
//! One module with its behaviour as data ([`KubeletMode`](crate::plan::KubeletMode)): `Imitated`
//! are the recorder's rules, exactly; `Real` models
//! `component-helpers/apimachinery/lease/controller.go`, `pkg/kubelet/kubelet_node_status.go`, the
//! status manager and `pkg/kubelet/lifecycle/predicate.go`, v1.34, older releases by
//! [`Switches`](crate::plan::switches::kubelet::Switches). Kubelets write straight into the API
//! server: their own request latency, milliseconds against periods of ten seconds, is left out.

mod asleep;
mod containers;
mod eviction;
mod eviction_manager;
mod image_gc_manager;
mod images;
mod jitter;
mod kubelets;
mod lives;
mod loops;
mod machine;
mod nodes;
mod nodeshutdown;
mod pod_workers;
mod pods;
mod prelude;
mod prober;
mod pull;
mod reach;
mod refusal;
mod restarts;
mod stats;
mod status_manager;
mod step;
mod updates;
mod uplink;
mod volume_manager;
mod walk;
mod worker;

pub(crate) use kubelets::Kubelets;
pub(crate) use loops::STATUS_PERIOD;
pub(crate) use nodes::{Loop, NodeSettings, healthy_conditions};
