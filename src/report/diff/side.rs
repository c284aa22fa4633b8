//! One of two runs, and the chain of causes that led to one of its records.

use crate::analysis::{Analysis, causes, words};
use crate::kernel::Time;
use crate::report::Source;
use crate::trace::RecordId;

/// One of the two runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    /// The run.
    pub(crate) analysis: &'a Analysis<'a>,
    /// Where it came from.
    pub(crate) source: &'a Source,
}

/// Steps of a chain of causes.
const STEPS: usize = 12;

/// The records that led to one, the first cause first, the record itself last.
pub(super) fn steps(analysis: &Analysis<'_>, record: RecordId) -> Vec<(Time, String)> {
    let chain = causes::chain(analysis.trace, record).take(STEPS);
    // That an object exists from the start explains nothing.
    let told = chain.filter(|(id, r)| *id == record || r.at > Time::ZERO);
    let mut steps: Vec<(Time, String)> =
        told.map(|(_, r)| (r.at, words::record(analysis, r))).collect();
    steps.reverse();
    steps
}
