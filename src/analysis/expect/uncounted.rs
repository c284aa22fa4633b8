//! What an expectation was not held against: the pods that a workload had not had yet when something of the timeline
//! came, which counting leaves out.

use super::super::serving::{Late, Served, counted_from};
use super::super::workloads::WorkloadOutcome;
use super::claims::comparisons;
use super::prelude::*;
use super::verdict::Empty;
use crate::language::Quantity as Q;

/// Why it says little that this was met, where something was not counted.
pub(super) fn why(run: &Run<'_>, what: &Expected) -> Option<Empty> {
    let (all, (from, to)) = match what {
        Expected::Figure { comparison, during, .. } => (vec![comparison], *during),
        Expected::Throughout { claim, stretch, .. } | Expected::Eventually(claim, stretch) => {
            (comparisons(claim), *stretch)
        }
        Expected::Until(claim, _, from) => (comparisons(claim), (*from, run.analysis.horizon())),
        _ => return None,
    };
    let is_in = |(_, l): &(WorkloadId, Late)| l.0.at < to && l.1.is_none_or(|whole| whole > from);
    let (id, late) = all.into_iter().flat_map(|c| late(run, c)).find(is_in)?;
    let (of, counted) = (run.analysis.workload_in_words(id), counted_from(run.analysis, late)?);
    let help = "give it a `placement`, or let the timeline begin once it is whole";
    Some(Empty { why: format!("{of} is {counted}"), help, is_open: true })
}

/// The workloads of a figure that were not whole yet when something came, where the figure leaves that out.
fn late(run: &Run<'_>, c: &Comparison) -> Vec<(WorkloadId, Late)> {
    let (analysis, names) = (run.analysis, c.workloads.as_ref());
    let id = |name: &str| analysis.trace.names.find_workload(name);
    let by_api = |(name, o): &(String, WorkloadOutcome)| {
        Some((id(name)?, o.late(analysis, analysis.horizon())?))
    };
    let in_truth = |w: &Served| Some((w.id?, w.late(analysis)?));
    match c.quantity {
        Q::Available(_) | Q::Pending(_) | Q::Terminating(_) | Q::Timers(_) => vec![],
        Q::Evicted(_) | Q::NotReadyNodes(_) | Q::Requests(_) => vec![],
        Q::Unavailable(_) | Q::UnavailableSeconds(_) | Q::LongestGap(_) => {
            run.outcomes(names).into_iter().filter_map(by_api).collect()
        }
        _ => run.servings(names).into_iter().filter_map(in_truth).collect(),
    }
}
