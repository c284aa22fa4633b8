//! Guided search: whether choices lead to an outcome that upstream was recorded to have.
//!
//! A run that parts from the recording at some record is worth another choice only up to there, and
//! the nearest before it first. A choice after which the run follows the recording for longer is
//! kept, and the search goes on from it; where no choice helps, it goes back to one that followed
//! as long. Choices that let the object of the recorded record come before that of the run's are
//! tried before all others. Draws by seed come first: they settle what every order has a fair
//! chance of. Where all that does not lead to an outcome, whole instants are put into orders of
//! their own (`orders`), with as many runs again; and where that does not either, what comes after
//! some choice is drawn anew, again and again (`redraw`).

mod beside;
mod drawing;
mod guided;
mod instants;
mod near;
mod node;
mod orders;
mod recording;
mod redraw;
mod search;
mod sooner;
mod sorting;
mod start;
#[cfg(test)]
mod tests;

pub(crate) use recording::reach;
pub(crate) use search::Reach;
