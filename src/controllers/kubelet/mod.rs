//! Kubelets: heartbeats, and the life of pods on their nodes.
//!
//! One module with its behaviour as data ([`KubeletMode`](crate::plan::KubeletMode)): `Imitated`
//! are the recorder's rules, exactly; `Real` models
//! `component-helpers/apimachinery/lease/controller.go`, `pkg/kubelet/kubelet_node_status.go`, the
//! status manager and `pkg/kubelet/lifecycle/predicate.go`, v1.34, older releases by
//! [`Switches`](crate::plan::switches::kubelet::Switches). Kubelets write straight into the API
//! server: their own request latency, milliseconds against periods of ten seconds, is left out, as
//! are images, volumes, probes, node-pressure eviction and graceful node shutdown.

mod asleep;
mod commands;
mod conditions;
mod containers;
mod heartbeats;
mod imitated;
mod jitter;
mod kubelets;
mod machine;
mod node_state;
mod notices;
mod pods;
mod reach;
mod real;
mod refusal;
mod restart;
mod runtime;
mod static_pods;
mod uplink;
mod walk;

pub(crate) use conditions::healthy_conditions;
pub(crate) use imitated::STATUS_PERIOD;
pub(crate) use kubelets::{Kubelets, Signs};
pub(crate) use node_state::NodeSettings;
