//! The planner: which value of a setting costs least, given how things fail.
//!
//! ```text
//! spec      what is chosen, what counts, what must hold
//! moments   means and co-moments of all figures of all values, which do not grow with the runs
//! select    which value is best, and with what certainty
//! count     one replication: an outage of each model weighted by its rate, or a whole year
//! run       replications on several threads, until enough is known
//! closed    the same by formula alone
//! answer    what a person decides by: computed from the moments, for any prices
//! ```
//!
//! Every value meets the same outages with the same draws, so that what differs is the value's
//! doing (common random numbers). Prices and limits come last: whatever they are, the kept moments
//! answer.

mod answer;
mod closed;
mod count;
mod moments;
mod run;
mod select;
mod spec;
#[cfg(test)]
mod tests;

pub(crate) use answer::{Answer, BreakEven, Row, Sensitivity, answer};
pub(crate) use count::Counting;
pub(crate) use run::{Kept, Planner};
pub(crate) use spec::{Bound, FIGURES, Objective, expanded};
