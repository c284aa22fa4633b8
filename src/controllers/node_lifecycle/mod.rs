//! The node lifecycle controller: node health, condition taints, rate-limited NoExecute taints,
//! zone states.
//!
//! Models `pkg/controller/nodelifecycle/node_lifecycle_controller.go` and its
//! `scheduler/rate_limited_queue.go`, with `pkg/controller/util/node/controller_utils.go` and
//! `pkg/controller/controller_utils.go` for the writes, v1.34; older and newer releases by
//! [`Switches`](crate::plan::switches::node_lifecycle::Switches). Files: `pass`
//! (monitorNodeHealth), `health` (tryUpdateNodeHealth), `decision` (processTaintBaseEviction),
//! `zones` and `zone_states` (handleDisruption), `tainting` (both tainting passes), `taints` (the
//! writes), `queue` (the zones' queues), `pods` (MarkPodsNotReady and the pod workers), `run` (the
//! loops), `memory` (what it knows when it has been running for long). What is skipped of all that lies in `skip`. Left out: metrics, the cloud provider's
//! check for deleted machines (up to 1.13).

mod breaker;
mod controller;
mod decision;
mod health;
mod ids;
mod memory;
mod memory_of_passes;
mod node_health;
mod notices;
mod pass;
mod pods;
mod queue;
mod roster;
mod round;
mod run;
mod skip;
mod skipped;
mod tainting;
mod taints;
mod templates;
mod timeout;
mod zone_conditions;
mod zone_states;
mod zones;

pub(crate) use controller::{Config, Controller};
