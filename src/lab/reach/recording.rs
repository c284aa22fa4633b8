//! Looks for the outcomes of a recording, one after another.

use super::search::{Reach, Search};
use crate::kernel::Choices;
use crate::kernel::choice::Deviation;
use crate::plan::Plan;
use crate::recorded::{Line, Outcome};
use crate::sim;
use std::collections::BTreeMap;

/// How many seeds are drawn before the search begins.
const SEEDS: u64 = 16;

/// Looks for choices that lead to each recorded outcome, with `budget` runs for each outcome and
/// way of searching.
pub(crate) fn reach(plan: &Plan, outcomes: &[Outcome], budget: u64) -> Reach {
    let mut search = Search {
        plan,
        outcomes,
        reach: Reach {
            of: outcomes.len(),
            ..Reach::default()
        },
        budget,
        nearest: BTreeMap::new(),
    };
    let mut starts: Vec<(Vec<Deviation>, Vec<Line>)> = Vec::new();
    for seed in 0..=SEEDS.min(budget) {
        let choices = if seed == 0 {
            Choices::default_order()
        } else {
            Choices::seeded(seed)
        };
        let run = sim::search(plan, choices);
        let tape: Vec<Deviation> = run
            .choices
            .iter()
            .filter(|d| d.deviates())
            .map(|d| (*d).into())
            .collect();
        let lines = search
            .look(&run)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        if !starts.iter().any(|(_, l)| *l == lines) {
            starts.push((tape, lines));
        }
    }
    for i in 0..outcomes.len() {
        // Some need only that one thing comes before another, some a whole instant in an order of
        // its own.
        for whole in [false, true] {
            if !search.reach.tapes.contains_key(&i) {
                search.guided(i, &starts, whole);
            }
        }
        if !search.reach.tapes.contains_key(&i) {
            search.redraw(i, &starts);
        }
    }
    // Some were found while others were looked for.
    let Reach { tapes, missed, .. } = &mut search.reach;
    missed.retain(|outcome, _| !tapes.contains_key(outcome));
    search.reach
}
