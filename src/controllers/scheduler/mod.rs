//! The scheduler (`pkg/scheduler`): puts pods that have no node on one.
//!
//! As upstream: a queue of waiting pods, one attempt at a time, plugins that filter and score
//! nodes, preemption, and bindings that the next attempt does not wait for. Models 1.18 to 1.37;
//! older releases are scheduled as by 1.18. Left out: several profiles and schedulers, extenders,
//! gang scheduling, permit plugins, services.

pub mod algorithm;
pub mod cache;
mod cache_counts;
mod controller;
mod core;
pub(crate) mod counts;
mod cycle_state;
pub mod events;
mod failure;
pub(crate) mod framework;
mod handlers;
pub(crate) mod hints;
pub(crate) mod memo;
pub mod node_info;
pub mod nominator;
pub mod plugins;
pub mod preemption;
mod prelude;
mod prioritize_nodes;
pub mod queue;
pub(crate) mod queued_pod;
mod recalled;
pub(crate) mod resources;
mod schedule_one;
mod schedule_pod;
pub mod shape;
mod single_node;
pub(crate) mod tally;
pub mod text;
pub mod topology;
mod waiting;

pub(crate) use controller::Controller;
pub(crate) use core::Config;
pub use framework::Choice;
