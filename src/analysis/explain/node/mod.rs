//! What became of a node: silence, condition, queue, taints, and the way back.

mod at_start;
mod outcome;
mod stories;
mod story;
mod teller;

pub(super) use at_start::{AtStart, at_start};
pub(super) use outcome::{explain, explain_all};
pub(crate) use stories::Stories;
pub(super) use story::Story;
