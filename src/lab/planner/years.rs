//! Whole years beside single outages.
//!
//! One outage at a time meets pods where they are now. In a year they stay where earlier outages have
//! put them, until somebody rolls them out anew: several of a workload may come to be on one node, and
//! go at one time. And a machine that failed may fail again while it is still empty. So what is
//! recommended is run for some whole years, too, and both are told.

use super::count::Counting;
use super::kept::Kept;
use super::run::Planner;
use super::spec::{FIGURES, Only};
use crate::analysis::Interval;

/// So many years.
const YEARS: u64 = 8;

/// A figure of a year by whole years, and by one outage at a time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ByYears {
    /// Which of [`FIGURES`].
    pub(crate) figure: usize,
    /// Its mean over whole years.
    pub(crate) mean: f64,
    /// Where that lies.
    pub(crate) interval: Interval,
    /// What it comes to by one outage at a time.
    pub(crate) alone: f64,
}

impl Planner<'_> {
    /// A plan of some whole years with these values; none where whole years are counted already.
    pub(crate) fn whole_years(&self, kept: &Kept, values: &[String]) -> Option<Self> {
        (self.counting.0 == Counting::Outages && values.len() == self.sweep.axes.len()).then(|| {
            Self {
                counting: (Counting::Years, "beside single outages".to_owned()),
                apart: None,
                now: Some(0),
                only: Some(Only { rows: vec![values.to_vec()], n: YEARS, delta: kept.delta }),
                ..self.clone()
            }
        })
    }
}

impl Kept {
    /// The values of which whole years were run, and how many.
    pub(crate) fn years_of(&self) -> Option<(&[String], u64)> {
        let years = self.whole_years.as_deref()?;
        Some((years.rows.first()?, years.moments.n()))
    }

    /// What whole years came to, as sure as this.
    pub(crate) fn by_years(&self, confidence: f64) -> Option<Vec<ByYears>> {
        let years = self.whole_years.as_deref()?;
        let values = years.rows.first()?;
        let alone = [Some(self), self.tried.as_deref()].into_iter().flatten().find_map(|k| {
            let row = k.rows.iter().position(|r| r == values)?;
            Some(k.figures(row))
        })?;
        let of = |figure: usize| {
            let (mean, variance) = years.moments.of(&[(figure, 1.0)]);
            ByYears {
                figure,
                mean,
                interval: years.interval((mean, variance), confidence),
                alone: alone[figure],
            }
        };
        Some((0..FIGURES.len()).map(of).collect())
    }
}
