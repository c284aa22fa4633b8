//! Checks the model against one recording: how many runs are made, and what follows from them.

use super::canonical::lines;
use super::compare::{Evidence, Verdict, compare, is_consistent, is_incomplete, keeps_few};
use super::difference::Difference;
use super::envelope::{Offender, leaving_odds, offenders, worst};
use crate::recorded::{KindRange, Line, Observed, Outcome, PlanError, Recorded};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use taintsim::kernel::Endless;
use taintsim::plan::Plan;
use taintsim::trace::Trace;

/// Runs a plan in the model with a seed.
pub type Model<'a> = dyn Fn(&Plan, u64) -> Trace + Sync + 'a;

/// The model's two ways to run a plan with a seed.
#[derive(Clone, Copy)]
pub struct Models<'a> {
    /// As the program runs it; seed 0 is the default run.
    pub seeded: &'a Model<'a>,
    /// With the order within each instant drawn as well, about as often as upstream comes to it.
    pub drawn: &'a Model<'a>,
}

/// After this number of seeds whose runs are all alike, chance plays no part.
const PROBED_SEEDS: u64 = 8;

/// So many seeds say how often the envelope is left, where one of the first leaves it and recorded runs leave that of the
/// others, too.
const MORE_SEEDS: u64 = 60;

/// How thoroughly to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Over how many seeds to look which recorded outcomes the model reaches.
    pub timeline_seeds: u64,
    /// How many seeds to try for a recorded outcome, where the default run equals none.
    pub member_seeds: u64,
    /// How many runs to draw with the order within each instant, where no seed equals one either. One run in six or more has
    /// an outcome that was seen twice, unless the recording leaves nearly all of them unseen: 1 - (5/6)^24 = 99 %.
    pub drawn_seeds: u64,
    /// How many seeds have to stay inside an envelope, or, sixty of them, to leave it no more often than recorded runs.
    pub envelope_seeds: u64,
    /// How many rows of a difference to show.
    pub rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { timeline_seeds: 1, member_seeds: 64, drawn_seeds: 24, envelope_seeds: 10, rows: 24 }
    }
}

/// Which of the recorded outcomes the model's seeds reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The recorded outcomes that some seed equals.
    pub outcomes: BTreeSet<usize>,
    /// How many outcomes are kept in the recording.
    pub of: usize,
    /// How many seeds were tried.
    pub seeds: u64,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The verdict.
    pub verdict: Verdict,
    /// The seed whose run says so; 0 is the default run.
    pub seed: u64,
    /// Whether that run had the order within each instant drawn.
    pub drawn: bool,
    /// Which recorded outcomes were reached, where there are several and more than one seed was
    /// tried.
    pub reached: Option<Reached>,
    /// For an undecided verdict, where the run and the nearest outcome part. For an envelope, how many seeds leave it.
    pub detail: String,
}

impl Checked {
    /// What the run with this seed says.
    fn by_seed(verdict: Verdict, seed: u64) -> Self {
        Self { verdict, seed, drawn: false, reached: None, detail: String::new() }
    }
}

/// Replays a recording in the model.
///
/// A scenario that says what cannot be counts as differing, with the reason; so does a panic of the
/// model.
pub fn check(recorded: &Recorded, models: Models<'_>, options: Options) -> Checked {
    check_plan(recorded.plan(), &recorded.observed, models, options)
}

/// Holds what came of a recorded scenario against the runs of a plan.
pub(crate) fn check_plan(
    plan: Result<Plan, PlanError>,
    observed: &Observed,
    models: Models<'_>,
    options: Options,
) -> Checked {
    let plain = |verdict| Checked::by_seed(verdict, 0);
    let plan = match plan {
        Ok(plan) => plan,
        Err(PlanError::NotModelled(what)) => return plain(Verdict::NotModelled(what)),
        Err(e) => {
            return plain(Verdict::Differs(format!("no plan can be made of its scenario: {e}\n")));
        }
    };
    let run_by = |model: &Model<'_>, seed| -> Result<Vec<Line>, String> {
        // A panic in one scenario must not keep the others from being looked at. One without an end is what comes of the
        // order of its instants, and another may end.
        catch_unwind(AssertUnwindSafe(|| lines(&model(&plan, seed)))).or_else(|panic| {
            let endless = panic.downcast_ref::<Endless>().map(ToString::to_string);
            let line = |message| vec![Line { what: "endless".into(), message, ..Line::default() }];
            endless.map(line).ok_or_else(|| format!("the model panics with seed {seed}\n"))
        })
    };
    let run = |seed| run_by(models.seeded, seed);
    let draw = |seed| run_by(models.drawn, seed);
    match observed {
        Observed::Timelines { runs, distinct, outcomes } => {
            timelines(outcomes, *distinct, *runs, (&run, &draw), options)
                .unwrap_or_else(|panic| plain(Verdict::Differs(panic)))
        }
        Observed::Envelope { runs, alone, kinds } => {
            // The default run is no draw: it has no jitter, which no kubelet is without over minutes.
            let seeds = (1, options.envelope_seeds.max(1));
            let by = |run: Run<'_>| {
                envelope(kinds, (*alone, *runs), run, seeds)
                    .unwrap_or_else(|panic| plain(Verdict::Differs(panic)))
            };
            // Where runs part by the order within instants alone, all seeds of the usual one are alike.
            let usual = by(&run);
            if usual.verdict.conforms() {
                return usual;
            }
            let drawn = by(&draw);
            if drawn.verdict.conforms() {
                return Checked { drawn: true, ..drawn };
            }
            let detail = format!("{}; with a drawn order {}", usual.detail, drawn.detail);
            let verdict = match usual.verdict {
                Verdict::Differs(_) => Verdict::Differs(detail.clone() + "\n"),
                other => other,
            };
            Checked { verdict, detail, ..usual }
        }
    }
}

type Run<'a> = &'a dyn Fn(u64) -> Result<Vec<Line>, String>;

fn timelines(
    outcomes: &[Outcome],
    distinct: u32,
    runs: u32,
    (run, draw): (Run<'_>, Run<'_>),
    options: Options,
) -> Result<Checked, String> {
    let ours = run(0)?;
    let reached = if distinct > 1 && options.timeline_seeds > 1 {
        let mut hit = BTreeSet::new();
        for seed in 0..options.timeline_seeds {
            let lines = if seed == 0 { ours.clone() } else { run(seed)? };
            hit.extend(outcomes.iter().position(|o| *o.lines == lines));
        }
        Some(Reached { outcomes: hit, of: outcomes.len(), seeds: options.timeline_seeds })
    } else {
        None
    };
    let (verdict, seed) = judge(&ours, outcomes, distinct, runs, run, options.member_seeds)?;
    let verdict = match verdict {
        Some(met) if met.conforms() => {
            return Ok(Checked { reached, ..Checked::by_seed(met, seed) });
        }
        other => other,
    };
    if distinct > 1 {
        for seed in 1..=options.drawn_seeds {
            let lines = draw(seed)?;
            if let Some(i) = outcomes.iter().position(|o| *o.lines == lines) {
                let met = Checked::by_seed(Verdict::Member(i), seed);
                return Ok(Checked { drawn: true, reached, ..met });
            }
        }
    }
    let detail = describe(outcomes, distinct, &ours, options.rows);
    Ok(match verdict {
        Some(verdict) => Checked { reached, detail, ..Checked::by_seed(verdict, seed) },
        None => Checked { reached, ..Checked::by_seed(Verdict::Differs(detail), seed) },
    })
}

/// The verdict, and the seed whose run gives it; none if no run agrees with the recording.
fn judge(
    ours: &[Line],
    outcomes: &[Outcome],
    distinct: u32,
    runs: u32,
    run: Run<'_>,
    member_seeds: u64,
) -> Result<(Option<Verdict>, u64), String> {
    let default = compare(ours, outcomes, distinct);
    if default.as_ref().is_some_and(Verdict::conforms) {
        return Ok((default, 0));
    }
    // Where chance plays a part the recorded outcomes are samples, and so is the default run. Where
    // it plays none every seed gives the default run again, and this finds nothing.
    let mut others = Vec::new();
    for seed in 1..=member_seeds {
        let lines = run(seed)?;
        if let Some(i) = outcomes.iter().position(|o| *o.lines == lines) {
            return Ok((Some(Verdict::Member(i)), seed));
        }
        if lines == ours && others.is_empty() && seed > PROBED_SEEDS {
            break;
        }
        if lines != ours {
            others.push((seed, lines));
        }
    }
    if default.is_some() {
        return Ok((default, 0));
    }
    // Only of several outcomes can one see what varies.
    if distinct == 1 || !is_incomplete(outcomes, distinct, runs) {
        return Ok((None, 0));
    }
    for (seed, lines) in &others {
        if let Some(Verdict::Shape(i)) = compare(lines, outcomes, distinct) {
            return Ok((Some(Verdict::Unrecorded(Evidence::Shape(i))), *seed));
        }
    }
    let first = is_consistent(ours, outcomes).then_some(0);
    let consistent = first.or_else(|| {
        others.iter().find(|(_, lines)| is_consistent(lines, outcomes)).map(|(seed, _)| *seed)
    });
    Ok(match consistent {
        Some(seed) => (Some(Verdict::Unrecorded(Evidence::Consistent)), seed),
        None if keeps_few(outcomes, distinct) => (Some(Verdict::Unrecorded(Evidence::Few)), 0),
        None => (None, 0),
    })
}

fn describe(outcomes: &[Outcome], distinct: u32, ours: &[Line], rows: usize) -> String {
    let nearest = Difference::nearest(outcomes.iter().map(|o| o.lines.as_slice()), ours);
    let Some((i, difference)) = nearest else {
        return String::new();
    };
    let of = match (outcomes.len(), distinct) {
        (1, 1) => String::new(),
        (1, seen) => format!("the one outcome kept of {seen}: "),
        (kept, seen) => format!("nearest of {kept} outcomes kept of {seen} is number {}: ", i + 1),
    };
    of + &difference.render(rows)
}

fn envelope(
    kinds: &BTreeMap<String, KindRange>,
    (alone, runs): (u32, u32),
    run: Run<'_>,
    (first_seed, seeds): (u64, u64),
) -> Result<Checked, String> {
    let mut outside = Vec::new();
    let mut chance = true;
    let mut end = first_seed + seeds;
    let mut seed = first_seed;
    while seed < end {
        let offenders = offenders(&run(seed)?, kinds, 1);
        chance &= offenders.iter().all(Offender::may_be_chance);
        outside.extend(worst(offenders).map(|o| (seed, o)));
        seed += 1;
        if !outside.is_empty() && alone > 0 {
            end = end.max(first_seed + MORE_SEEDS);
        }
    }
    let seeds = end - first_seed;
    let Some((seed, first)) = outside.first() else {
        return Ok(Checked::by_seed(Verdict::Inside, first_seed));
    };
    let of_recorded = if alone > 0 {
        format!(" ({alone} of {runs} recorded runs leave that of the others)")
    } else {
        String::new()
    };
    let text = format!(
        "{} of {seeds} seeds leave the envelope{of_recorded}; seed {seed}: {first}",
        outside.len()
    );
    let often = outside.len() as u64;
    // Where the recorded runs are far apart a right model leaves their envelope too, now and then.
    let odds = leaving_odds((often, seeds), (alone, runs));
    let verdict = if chance && odds >= 0.05 {
        Verdict::Inside
    } else if odds >= 0.01 || chance && often * 4 <= seeds {
        Verdict::Unrecorded(Evidence::Chance)
    } else {
        Verdict::Differs(text.clone() + "\n")
    };
    Ok(Checked { detail: text, ..Checked::by_seed(verdict, *seed) })
}
