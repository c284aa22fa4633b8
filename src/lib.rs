//! taintsim: a deterministic discrete-event simulator of how Kubernetes handles failing nodes.
//!
//! The module list below is a map of the code, in reading order; a module imports only from those above it.

pub mod analysis;
pub mod api;
pub mod apiserver;
pub mod cli;
pub mod client;
pub mod controllers;
pub mod kernel;
pub mod lab;
pub mod report;
pub mod scenario;
pub mod sim;
pub mod trace;
