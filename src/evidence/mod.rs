//! What is left of an outage, read: events, audit logs, logs of controllers, and metrics, beside
//! exports.
//!
//! ```text
//! statement   what a source says happened, when, and where it says so
//! file        a file of any kind: told apart, and read
//! events      `kubectl get events`, core/v1 and events.k8s.io/v1
//! audit       audit logs of the API server, JSON lines
//! klog        logs of kube-controller-manager and kube-scheduler
//! prometheus  answers of Prometheus to range queries of kube-state-metrics
//! export      what exports tell of the time before them
//! heard       all statements together, and what was left out
//! anonymous   names made others, the same always the same
//! outage      what was: nodes that fell silent and came back, what people did
//! owners      whose pods are, by events or by their names
//! zones       which nodes are of one zone, by names or by when they were tainted
//! cluster     the cluster before that
//! workloads   workloads of which there are only the pods
//! timeline    what happened, in the scenario language
//! written     both as a scenario, with the evidence for each entry
//! ```
//!
//! Nothing is kept of a file but what a statement or the model needs: no annotations, no bodies of
//! requests, no tokens.

mod anonymous;
mod audit;
#[cfg(test)]
mod audit_tests;
mod cluster;
#[cfg(test)]
mod deleted_tests;
mod events;
mod export;
#[cfg(test)]
mod export_tests;
mod file;
mod heard;
mod klog;
mod outage;
mod owners;
mod prelude;
mod prometheus;
mod statement;
#[cfg(test)]
mod tests;
mod timeline;
#[cfg(test)]
mod timeline_tests;
mod workloads;
mod written;
mod zones;

pub(crate) use file::{Evidence, anonymised};
pub(crate) use heard::Heard;
pub(crate) use written::{Reconstruction, Watchfulness, exported, reconstruct};
