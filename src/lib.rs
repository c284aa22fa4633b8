//! taintsim: a deterministic discrete-event simulator of how Kubernetes handles failing nodes.
//!
//! Give it a cluster and what goes wrong, and it tells which pods are evicted, when, and why. A run
//! is a pure function of a [`Plan`](plan::Plan) and of [`Choices`](kernel::Choices); the same two
//! give the same [`Trace`](trace::Trace), to the byte.
//!
//! The list below is a map of the code, in reading order. A module imports only from those above
//! it; `tests/it/imports.rs` holds the code to this, and ARCHITECTURE.md tells the same at length.
//!
//! * [`kernel`]: virtual time, the event queue, processes as `async fn`s, choices. Knows nothing of
//!   Kubernetes.
//! * [`api`]: the objects of the Kubernetes API, with the rules that need nothing but the objects.
//! * [`trace`]: records of what happened, with their causes.
//! * [`plan`]: a run's input as plain data: objects, timeline, settings, a release's switches.
//! * [`apiserver`]: the versioned store, admission, graceful deletion, watches.
//! * [`client`]: what client-go gives a controller: clients with limits, informers, work queues,
//!   the event recorder.
//! * [`controllers`]: the Kubernetes actors, each on its own.
//! * [`sim`]: a cluster put together from a plan, its faults, and the run loop.
//! * [`files`]: bounded readers, writers that replace at one stroke, texts of others made harmless.
//! * [`profiles`]: which release of Kubernetes behaves how.
//! * [`language`]: the scenario language, as it is written.
//! * [`outages`]: how long outages last: distributions, recorded histories, closed forms.
//! * [`import`]: exports of clusters, read into the language.
//! * [`evidence`]: events, audit logs, logs and metrics of past outages, read into scenarios.
//! * [`scenario`]: from a scenario to a plan: loading, `--set`, every name and value resolved.
//! * [`analysis`]: what a trace means: timelines, evictions, metrics. Cannot see the simulator.
//! * [`lab`]: many runs at once.
//! * [`report`]: analyses as text, JSON, CSV and charts.
//! * [`cli`]: the command line, a file for each command.

#![cfg_attr(
    not(feature = "cli"),
    expect(dead_code, unused_imports, reason = "only the command line uses it")
)]

pub mod analysis;
pub mod api;
pub mod apiserver;
#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod controllers;
pub mod evidence;
pub mod files;
pub mod import;
pub mod kernel;
pub mod lab;
pub mod language;
pub mod outages;
pub mod plan;
pub mod profiles;
pub mod report;
pub mod scenario;
pub mod sim;
pub mod trace;
