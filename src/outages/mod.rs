//! Outages as such: how long they last, what was recorded of them, and what they cost by arithmetic
//! alone.
//!
//! ```text
//! distribution  how spans of time are distributed, draws of them, and fits by maximum likelihood
//!               (exponential, Weibull, lognormal)
//! sample        measured spans: quantiles, and the best timeout without any fit
//! closed        what a timeout costs, and the best one, by formula
//! history       files of recorded outages
//! ```
//!
//! Logarithms and exponentials are those of `libm`, not of the platform, so that a seed draws the
//! same outages everywhere. Nothing here knows of a cluster.

mod closed;
mod distribution;
mod history;
mod sample;

pub(crate) use closed::{Noticing, best};
pub(crate) use distribution::{Distribution, Fit, fits};
pub(crate) use history::{History, Recorded, read};
pub(crate) use sample::Spans;
