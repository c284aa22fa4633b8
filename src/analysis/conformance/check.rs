//! One recording against the model: how many runs, and what they say.

use super::canonical::lines;
use super::compare::{Verdict, compare};
use super::difference::Difference;
use super::envelope::offender;
use crate::scenario::recorded::{KindRange, Line, Observed, Outcome, PlanError, Recorded};
use crate::sim::plan::Plan;
use crate::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a plan in the model with a seed.
pub type Model<'a> = dyn Fn(&Plan, u64) -> Trace + Sync + 'a;

/// How thoroughly to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Over how many seeds to look which recorded outcomes the model reaches; the verdict is the first seed's.
    pub timeline_seeds: u64,
    /// How many seeds have to stay inside an envelope.
    pub envelope_seeds: u64,
    /// How many rows of a difference to show.
    pub rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { timeline_seeds: 1, envelope_seeds: 10, rows: 24 }
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

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// What it comes to.
    pub verdict: Verdict,
    /// Which recorded outcomes were reached, where there are several and more than one seed was tried.
    pub reached: Option<Reached>,
    /// For an undecided verdict, where the run and the nearest outcome part.
    pub detail: String,
}

/// Replays a recording in the model.
///
/// A scenario that says what cannot be counts as differing, with the reason; so does a panic of the model.
pub fn check(recorded: &Recorded, model: &Model<'_>, options: Options) -> Checked {
    let plain = |verdict| Checked { verdict, reached: None, detail: String::new() };
    let plan = match recorded.plan() {
        Ok(plan) => plan,
        Err(PlanError::NotModelled(what)) => return plain(Verdict::NotModelled(what)),
        Err(e) => return plain(Verdict::Differs(format!("no plan can be made of its scenario: {e}\n"))),
    };
    let run = |seed| -> Result<Vec<Line>, String> {
        // A panic in one scenario must not keep the others from being looked at.
        catch_unwind(AssertUnwindSafe(|| lines(&model(&plan, seed)))).map_err(|_| format!("the model panics with seed {seed}\n"))
    };
    match &recorded.observed {
        Observed::Timelines { distinct, outcomes, .. } => {
            timelines(outcomes, *distinct, &run, options).unwrap_or_else(|panic| plain(Verdict::Differs(panic)))
        }
        Observed::Envelope { kinds, .. } => plain(envelope(kinds, &run, options).unwrap_or_else(Verdict::Differs)),
    }
}

type Run<'a> = &'a dyn Fn(u64) -> Result<Vec<Line>, String>;

fn timelines(outcomes: &[Outcome], distinct: u32, run: Run<'_>, options: Options) -> Result<Checked, String> {
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
    let verdict = compare(&ours, outcomes, distinct);
    let detail = match &verdict {
        Some(v) if v.conforms() => String::new(),
        _ => describe(outcomes, distinct, &ours, options.rows),
    };
    Ok(match verdict {
        Some(verdict) => Checked { verdict, reached, detail },
        None => Checked { verdict: Verdict::Differs(detail), reached, detail: String::new() },
    })
}

fn describe(outcomes: &[Outcome], distinct: u32, ours: &[Line], rows: usize) -> String {
    let nearest = Difference::nearest(outcomes.iter().map(|o| o.lines.as_slice()), ours);
    let Some((i, difference)) = nearest else { return String::new() };
    let of = match (outcomes.len(), distinct) {
        (1, 1) => String::new(),
        (1, seen) => format!("the one outcome kept of {seen}: "),
        (kept, seen) => format!("nearest of {kept} outcomes kept of {seen} is number {}: ", i + 1),
    };
    of + &difference.render(rows)
}

fn envelope(kinds: &BTreeMap<String, KindRange>, run: Run<'_>, options: Options) -> Result<Verdict, String> {
    let seeds = options.envelope_seeds.max(1);
    let mut outside = Vec::new();
    for seed in 0..seeds {
        outside.extend(offender(&run(seed)?, kinds, 1).map(|o| (seed, o)));
    }
    Ok(match outside.first() {
        None => Verdict::Inside,
        Some((seed, worst)) => Verdict::Differs(format!("{} of {seeds} seeds leave the envelope; seed {seed}: {worst}\n", outside.len())),
    })
}
