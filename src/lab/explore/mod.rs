//! The race lab: many runs of one plan that differ in their choices, in search of an outcome that
//! must not be.
//!
//! A run is built inside its worker thread. It leaves its outcome, the states that it passed and
//! the other choices that are worth a try. These are gathered in batches of a fixed size and in a
//! fixed order, so that the number of threads changes nothing.

mod changes;
mod children;
mod coverage;
mod faults;
mod levels;
mod often;
mod one;
mod outcome;
mod sampled;
mod search;
mod timelines;
mod ways;

pub use changes::{Change, Changing, Of};
pub use faults::Faults;
pub use levels::explore;
pub(crate) use levels::explore_at;
pub(crate) use often::{Along, Often, Wanted, drawn, often};
pub use one::{Found, Which, digest, fewest, shorter};
pub use outcome::Outcome;
pub use search::{BATCH, Beside, Explore, Reached, Report, Strategy, Violated, Watch};
pub use timelines::fewer;
