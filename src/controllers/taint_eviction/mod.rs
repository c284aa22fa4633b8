//! The taint eviction controller (`pkg/controller/tainteviction`).

mod switches;

pub use switches::{DisruptionTarget, FinishedEntry, Switches};
