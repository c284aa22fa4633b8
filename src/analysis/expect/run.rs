//! A run that expectations are compared with.

use super::super::metrics::DEFAULT_NEEDLESS_WINDOW;
use super::super::serving::Serving;
use super::super::setting::Analysis;
use super::super::summary::summary_and_serving;
use super::super::workloads::{Owners, Workloads, workloads};
use crate::kernel::Time;
use crate::trace::{Record, RecordId};
use std::cell::OnceCell;

/// The most records that are named for one expectation.
pub(super) const RECORDS: usize = 6;

/// What several expectations of one run share.
pub(super) struct Run<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) owners: Owners,
    workloads: OnceCell<Workloads>,
    serving: OnceCell<Serving>,
}

impl<'a> Run<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        Run {
            analysis,
            owners: Owners::new(analysis),
            workloads: OnceCell::new(),
            serving: OnceCell::new(),
        }
    }

    pub(super) fn workloads(&self) -> &Workloads {
        self.workloads.get_or_init(|| workloads(self.analysis))
    }

    pub(super) fn serving(&self) -> &Serving {
        self.serving.get_or_init(|| summary_and_serving(self.analysis, DEFAULT_NEEDLESS_WINDOW).1)
    }
}

/// The records of one instant that are about pods that fit, a few at most.
pub(super) fn records_at(run: &Run<'_>, at: Time, fits: impl Fn(&Record) -> bool) -> Vec<RecordId> {
    let all = (0..).zip(run.analysis.trace.iter());
    all.filter(|(_, r)| r.at == at && fits(r)).map(|(id, _)| id).take(RECORDS).collect()
}
