//! Searches by drawing: every choice, or priorities as PCT has them.

use super::one::{self, Found};
use super::outcome::Outcome;
use super::search::{Bound, Explore, Report, Strategy, Violated, Watch};
use super::shorter::shorter;
use super::tally::Tally;
use crate::kernel::Choices;
use crate::kernel::choice::Deviation;
use crate::plan::Plan;
use crate::sim;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How many runs are made between two looks at what they found: the same for any number of threads.
const BATCH: u64 = 256;
/// How many of them one thread makes at least, with one plan.
const PIECE: usize = 16;

/// The choices of the run of a seed.
fn choices(search: &Explore<'_>, bound: Option<Bound>, seed: u64) -> Choices {
    match bound {
        Some(bound) => Choices::pct(seed, search.depth, bound.steps),
        None => Choices::free(seed),
    }
}

pub(super) fn explore(search: &Explore<'_>, pool: &ThreadPool, watch: Watch<'_>) -> (Report, bool) {
    let bound = (search.strategy == Strategy::Pct).then(|| bound(search));
    let mut tally = Tally::default();
    let mut states = BTreeSet::new();
    let mut finished = true;
    while tally.runs < search.runs && !(search.until_found && tally.all_violated(search.properties))
    {
        for (tape, state, outcome, found) in batch(search, bound, tally.runs, pool, watch) {
            tally.runs += 1;
            states.insert(state);
            tally.add(&outcome, found, &tape);
        }
        if !watch(tally.runs) {
            finished = false;
            break;
        }
    }
    let runs = tally.runs;
    let (outcomes, mut violations) = tally.into_parts();
    // A drawn run deviates nearly everywhere, and little of that matters.
    shorten(search, &mut violations);
    let report = Report {
        runs,
        pruned: 0,
        skipped: 0,
        states: states.len() as u64,
        exhausted: false,
        complete: false,
        outcomes,
        violations,
        bound,
    };
    (report, finished)
}

/// A complete run: its tape, the fingerprint of its states, its outcome and violations.
type Run = (Vec<Deviation>, u64, Outcome, Vec<Found>);

/// Makes the next runs, after those that were made already.
fn batch(
    search: &Explore<'_>,
    bound: Option<Bound>,
    runs: u64,
    pool: &ThreadPool,
    watch: Watch<'_>,
) -> Vec<Run> {
    let count = BATCH.min(search.runs - runs);
    let first = search.seed.wrapping_add(runs);
    let run = |plan: &mut Plan, i: u32| -> Option<Run> {
        let seed = first.wrapping_add(u64::from(i));
        let choices = choices(search, bound, seed);
        let searched = sim::search_watched(plan, choices, &|| watch(runs));
        if searched.known {
            return None;
        }
        let deviating = searched.choices.iter().filter(|d| d.deviates());
        let tape: Vec<Deviation> = deviating.map(|d| (*d).into()).collect();
        let (outcome, found) = one::judge(search, plan, &searched.trace, &tape);
        Some((tape, searched.notes.fingerprint, outcome, found))
    };
    // A run that was asked to end has no outcome.
    pool.install(|| {
        (0..count as u32)
            .into_par_iter()
            .with_min_len(PIECE)
            .map_init(search.plan, run)
            .flatten()
            .collect()
    })
}

/// Leaves out of the tapes what the violations do not need, the shortest tape first.
fn shorten(search: &Explore<'_>, violations: &mut [Violated]) {
    for violated in &mut *violations {
        let tape = std::mem::take(&mut violated.tape);
        violated.tape = shorter(search, violated.property, tape);
    }
    violations.sort_by(|a, b| {
        (a.tape.len(), a.property, &a.text).cmp(&(b.tape.len(), b.property, &b.text))
    });
}

/// PCT's bound: with n processes, k steps and a bug of depth d, one run finds it with a probability
/// of at least 1/(n k^(d-1)).
fn bound(search: &Explore<'_>) -> Bound {
    let searched = one::run(&(search.plan)(), &[]);
    let names: BTreeSet<u64> = searched.notes.steps.iter().map(|s| s.name.hash()).collect();
    let (processes, steps) = (
        names.len().max(1) as u64,
        searched.notes.asked.len().max(1) as u64,
    );
    let power = (steps as f64).powi(search.depth.saturating_sub(1) as i32);
    Bound {
        processes,
        steps,
        probability: 1.0 / (processes as f64 * power),
    }
}
