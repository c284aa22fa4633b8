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
    /// Over how many seeds to look which recorded outcomes the model reaches.
    pub timeline_seeds: u64,
    /// How many seeds to try for a recorded outcome, where the default run is none and chance plays a part.
    pub member_seeds: u64,
    /// How many seeds have to stay inside an envelope.
    pub envelope_seeds: u64,
    /// How many rows of a difference to show.
    pub rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { timeline_seeds: 1, member_seeds: 64, envelope_seeds: 10, rows: 24 }
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
    /// The seed whose run says so; 0 is the default run, in which every choice takes its first alternative.
    pub seed: u64,
    /// Which recorded outcomes were reached, where there are several and more than one seed was tried.
    pub reached: Option<Reached>,
    /// For an undecided verdict, where the run and the nearest outcome part.
    pub detail: String,
}

/// Replays a recording in the model.
///
/// A scenario that says what cannot be counts as differing, with the reason; so does a panic of the model.
pub fn check(recorded: &Recorded, model: &Model<'_>, options: Options) -> Checked {
    let plain = |verdict| Checked { verdict, seed: 0, reached: None, detail: String::new() };
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
    if verdict.as_ref().is_some_and(Verdict::conforms) {
        return Ok(Checked { verdict: verdict.unwrap_or(Verdict::Unrecorded), seed: 0, reached, detail: String::new() });
    }
    // Where chance plays a part the recorded outcomes are samples, and so is the default run.
    let (mut best, mut best_seed, mut best_run) = (verdict, 0, ours);
    for seed in 1..=options.member_seeds {
        let lines = run(seed)?;
        let verdict = match outcomes.iter().position(|o| *o.lines == lines) {
            Some(i) => Some(Verdict::Member(i)),
            None if distinct > 1 => compare(&lines, outcomes, distinct),
            None => None,
        };
        if rank(verdict.as_ref()) > rank(best.as_ref()) {
            (best, best_seed, best_run) = (verdict, seed, lines);
        }
        if best.as_ref().is_some_and(Verdict::conforms) {
            break;
        }
    }
    let detail = match &best {
        Some(v) if v.conforms() => String::new(),
        _ => describe(outcomes, distinct, &best_run, options.rows),
    };
    Ok(match best {
        Some(verdict) => Checked { verdict, seed: best_seed, reached, detail },
        None => Checked { verdict: Verdict::Differs(detail), seed: 0, reached, detail: String::new() },
    })
}

/// How much a verdict says: an outcome that was recorded, one of its shape, one that may be missing from the recording.
fn rank(verdict: Option<&Verdict>) -> u8 {
    match verdict {
        None | Some(Verdict::Differs(_) | Verdict::NotModelled(_)) => 0,
        Some(Verdict::Unrecorded) => 1,
        Some(Verdict::Shape(_)) => 2,
        Some(Verdict::Exact | Verdict::Member(_) | Verdict::Inside) => 3,
    }
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
