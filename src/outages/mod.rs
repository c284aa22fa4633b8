//! Outages as such: how long they last, what was recorded of them, and what they cost by arithmetic
//! alone.
//!
//! ```text
//! distribution  how spans of time are distributed, draws of them, and fits by maximum likelihood
//!               (exponential, Weibull, lognormal)
//! sample        measured spans: quantiles, and the best timeout without any fit
//! closed        what a timeout costs, and the best one, by formula
//! history       what files of recorded outages have in common
//! read          tells them apart: our own form, and with `archives` and `prometheus` those of others
//! ```
//!
//! Logarithms and exponentials are those of `libm`, not of the platform, so that a seed draws the
//! same outages everywhere. Nothing here knows of a cluster.

mod archives;
mod closed;
mod distribution;
mod history;
#[cfg(test)]
mod history_tests;
mod prometheus;
mod read;
mod sample;

pub(crate) use closed::{Noticing, best};
pub(crate) use distribution::{Distribution, Fit, fits};
pub(crate) use history::{History, Recorded};
pub(crate) use read::read;
pub(crate) use sample::Spans;
