//! The difference of two runs, or of two sides over many seeds, as text and as JSON.
//!
//! The causes come first, what was set differently; then what it costs, and who was evicted, pending
//! or tainted. Noise follows, and last what the releases themselves do differently.

#[cfg(feature = "cli")]
mod board;
mod costs;
mod json;
mod printer;
mod runs;
mod seeds;
mod words;

#[cfg(feature = "cli")]
pub(crate) use board::{board, board_over_seeds};
pub(crate) use json::{document, over_seeds, table, table_over_seeds};
pub(crate) use runs::write;
pub(crate) use seeds::{SeedSide, write as write_over_seeds};
pub(crate) use words::Side;
