//! Guided search: whether choices lead to an outcome that upstream was recorded to have.
//!
//! The idea: follow the recording as long as possible, and change what comes before the record at
//! which a run parts from it. Of a run only the choices up to that record are worth anything. Runs
//! that follow the recording equally far make up a level (`levels`). Again and again a run is taken
//! from one of the last levels, and another one is made of it in one of three ways, by lot:
//!
//! - An exchange (`exchange`): at that record the recording names one object and the run another.
//!   The two change places where the one went before the other, and all else stays.
//! - An order: from some place before that record on, the objects of all records of its kind come
//!   in the order in which the recording has them (`wish`), at every turn and in every arbitrary
//!   order. An order of twenty pods is put right by one run instead of one pod after the other.
//! - A new draw: the choices up to some place before that record are kept, a near place more likely
//!   than a far one, and everything behind is drawn.
//!
//! The new run joins the level that it belongs to, so that one that follows the recording for
//! longer is gone on from, and where nothing helps an earlier level has its turn again.

mod exchange;
mod levels;
mod near;
mod search;
#[cfg(test)]
mod tests;
mod wish;

pub(crate) use search::{Reach, reach};
