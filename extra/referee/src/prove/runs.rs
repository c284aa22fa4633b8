//! Recorded runs, each with the order in which its records were written.

use crate::recorded::{Line, sort_lines};
use serde::Deserialize;
use serde_json::Value;
use taintsim::kernel::Time;

/// One run of upstream's controllers.
pub(super) struct Run {
    /// Its records, sorted as conformance compares them.
    pub(super) lines: Vec<Line>,
    /// The same in the order in which they were written, each with its instant.
    pub(super) written: Vec<(Time, Line)>,
    /// How many of the things that it was steered to did not come about.
    pub(super) unmet: usize,
}

/// Runs of one scenario in one release.
pub(super) struct Runs {
    pub(super) release: String,
    /// The scenario, as the recorder was given it.
    pub(super) scenario: Value,
    pub(super) runs: Vec<Run>,
    /// What of a change is in the program that was recorded.
    pub(super) patch: Option<Applied>,
}

/// The files of a change, by their paths in kubernetes/kubernetes.
#[derive(Clone, Default, Deserialize)]
pub(super) struct Applied {
    pub(super) applied: Vec<String>,
    /// Those that the recorder does not link.
    pub(super) left_out: Vec<String>,
}

#[derive(Deserialize)]
struct RawRuns {
    kubernetes: String,
    scenario: Value,
    outcomes: Vec<RawRun>,
    patch: Option<Applied>,
}

#[derive(Deserialize)]
struct RawRun {
    events: Vec<Line>,
    /// Of each record, as they were written, the instant in nanoseconds and its place in `events`.
    written: Option<Vec<(u64, usize)>>,
    #[serde(default)]
    unmet: usize,
}

/// Reads what `record --each` writes.
pub(super) fn read(json: &[u8]) -> Result<Runs, String> {
    let raw: RawRuns = serde_json::from_slice(json)
        .map_err(|e| format!("is not what `record --each` writes: {e}"))?;
    let runs = raw.outcomes.into_iter().map(run).collect::<Result<Vec<_>, _>>()?;
    if runs.is_empty() {
        return Err("has no runs".to_owned());
    }
    Ok(Runs { release: raw.kubernetes, scenario: raw.scenario, runs, patch: raw.patch })
}

fn run(raw: RawRun) -> Result<Run, String> {
    let order = raw.written.ok_or(
        "does not say in which order its records were written; `record --each` does".to_owned(),
    )?;
    let mut places: Vec<usize> = order.iter().map(|(_, place)| *place).collect();
    places.sort_unstable();
    if !places.into_iter().eq(0..raw.events.len()) {
        return Err("has an order that is not one of its records".to_owned());
    }
    let at = |(at, place): &(u64, usize)| (Time::from_nanos(*at), raw.events[*place].clone());
    let written = order.iter().map(at).collect();
    let mut lines = raw.events;
    sort_lines(&mut lines);
    Ok(Run { lines, written, unmet: raw.unmet })
}
