//! The node lifecycle controller: node health, condition taints, rate-limited NoExecute taints,
//! zone states.
//!
//! Models `pkg/controller/nodelifecycle/node_lifecycle_controller.go` and its
//! `scheduler/rate_limited_queue.go`, with `pkg/controller/util/node/controller_utils.go` and
//! `pkg/controller/controller_utils.go` for the writes, v1.34; older and newer releases by
//! [`Switches`](crate::plan::switches::node_lifecycle::Switches). Left out: metrics, the cloud
//! provider's check for deleted machines (up to 1.13).
//!
//! The parts, each with a state of its own, each calling only those before it: `core`; `zones` (the
//! states and queues of zones) and `health` (tryUpdateNodeHealth); `skip` (what is skipped of all
//! that follows); `taints` (the writes); `decision` (processTaintBaseEviction with what comes of it,
//! NoExecute taints or deleted pods, and the pass over the queues); `pods` (MarkPodsNotReady and the
//! pod workers); `pass` (monitorNodeHealth and handleDisruption); `no_schedule` (condition taints);
//! `memory` (what it knows when it has been running for long); and `controller`, which starts the
//! loops.

mod controller;
mod core;
mod decision;
mod health;
mod ids;
mod memory;
mod memory_of_zones;
mod no_schedule;
mod pass;
mod pods;
mod prelude;
mod queue;
mod roster;
mod round;
mod skip;
mod taints;
mod zone_states;
mod zones;

pub(crate) use controller::Controller;
pub(crate) use core::Config;
