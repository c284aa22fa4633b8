//! What else a change moves: the kept recordings of a release, made again with it.
//!
//! A recording is looked at if the runs with the change come to other outcomes than the kept ones do, or with other odds. It moved if they
//! do so than as many runs without it that are made beside them: what another machine or another version of Go moves is not the change's.

use super::runs::{self, Run};
use crate::classes::rejected;
use crate::conform::record::recorded_by;
use crate::conform::recordings::{collect, is_release, kind};
use crate::conformance::{Odds, odds_of, show};
use crate::recorded::{Line, Observed, Outcome, Recorded, parse};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use taintsim::cli::Stopwatch;
use taintsim::files;
use taintsim::kernel::Dur;

/// How many runs are made of each recording. Where none of them is like any of the twelve beside them, that comes about by chance
/// once in a million, 2 / (24 over 12); and six of a class are to be expected on either side.
const RUNS: u32 = 12;

/// How many are made of one that may have moved and has not for sure.
const MANY: u32 = 60;

/// Up to which probability a recording may have moved.
const DOUBT: f64 = 0.05;

/// Up to which probability one has moved for sure, over a thousand recordings.
const SURE: f64 = 1e-5;

/// How likely it may be at most that any recording is said to have moved by chance.
const LEVEL: f64 = 0.01;

/// How many bytes a file may hold.
const MOST_BYTES: u64 = 256 << 20;

/// A recording that is kept.
struct Kept {
    recorded: Recorded,
    /// Its scenario, as the recorder is given it.
    scenario: String,
}

/// A recording that comes out otherwise.
struct Moved {
    scenario: String,
    /// What of it differs most, and how likely that is by chance.
    what: String,
    probability: f64,
    /// The first record that only the kept outcome has, and that only the new one has.
    parts: [Option<String>; 2],
}

/// The recordings of a release that were made again with a change.
pub(super) struct Remade {
    /// How many were made again, of how many.
    made: usize,
    of: usize,
    moved: Vec<Moved>,
}

/// How recordings are made.
pub(super) struct Recorder<'a> {
    pub(super) folder: &'a Path,
    /// The release, without its v.
    pub(super) release: &'a str,
    pub(super) patch: &'a str,
    pub(super) jobs: &'a str,
}

impl Recorder<'_> {
    /// So many runs of a scenario, each.
    pub(super) fn each(&self, scenario: &str, runs: u32, patched: bool) -> Result<Vec<u8>, String> {
        let runs = runs.to_string();
        let mut options = vec![self.release, "--each", "--most", &runs, "--jobs", self.jobs];
        if patched {
            options.extend(["--patch", self.patch]);
        }
        recorded_by(self.folder, &options, scenario)
    }

    fn runs(&self, scenario: &str, runs: u32, patched: bool) -> Result<Vec<Vec<Line>>, String> {
        let bytes = self.each(scenario, runs, patched)?;
        let runs = runs::read(&bytes)?.runs.into_iter();
        Ok(runs.map(|Run { lines, .. }| lines).collect())
    }
}

/// Makes the recordings at a path again with a change, for so long; `told` hears how many are done.
pub(super) fn remade(
    path: &Path,
    recorder: &Recorder<'_>,
    time: Dur,
    told: &dyn Fn(u64),
) -> Result<Remade, String> {
    let mut remade = Remade { made: 0, of: 0, moved: Vec::new() };
    if time == Dur::ZERO {
        return Ok(remade);
    }
    let all = kept(path, recorder.release)?;
    remade.of = all.len();
    let watch = Stopwatch::start();
    let mut probabilities = Vec::new();
    for one in all.iter().take_while(|_| watch.seconds() < time.as_secs_f64()) {
        let moved = moved(one, recorder)?;
        remade.made += 1;
        told(remade.made as u64);
        probabilities.push(moved.as_ref().map_or(1.0, |m| m.probability));
        remade.moved.extend(moved);
    }
    let level = rejected(&mut probabilities, LEVEL);
    remade.moved.retain(|m| level.is_some_and(|level| m.probability <= level));
    Ok(remade)
}

/// The kept timelines of a release, those that were written by hand first, and of each kind spread over their names, so that the first
/// of them are of all sorts.
fn kept(path: &Path, release: &str) -> Result<Vec<Kept>, String> {
    let mut files = Vec::new();
    collect(path, &mut files).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut all = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let wrong = |e: String| format!("{} {e}", file.display());
        let bytes = files::read(file, MOST_BYTES).and_then(|b| files::unpack(b, MOST_BYTES));
        let bytes = bytes.map_err(|e| wrong(e.to_string()))?;
        let of_release = parse(&bytes).map_err(|e| wrong(e.to_string()))?.into_iter().find(|r| {
            is_release(&r.release, release) && matches!(r.observed, Observed::Timelines { .. })
        });
        let Some(recorded) = of_release else { continue };
        let whole: Value = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
        let order = (kind(&recorded) != "by hand", (place as u32).reverse_bits());
        all.push((order, Kept { recorded, scenario: whole["scenario"].to_string() }));
    }
    all.sort_by_key(|(order, _)| *order);
    Ok(all.into_iter().map(|(_, kept)| kept).collect())
}

/// Whether a recording comes out otherwise, as far as one alone can say.
fn moved(kept: &Kept, recorder: &Recorder<'_>) -> Result<Option<Moved>, String> {
    let Observed::Timelines { runs, outcomes, .. } = &kept.recorded.observed else {
        return Ok(None);
    };
    let scenario = kept.recorded.scenario.name.clone();
    let Ok(mut with) = recorder.runs(&kept.scenario, RUNS, true) else {
        let what = "cannot be recorded with it; the recorder says why above".to_owned();
        return Ok(Some(Moved { scenario, what, probability: 0.0, parts: [None, None] }));
    };
    let differs = |odds: &Odds| odds.probability <= DOUBT;
    if odds_of(*runs, outcomes, &with).filter(differs).is_none() {
        return Ok(None);
    }
    let mut beside = outcomes_of(recorder.runs(&kept.scenario, RUNS, false)?);
    let mut odds = odds_of(RUNS, &beside, &with);
    if odds.as_ref().is_none_or(|odds| odds.probability > SURE) {
        with = recorder.runs(&kept.scenario, MANY, true)?;
        beside = outcomes_of(recorder.runs(&kept.scenario, MANY, false)?);
        odds = odds_of(MANY, &beside, &with);
    }
    let Some(odds) = odds else { return Ok(None) };
    let what = odds.marginals.first().map(|m| m.name.clone()).unwrap_or_default();
    let parts = parts(&beside, &with);
    Ok(Some(Moved { scenario, what, probability: odds.probability, parts }))
}

/// Runs as outcomes.
fn outcomes_of(runs: Vec<Vec<Line>>) -> Vec<Outcome> {
    let mut counts: BTreeMap<Vec<Line>, u32> = BTreeMap::new();
    runs.into_iter().for_each(|run| *counts.entry(run).or_default() += 1);
    counts.into_iter().map(|(lines, count)| Outcome { count, lines: Arc::new(lines) }).collect()
}

/// Where the first run that is none of these outcomes parts from the one that it goes with for the longest.
fn parts(outcomes: &[Outcome], runs: &[Vec<Line>]) -> [Option<String>; 2] {
    let Some(run) = runs.iter().find(|run| !outcomes.iter().any(|o| *o.lines == **run)) else {
        return [None, None];
    };
    let same = |o: &Outcome| o.lines.iter().zip(run).take_while(|(a, b)| a == b).count();
    let nearest = outcomes.iter().max_by_key(|o| same(o));
    let at = nearest.map_or(0, same);
    [nearest.and_then(|o| o.lines.get(at)), run.get(at)].map(|line| line.map(show))
}

impl Remade {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { made, of, moved } = self;
        if *of == 0 {
            return writeln!(out, "what else it moves was not looked at");
        }
        let left = if made < of { ", as the time was up" } else { "" };
        writeln!(
            out,
            "{} of {made} recordings come out otherwise with it; {made} of {of} were made again{left}, {RUNS} runs each",
            moved.len()
        )?;
        for Moved { scenario, what, parts, .. } in moved {
            writeln!(out, "  {scenario}: {what}")?;
            for (sign, line) in ['-', '+'].into_iter().zip(parts) {
                if let Some(line) = line {
                    writeln!(out, "    {sign} {line}")?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn document(&self) -> Value {
        let moved = self.moved.iter().map(|m| {
            json!({
                "scenario": m.scenario,
                "what": m.what,
                "probability": m.probability,
                "kept": m.parts[0],
                "now": m.parts[1],
            })
        });
        json!({ "compared": self.made, "of": self.of, "runs": RUNS, "moved": moved.collect::<Vec<_>>() })
    }
}
