//! Looks for the outcomes of a recording, one after another.

use super::levels::{Levels, Run};
use super::near::Miss;
use crate::conformance::lines;
use crate::recorded::{Line, Outcome};
use std::collections::BTreeMap;
use taintsim::kernel::Choices;
use taintsim::kernel::choice::Deviation;
use taintsim::plan::Plan;
use taintsim::sim::{self, Searched};

/// How many seeds are drawn before the search begins: they settle what has a fair chance, for all
/// outcomes of a recording at once, and the search for each has several runs to begin with.
const SEEDS: u64 = 16;

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

/// Looks for choices that lead to each recorded outcome, with at most `budget` runs for each that
/// draws do not reach.
pub(crate) fn reach(plan: &Plan, outcomes: &[Outcome], budget: u64) -> Reach {
    let mut search =
        Search { plan, outcomes, reach: Reach { of: outcomes.len(), ..Reach::default() } };
    let starts = search.starts(SEEDS.min(budget));
    for outcome in 0..outcomes.len() {
        search.go_to(outcome, &starts, budget);
    }
    // Some were found while others were looked for.
    let Reach { tapes, missed, .. } = &mut search.reach;
    missed.retain(|outcome, _| !tapes.contains_key(outcome));
    search.reach
}

/// The search for the outcomes of one recording, and what it found so far.
struct Search<'a> {
    plan: &'a Plan,
    outcomes: &'a [Outcome],
    reach: Reach,
}

impl Search<'_> {
    /// The default run, and one for each seed; of several with the same records the first.
    fn starts(&mut self, seeds: u64) -> Vec<(Searched, Vec<Line>)> {
        let mut starts = vec![self.run(Choices::default_order())];
        for seed in 1..=seeds {
            let (run, lines) = self.run(Choices::seeded(seed));
            if starts.iter().all(|(_, others)| *others != lines) {
                starts.push((run, lines));
            }
        }
        starts
    }

    /// Looks for one outcome.
    fn go_to(&mut self, outcome: usize, starts: &[(Searched, Vec<Line>)], budget: u64) {
        let mut levels = Levels::new(outcome as u64);
        let end = self.reach.runs + budget;
        if !self.is_reached(outcome) {
            for (run, lines) in starts {
                levels.add(self.compared(outcome, run, lines));
            }
        }
        while !self.is_reached(outcome) && self.reach.runs < end {
            let (run, lines) = self.run(levels.next());
            levels.add(self.compared(outcome, &run, &lines));
        }
    }

    fn is_reached(&self, outcome: usize) -> bool {
        self.reach.tapes.contains_key(&outcome)
    }

    /// Makes a run, and notes which outcomes it equals.
    fn run(&mut self, choices: Choices) -> (Searched, Vec<Line>) {
        let run = sim::search(self.plan, choices);
        self.reach.runs += 1;
        let lines = lines(&run.trace);
        let deviations = || {
            let deviating = run.choices.iter().filter(|d| d.deviates());
            deviating.map(|d| (*d).into()).collect()
        };
        // Several outcomes may differ only in what is not compared.
        for (i, outcome) in self.outcomes.iter().enumerate() {
            if *outcome.lines == lines {
                self.reach.tapes.entry(i).or_insert_with(deviations);
            }
        }
        (run, lines)
    }

    /// Compares a run with an outcome, and notes by how much it missed it, if none came nearer.
    fn compared(&mut self, outcome: usize, run: &Searched, lines: &[Line]) -> Run {
        let wanted = &self.outcomes[outcome].lines;
        let miss = Miss::of(lines, wanted);
        let compared = Run::of(run, lines, wanted, &miss);
        let nearest = self.reach.missed.get(&outcome);
        if nearest.is_none_or(|nearest| nearest.shared < miss.shared) {
            self.reach.missed.insert(outcome, miss);
        }
        compared
    }
}
