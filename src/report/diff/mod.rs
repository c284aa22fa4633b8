//! The difference of two runs, or of two sides over many seeds, as text and as JSON.
//!
//! The most important comes first: what it costs, then who was evicted, pending or tainted. Noise
//! follows, then what was set differently, and last what the releases themselves do differently.

mod costs;
mod json;
mod printer;
mod runs;
mod seeds;
mod side;
mod words;

pub(crate) use json::{document, over_seeds};
pub(crate) use runs::write;
pub(crate) use seeds::{SeedSide, write as write_over_seeds};
pub(crate) use side::Side;
