//! What became of a node: silence, condition, queue, taints, and the way back.

mod outcome;
mod story;
mod teller;

pub(crate) use outcome::Stories;
pub(super) use outcome::explain_all;
pub(super) use story::{AtStart, Story, at_start};
