//! Conformance: the model's trace compared with what upstream's own controllers did.
//!
//! [`lines`] turns a trace into the recorder's records. [`check`] replays a recording in the model
//! and gives a [`Verdict`]; `Difference` shows where the two part. Reading recordings is the
//! business of [`recorded`](crate::recorded); running the model is the
//! caller's, who hands it in as a function.

mod canonical;
mod check;
mod compare;
mod difference;
mod envelope;
mod odds;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use canonical::as_written;
pub use canonical::lines;
pub(crate) use canonical::pods;
pub(crate) use check::check_plan;
pub use check::{Checked, Model, Models, Options, Reached, check};
pub use compare::{Evidence, Verdict, compare};
pub(crate) use difference::{Difference, show};
pub(crate) use odds::{Marginal, Odds, odds, odds_of};
