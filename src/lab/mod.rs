//! Many runs: the same scenario with other values and other seeds, two sides over the same seeds,
//! scenarios compared with what they expect, and the race lab.
//!
//! Nothing here does IO. What comes out does not depend on how many threads worked on it.

pub mod explore;
pub mod pairs;
pub mod reach;
pub mod replay;
pub mod shrink;
pub mod soak;
pub mod sweep;
pub mod tape;
pub mod trial;

pub use pairs::Pairs;
pub use sweep::{Axis, Case, Outcome, Prepared, Stopped, Sweep};
pub use tape::Tape;
pub use trial::Trial;
