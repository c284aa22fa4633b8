//! Sweeps: every combination of some values, each over the same seeds, with the figures of every
//! run.
//!
//! A choice is drawn by seed, name, object and ordinal, so that runs with the same seed differ only
//! where the value makes them differ: what a table shows is the effect of the value, and not of the
//! draw. Runs are built inside their threads and leave nothing but their figures; these are
//! collected in the order of values and seeds.

mod run;
#[cfg(test)]
mod tests;

pub(crate) use run::Prepared;
pub(crate) use run::{Axis, Case, RUNS_MAX, Sweep};
pub(crate) use run::{pieces_of, run_all};
