//! Searches by drawing: every choice, or priorities as PCT has them.

use super::kept::{JudgementKept, TapeKept};
use super::one;
use super::search::{Bound, Explore, Report, Strategy, Violated, Watch};
use super::shorter::shorter;
use super::tally::Tally;
use crate::kernel::Choices;
use crate::kernel::choice::Deviation;
use crate::lab::shards::Desk;
use crate::lab::stopped::Stopped;
use crate::plan::Plan;
use crate::sim;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How many of them one thread makes at least, with one plan.
const PIECE: usize = 16;

/// The choices of the run of a seed.
fn choices(search: &Explore<'_>, bound: Option<Bound>, seed: u64) -> Choices {
    match bound {
        Some(bound) => Choices::pct(seed, search.depth, bound.steps),
        None => Choices::free(seed),
    }
}

/// Searches batch by batch, each a round of the desk.
///
/// # Errors
/// The batch is done elsewhere.
pub(super) fn explore(
    search: &Explore<'_>,
    (pool, desk): (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(Report, bool), Stopped> {
    let bound = (search.strategy == Strategy::Pct).then(|| bound(search));
    let mut tally = Tally::default();
    let mut states = BTreeSet::new();
    let mut finished = true;
    while tally.runs < search.runs && !(search.until_found && tally.all_violated(search.properties))
    {
        let done = batch(search, bound, tally.runs, (pool, desk), watch)?;
        for (tape, state, judgement) in done.into_iter().filter_map(|(_, run)| run) {
            let (outcome, found) = judgement.of(search.properties);
            let tape: Vec<Deviation> = tape.into();
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
    Ok((report, finished))
}

/// A complete run: its tape, the fingerprint of its states, its outcome and violations.
type Run = (TapeKept, u64, JudgementKept);

/// Makes the next runs, after those that were made already.
fn batch(
    search: &Explore<'_>,
    bound: Option<Bound>,
    runs: u64,
    (pool, desk): (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<Vec<(u64, Option<Run>)>, Stopped> {
    let count = (search.batch.max(1) as u64).min(search.runs - runs);
    let first = search.seed.wrapping_add(runs);
    // A run that was asked to end has no outcome.
    let run = |plan: &mut Plan, i: u64| -> Option<Run> {
        let seed = first.wrapping_add(i);
        let choices = choices(search, bound, seed);
        let searched = sim::search_watched(plan, choices, &|| watch(runs));
        if searched.known {
            return None;
        }
        let deviating = searched.choices.iter().filter(|d| d.deviates());
        let tape: Vec<Deviation> = deviating.map(|d| (*d).into()).collect();
        let judged = one::judge(search, plan, &searched.trace, &tape);
        let judged = JudgementKept::new(judged, search.properties);
        Some((tape.into(), searched.notes.fingerprint, judged))
    };
    desk.round(
        count,
        |_: &Option<Run>| true,
        |mine| {
            let done = || {
                let each = mine.par_iter().with_min_len(PIECE);
                each.map_init(search.plan, |plan, i| (*i, run(plan, *i)))
                    .collect()
            };
            Ok(pool.install(done))
        },
    )
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
