//! Choice points: the one narrow interface through which everything goes that a real cluster leaves
//! to chance.
//!
//! A choice point has a name; a choice is made for an object of the simulation, and the choices at
//! one point for one object are counted. What is chosen depends on (seed, name, object, ordinal)
//! and on nothing else. Ordinals are counted by the numbers that objects have among their kind: at a
//! point where several kinds have choices, as at that of requests' latencies, the third node, the third
//! pod and the third workload share a count. So one more node changes draws of others at most where a
//! pod or a workload has its number.

mod choices;
mod drawn;
mod keyed;
mod order;
mod pct;
#[cfg(test)]
mod tests;

pub use choices::Choices;
pub(crate) use drawn::GROUP_SLOTS;
pub use drawn::{Deviation, Drawn, FORMAT, Held, Object, PointId, Span};
pub(crate) use keyed::{Keyed, hash_name};
pub(crate) use order::Walk;
