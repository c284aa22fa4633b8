//! Many runs: the same scenario with other values and other seeds, and the race lab.
//!
//! Nothing here does IO. What comes out does not depend on how many threads worked on it.

pub mod explore;
pub mod sweep;
pub mod tape;

pub use sweep::{Axis, Case, Outcome, Prepared, Stopped, Sweep};
pub use tape::Tape;
