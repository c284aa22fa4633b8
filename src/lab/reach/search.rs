//! The search for the outcomes of one recording, and what it found so far.

use super::near::Miss;
use super::start::Start;
use crate::analysis::conformance::numbered;
use crate::kernel::choice::Deviation;
use crate::plan::Plan;
use crate::recorded::{Line, Outcome};
use crate::sim::Searched;
use std::collections::BTreeMap;

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// The outcomes that were reached, each with its deviations from the default order.
    pub tapes: BTreeMap<usize, Vec<Deviation>>,
    /// How many outcomes there are.
    pub of: usize,
    /// How many runs it took.
    pub runs: u64,
    /// The outcomes that were missed.
    pub missed: BTreeMap<usize, Miss>,
}

/// The search for the outcomes of one recording.
pub(super) struct Search<'a> {
    pub(super) plan: &'a Plan,
    pub(super) outcomes: &'a [Outcome],
    pub(super) reach: Reach,
    pub(super) budget: u64,
    /// What the nearest of the runs that missed an outcome is made of.
    pub(super) nearest: BTreeMap<usize, Start>,
}

impl Search<'_> {
    /// Notes which outcomes a run equals.
    pub(super) fn look(&mut self, run: &Searched) -> Vec<(Line, usize)> {
        self.reach.runs += 1;
        let lines = numbered(&run.trace);
        let is_this = |o: &Outcome| {
            o.lines.len() == lines.len()
                && o.lines.iter().zip(&lines).all(|(l, (line, _))| l == line)
        };
        // Several outcomes may differ only in what is not compared.
        for (i, _) in self.outcomes.iter().enumerate().filter(|(_, o)| is_this(o)) {
            let deviations = || {
                run.choices
                    .iter()
                    .filter(|d| d.deviates())
                    .map(|d| (*d).into())
                    .collect()
            };
            self.reach.tapes.entry(i).or_insert_with(deviations);
        }
        lines
    }

    /// Notes by how much an outcome was missed, if it never was by less; whether so.
    pub(super) fn missed(&mut self, outcome: usize, miss: Miss) -> bool {
        let nearer = self
            .reach
            .missed
            .get(&outcome)
            .is_none_or(|before| before.shared < miss.shared);
        if nearer {
            self.reach.missed.insert(outcome, miss);
        }
        nearer
    }
}
