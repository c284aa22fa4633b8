//! The difference of two runs, or of two sides over many seeds, as text and as JSON.
//!
//! What a person must know first comes first: what it costs, then who was evicted, pending,
//! tainted; noise behind that, and at the end what was set differently, with what the releases
//! themselves do differently last.

mod costs;
mod json;
mod printer;
mod runs;
mod seeds;
mod side;
mod words;

pub use json::{document, over_seeds};
pub use runs::write;
pub use seeds::{SeedSide, write as write_over_seeds};
pub use side::Side;
