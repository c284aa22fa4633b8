//! A run as columns: lanes of nodes, evictions, timers, workloads, queues, and why things happened.

mod evictions;
mod explained;
mod frame;
mod names;

pub use frame::{columns_of, columns_untold};
