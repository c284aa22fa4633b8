//! The taint eviction controller: timers per pod, and deletions, for NoExecute taints that pods do
//! not tolerate.
//!
//! Models `pkg/controller/tainteviction/taint_eviction.go` and `timed_workers.go`, v1.34 (up to
//! 1.28 `pkg/controller/nodelifecycle/scheduler/taint_manager.go`); other releases by
//! [`Switches`](crate::plan::switches::taint_eviction::Switches). Left out: metrics.

mod controller;
mod decision;
mod memory;
mod timed_workers;

pub(crate) use controller::Controller;
pub(crate) use decision::Config;
