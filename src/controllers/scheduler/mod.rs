//! The scheduler (`pkg/scheduler`): so far only what changed in it from release to release.

mod switches;

pub use switches::{Switches, TaintMessage};
