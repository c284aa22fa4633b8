//! The planner: which value of a setting costs least, given how things fail.
//!
//! ```text
//! spec      what is chosen, what counts, what must hold
//! moments   means and co-moments of all figures of all values, which do not grow with the runs; which
//!           value is best, and with what certainty
//! count     one replication: an outage of each model weighted by its rate, or a whole year and outages of what is rare
//! replication  what one of them came to
//! kept      what is kept of all runs
//! alike     rows of which one run tells what another comes to
//! apart     settings that may not touch each other, each chosen for itself
//! together  what settings do to each other that were chosen each for itself; whole years beside single
//!           outages; one outage with every value, to be looked at
//! control   what the drawn outages come to by formula, beside what outages come to on average
//! batches   the same dealt into ten: how well is known what no moments are kept of
//! odd       outages that come to something else than their formula, of which few or none have come yet
//! estimate  means and variances of costs, leaning on the formula as far as it fits
//! now       which of the values is set now
//! work      what replications are run with, and one outage with every row
//! run       replications on several threads, until enough is known
//! placed    where pods are as outages begin
//! closed    the same by formula alone
//! lean      what changes the answer: prices and rates at which another row is best
//! answer    what a person decides by: computed from the moments, for any prices
//! ```
//!
//! Every value meets the same outages with the same draws, so that what differs is the value's
//! doing (common random numbers). Prices and limits come last: whatever they are, the kept moments
//! answer.

mod alike;
mod answer;
mod apart;
mod batches;
#[cfg(test)]
mod chosen_tests;
mod closed;
mod control;
mod count;
mod estimate;
mod kept;
mod lean;
mod moments;
mod now;
mod odd;
mod placed;
mod replication;
mod run;
mod spec;
#[cfg(test)]
mod tests;
mod together;
mod work;
#[cfg(test)]
mod years_tests;

pub(crate) use answer::{Answer, Row, answer};
pub(crate) use apart::AS_IT_IS;
pub(crate) use count::Counting;
pub(crate) use kept::Kept;
pub(crate) use lean::{BreakEven, Sensitivity};
pub(crate) use now::size;
pub(crate) use placed::bare_pods;
pub(crate) use run::{Planner, ROWS_MAX};
pub(crate) use spec::{
    BELOW, BY_FORMULA, Bound, EVICTED, FIGURES, MISSING, NEEDLESS, OWN, Objective, expanded,
};
pub(crate) use together::{Extra, Sample};
