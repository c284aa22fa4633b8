//! Searches by drawing: every choice, or priorities as PCT has them.

use super::one::shorter;
use super::one::{self, Found};
use super::outcome::Outcome;
use super::search::{Explore, Report, Strategy, Violated, Watch};
use super::tally::Tally;
use crate::kernel::Choices;
use crate::kernel::choice::Deviation;
use crate::lab::shards::Desk;
use crate::lab::threads::Stopped;
use crate::plan::{Perturb, Plan};
use crate::sim;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How many of them one thread makes at least, with one plan.
const PIECE: usize = 16;

/// The choices of the run of a seed; `turns`: how many PCT reckons with.
fn choices(search: &Explore<'_>, turns: Option<u64>, seed: u64) -> Choices {
    match (turns, search.strategy) {
        (Some(turns), _) => Choices::pct(seed, search.depth, turns),
        (None, Strategy::Natural) => Choices::natural(seed),
        (None, _) => Choices::free(seed),
    }
}

/// Searches batch by batch, each a round of the desk.
///
/// # Errors
/// The batch is done elsewhere.
pub(super) fn explore(
    search: &Explore<'_>,
    at: (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(Report, bool), Stopped> {
    let (tally, states, finished) = draw(search, at, watch)?;
    let runs = tally.runs;
    let (outcomes, mut violations) = tally.into_parts();
    // A drawn run deviates nearly everywhere, and little of that matters.
    at.0.install(|| shorten(search, &mut violations, &|| watch(runs)));
    let report =
        Report { runs, states: states.len() as u64, outcomes, violations, ..Report::default() };
    Ok((report, finished))
}

/// Draws runs and counts what they come to and the states that they pass; the last part says
/// whether they are all there.
///
/// # Errors
/// The batch is done elsewhere.
pub(super) fn draw(
    search: &Explore<'_>,
    at: (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(Tally, BTreeSet<u64>, bool), Stopped> {
    let turns = (search.strategy == Strategy::Pct).then(|| {
        let usual = one::run(&(search.plan)(), &[]);
        usual.notes.asked.len().max(1) as u64
    });
    let mut tally = Tally::default();
    let mut states = BTreeSet::new();
    let mut drawn = 0;
    while tally.runs < search.runs && !(search.until_found && tally.all_violated(search.properties))
    {
        // A batch ends early for what was found, or may have been, to be made small in time.
        let is_late = !(search.draws_on)();
        let in_time = |runs| watch(runs) && (is_late || (search.draws_on)());
        let count = (search.batch.max(1) as u64).min(search.runs - tally.runs);
        let seeds = (search.seed.wrapping_add(drawn), count);
        let runs = tally.runs;
        let done = batch(search, turns, seeds, at, &|| in_time(runs))?;
        drawn += count;
        for (tape, state, (outcome, found)) in done.into_iter().filter_map(|(_, run)| run) {
            tally.runs += 1;
            states.insert(state);
            tally.add(&outcome, found, &tape);
        }
        if !watch(tally.runs) || tally.any_violated() && !(search.draws_on)() {
            return Ok((tally, states, false));
        }
    }
    Ok((tally, states, true))
}

/// A complete run: its tape, the fingerprint of its states, its outcome and violations.
type Run = (Vec<Deviation>, u64, (Outcome, Vec<Found>));

/// Says how often what was found is where runs are drawn as upstream comes to them, as far as there is time.
///
/// # Errors
/// The batch is done elsewhere.
pub(super) fn how_often(
    search: &Explore<'_>,
    report: &mut Report,
    at: (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(), Stopped> {
    // How often trouble comes that was asked for, nobody knows.
    let is_troubled = (search.plan)().perturb != Perturb::default();
    if report.violations.is_empty() || search.beside == 0 || is_troubled {
        return Ok(());
    }
    let natural = Explore {
        strategy: Strategy::Natural,
        runs: search.beside,
        until_found: false,
        // They do not depend on each other, and machines that share them wait once.
        batch: search.beside as usize,
        ..search.clone()
    };
    let runs = report.runs;
    let drawn = draw(&natural, at, &|drawn| watch(runs + drawn))?.0;
    for violated in &mut report.violations {
        violated.drawn = (drawn.runs > 0).then(|| (drawn.count(violated), drawn.runs));
    }
    Ok(())
}

/// Makes the runs of some seeds: the first, and how many.
fn batch(
    search: &Explore<'_>,
    turns: Option<u64>,
    (first, count): (u64, u64),
    (pool, desk): (&ThreadPool, Desk<'_>),
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<(u64, Option<Run>)>, Stopped> {
    // A run that was asked to end has no outcome.
    let run = |plan: &mut Plan, i: u64| -> Option<Run> {
        if !goes_on() {
            return None;
        }
        let seed = first.wrapping_add(i);
        let searched = sim::search_watched(plan, choices(search, turns, seed), goes_on);
        if searched.known {
            return None;
        }
        let deviating = searched.choices.iter().filter(|d| d.deviates());
        let tape: Vec<Deviation> = deviating.map(|d| (*d).into()).collect();
        let judged = one::judge(search, plan, &searched.trace, &tape);
        Some((tape, searched.notes.fingerprint, judged))
    };
    desk.round(
        count,
        |_: &Option<Run>| true,
        |mine| {
            let done = || {
                let each = mine.par_iter().with_min_len(PIECE);
                each.map_init(search.plan, |plan, i| (*i, run(plan, *i))).collect()
            };
            Ok(pool.install(done))
        },
    )
}

/// Leaves out of the tapes that are not small what the violations do not need, as far as there is
/// time, the shortest tape first.
pub(super) fn shorten(
    search: &Explore<'_>,
    violations: &mut [Violated],
    goes_on: &(dyn Fn() -> bool + Sync),
) {
    let long = violations.par_iter_mut().filter(|v| !v.is_small);
    long.for_each(|violated| {
        let tape = std::mem::take(&mut violated.tape);
        (violated.tape, violated.is_small) = shorter(search, violated.property, tape, goes_on);
    });
    violations.sort_by(|a, b| {
        (a.tape.len(), a.property, &a.text).cmp(&(b.tape.len(), b.property, &b.text))
    });
}
