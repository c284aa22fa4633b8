//! Expectations compared with a finished run: whether each is met, and if not, what was expected,
//! what came, and which records decided.
//!
//! All of it is a function of the trace. An expectation that speaks of pods that the run never had,
//! or of a property that does not exist, is neither met nor failed but `Wrong`.

mod claims;
mod figures;
mod follows;
mod judge;
mod objects;
mod prelude;
mod seen;
mod verdict;
mod words;

pub use judge::{verdicts, violations};
pub(crate) use verdict::{Failed, Verdict, Wrong};
