//! Simulation kernel: knows nothing of Kubernetes, does no IO, cannot fail.

mod time;

pub use time::{Dur, Time};
