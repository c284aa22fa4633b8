//! The node lifecycle controller (`pkg/controller/nodelifecycle`).

mod switches;

pub use switches::{ConditionTaints, EvictionMode, Requeue, Switches};
