//! The scheduler (`pkg/scheduler`): puts pods that have no node on one.
//!
//! As upstream: a queue of waiting pods, one attempt at a time, plugins that filter and score
//! nodes, preemption, and bindings that the next attempt does not wait for. Models 1.18 to 1.37;
//! older releases are scheduled as by 1.18. Left out: several profiles and schedulers, extenders,
//! gang scheduling, permit plugins, volumes, resource claims, services.

pub mod algorithm;
pub mod cache;
mod controller;
pub mod counts;
pub mod framework;
mod handlers;
pub mod hints;
pub mod memo;
pub mod node_info;
pub mod node_tree;
pub mod nominator;
pub mod plugins;
pub mod preemption;
pub mod queue;
pub mod resources;
pub mod shape;
pub mod tally;
pub mod text;
pub mod topology;
mod victims;

pub use algorithm::Choice;
pub use controller::{Config, Controller};
