//! The API server: a versioned store with Kubernetes' rules for writes, and with watches.
//!
//! Every operation applies at the present instant; the way to the server and back is the client's
//! business. Models `apiserver/pkg/registry/generic/registry/store.go` (resourceVersion conflicts,
//! uid preconditions, no-op writes), `pkg/registry/core/pod/strategy.go` (graceful deletion), the
//! status subresource, and the admission plugins DefaultTolerationSeconds and
//! TaintNodesByCondition. Times lose their fraction here, and only here. Left out: etcd, the watch
//! cache's own lag (reads with resourceVersion 0 are served live, but that of a process's first lists
//! may be left to the choices: `client/watch_lags.rs`), finalizers other than that of jobs, authentication,
//! queues of priority and fairness: what it rejects is stated.

mod admission;
mod budgets;
mod devices;
mod error;
mod event_store;
mod nodes;
mod pod_tolerations;
mod pods;
mod prelude;
mod recording;
mod server;
mod store;
mod volumes;
mod workloads;

pub(crate) use admission::Admission;
pub(crate) use budgets::{Begun, Eviction};
pub(crate) use error::{ApiError, ApiResult, Stored};
pub(crate) use event_store::EventName;
pub(crate) use nodes::NodePatch;
pub(crate) use server::{ApiServer, Beat, Heartbeats, Watcher, lease_renewed, lease_version};
