//! Reading recorded files: one recording each, or packed, all releases of a scenario in one; plain
//! or gzipped.
//!
//! A packed file holds the scenario once, each distinct timeline once, and per release what the
//! recording of that release would say, with the timelines by number: `{"scenario", "timelines":
//! [[record, …], …], "releases": [{"kubernetes", "runs", "distinct", "outcomes": [{"count",
//! "timeline"}]}]}`, and for envelopes `{"kubernetes", "runs", "alone", "kinds"}` per release.

use super::format::RecordedScenario;
use super::line::{Line, sort_lines};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use taintsim::files::{self, ReadError};

/// How many bytes a file may hold once decompressed. The largest recording there is has half a
/// megabyte.
const MOST_BYTES: u64 = 256 << 20;

/// What one release did with one scenario.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The release, `v1.34.4`.
    pub release: String,
    /// The scenario.
    pub scenario: Arc<RecordedScenario>,
    /// Whose the kubelets' loops were; none where kubelets were imitated.
    pub kubelets: Option<KubeletLoops>,
    /// What came of it.
    pub observed: Observed,
}

/// Whose the loops of a recording's kubelets were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct KubeletLoops {
    /// Upstream's own.
    pub upstream: Vec<String>,
    /// The recorder's imitations.
    pub imitated: Vec<String>,
}

/// What came of a scenario.
#[derive(Clone, Debug)]
pub enum Observed {
    /// The distinct outcomes of several runs, most frequent first.
    Timelines {
        /// How many runs there were.
        runs: u32,
        /// How many distinct outcomes they had; only the first few of them are kept.
        distinct: u32,
        /// Those that are kept.
        outcomes: Vec<Outcome>,
    },
    /// No two runs are equal: how many records of each kind there were, and when.
    Envelope {
        /// How many runs there were.
        runs: u32,
        /// How many of them lie outside of the envelope of all others; zero where nobody looked.
        alone: u32,
        /// By kind, as `Line::envelope_kind` has it.
        kinds: BTreeMap<String, KindRange>,
    },
}

/// One outcome of a scenario.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How many runs had it.
    pub count: u32,
    /// Its records, sorted by time and then by text.
    pub lines: Arc<Vec<Line>>,
}

/// The records of one kind over several runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KindRange {
    /// The least and the greatest number of them in a run.
    pub count: [usize; 2],
    /// For the *k*-th of them in time, the earliest and the latest time, in milliseconds.
    pub kth_ms: Vec<[u64; 2]>,
}

/// Why a file is no recording.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] ReadError),
    /// It is not JSON, or not of the recorder's form.
    #[error("is not a recorded timeline: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON of another form.
    #[error("is not a recorded timeline: {0}")]
    Form(String),
}

#[derive(Deserialize)]
struct RawFile {
    scenario: Option<RecordedScenario>,
    timelines: Option<Vec<Vec<Line>>>,
    releases: Option<Vec<RawRelease>>,
    // A single recording, which has these beside its scenario.
    kubernetes: Option<String>,
    #[serde(default)]
    runs: u32,
    distinct: Option<u32>,
    outcomes: Option<Vec<RawOutcome>>,
    kinds: Option<BTreeMap<String, KindRange>>,
    #[serde(default)]
    alone: u32,
    kubelets: Option<KubeletLoops>,
}

#[derive(Deserialize)]
struct RawRelease {
    kubernetes: Option<String>,
    #[serde(default)]
    runs: u32,
    distinct: Option<u32>,
    outcomes: Option<Vec<RawOutcome>>,
    kinds: Option<BTreeMap<String, KindRange>>,
    #[serde(default)]
    alone: u32,
    kubelets: Option<KubeletLoops>,
}

#[derive(Deserialize)]
struct RawOutcome {
    count: u32,
    events: Option<Vec<Line>>,
    timeline: Option<usize>,
}

/// Reads a file, gzipped or not: one recording, or those of all releases that are packed in it, in
/// the file's order.
pub fn read(path: &Path) -> Result<Vec<Recorded>, FileError> {
    let bytes = files::unpack(files::read(path, MOST_BYTES)?, MOST_BYTES)?;
    parse(files::text(bytes)?.as_bytes())
}

/// Reads the JSON of one recording, or of a packed file.
pub fn parse(json: &[u8]) -> Result<Vec<Recorded>, FileError> {
    // The deserializer would take a list as well, field by field.
    if json.trim_ascii_start().first() == Some(&b'[') {
        return Err(FileError::Form("it is a list, not one recording".to_owned()));
    }
    let file: RawFile = serde_json::from_slice(json)?;
    let scenario = Arc::new(
        file.scenario.ok_or_else(|| FileError::Form("it has no \"scenario\"".to_owned()))?,
    );
    let shared: Vec<Arc<Vec<Line>>> =
        file.timelines.unwrap_or_default().into_iter().map(sorted).collect();
    let single = RawRelease {
        kubernetes: file.kubernetes,
        runs: file.runs,
        distinct: file.distinct,
        outcomes: file.outcomes,
        kinds: file.kinds,
        alone: file.alone,
        kubelets: file.kubelets,
    };
    let releases = file.releases.unwrap_or_else(|| vec![single]);
    releases.into_iter().map(|r| release(r, &scenario, &shared)).collect()
}

fn sorted(mut lines: Vec<Line>) -> Arc<Vec<Line>> {
    sort_lines(&mut lines);
    Arc::new(lines)
}

fn release(
    raw: RawRelease,
    scenario: &Arc<RecordedScenario>,
    shared: &[Arc<Vec<Line>>],
) -> Result<Recorded, FileError> {
    let form = |text: &str| FileError::Form(text.to_owned());
    let release = raw.kubernetes.ok_or_else(|| form("it has no \"kubernetes\""))?;
    let observed = match (raw.outcomes, raw.kinds) {
        (Some(outcomes), None) => {
            let outcomes =
                outcomes.into_iter().map(|o| outcome(o, shared)).collect::<Result<Vec<_>, _>>()?;
            if outcomes.is_empty() {
                return Err(form("its \"outcomes\" are empty"));
            }
            let distinct = raw.distinct.unwrap_or(outcomes.len() as u32).max(outcomes.len() as u32);
            Observed::Timelines { runs: raw.runs, distinct, outcomes }
        }
        (None, Some(kinds)) => Observed::Envelope { runs: raw.runs, alone: raw.alone, kinds },
        _ => return Err(form("it needs either \"outcomes\" or \"kinds\"")),
    };
    Ok(Recorded { release, scenario: Arc::clone(scenario), kubelets: raw.kubelets, observed })
}

fn outcome(raw: RawOutcome, shared: &[Arc<Vec<Line>>]) -> Result<Outcome, FileError> {
    let lines = match (raw.events, raw.timeline) {
        (Some(events), _) => sorted(events),
        (None, Some(i)) => Arc::clone(shared.get(i).ok_or_else(|| {
            FileError::Form(format!("an outcome refers to timeline {i}, which is not there"))
        })?),
        (None, None) => return Err(FileError::Form("an outcome has no \"events\"".to_owned())),
    };
    Ok(Outcome { count: raw.count, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = r#""scenario": {"name": "s", "horizon": "10s", "unknown": [1]}"#;
    const LINE: &str = r#"{"t_ns": 0, "actor": "user", "what": "node-created", "node": "n1"}"#;

    #[test]
    fn one_recording_and_a_packed_one_say_the_same() {
        let one = format!(
            r#"{{"kubernetes": "v1.34.4", {SCENARIO}, "runs": 3, "distinct": 2, "outcomes": [{{"count": 2, "events": [{LINE}]}}]}}"#
        );
        let packed = format!(
            r#"{{{SCENARIO}, "timelines": [[{LINE}]],
                "releases": [{{"kubernetes": "v1.34.4", "runs": 3, "distinct": 2, "outcomes": [{{"count": 2, "timeline": 0}}]}}]}}"#
        );
        for text in [one, packed] {
            let read = parse(text.as_bytes()).unwrap();
            assert_eq!((read.len(), read[0].release.as_str()), (1, "v1.34.4"));
            let Observed::Timelines { runs, distinct, outcomes } = &read[0].observed else {
                panic!("no timelines")
            };
            assert_eq!(
                (*runs, *distinct, outcomes[0].count, outcomes[0].lines[0].node.as_str()),
                (3, 2, 2, "n1")
            );
        }
    }

    #[test]
    fn what_is_no_recording_is_refused_with_the_reason() {
        let check = |text: String, reason: &str| {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        };
        check(String::new(), "EOF");
        check(" []".into(), "it is a list");
        check("{}".into(), "no \"scenario\"");
        check(format!("{{{SCENARIO}}}"), "no \"kubernetes\"");
        check(
            format!(r#"{{{SCENARIO}, "kubernetes": "v1.34.4"}}"#),
            "either \"outcomes\" or \"kinds\"",
        );
        check(format!(r#"{{{SCENARIO}, "kubernetes": "v1.34.4", "outcomes": []}}"#), "empty");
        check(
            format!(
                r#"{{{SCENARIO}, "kubernetes": "v1.34.4", "outcomes": [{{"count": 1, "timeline": 7}}]}}"#
            ),
            "timeline 7",
        );
        check(r#"{"scenario": {"name": "s", "horizon": "soon"}}"#.into(), "\"soon\"");
        check(r#"{"scenario": {"name": "s", "horizon": "-1s"}}"#.into(), "negative");
        check("[".repeat(100_000), "it is a list");
        check(format!(r#"{{{SCENARIO}, "kubernetes": {}"#, "[".repeat(100_000)), "invalid type");
    }
}
