//! Replays recordings one after the other, and counts what came of them.

use super::args::ConformArgs;
use super::counts::{Counts, table};
use super::odds::compared;
use super::record::record;
use super::recordings::{collect, is_release, kind, numbers};
use super::report::{Answer, case, document, report};
use super::since::moved;
use crate::conformance::{Checked, Models, Options, Verdict, check};
use crate::reach::{Reach, reach};
use crate::recorded::{Observed, Recorded, read};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use taintsim::cli::CheckFormat;
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::report::json;
use taintsim::report::trials::{self, Case, Tested};
use taintsim::sim;
use taintsim::trace::Trace;

/// All is well, nothing differs.
const FINE: u8 = 0;
/// Something differs.
const DIFFERS: u8 = 1;
/// A path is missing, or a file is no recording.
const INPUT: u8 = 2;
/// Nothing was selected.
const NOTHING: u8 = 4;

/// How many runs a search makes for each outcome of what was recorded just now, before it says that
/// the model differs: outcomes are often of an order that only a search asks for.
const SEARCHED: u64 = 300;

/// How many recordings are replayed between two looks at the output.
const BATCH: usize = 64;

/// The simulator as a model: seed 0 is the default run, in which every choice takes its first
/// alternative; others are drawn.
fn model(plan: &Plan, seed: u64) -> Trace {
    sim::run(plan, if seed == 0 { Choices::default_order() } else { Choices::seeded(seed) })
}

/// Its two ways to run a plan.
pub const MODELS: Models<'static> = Models { seeded: &model, drawn: &sim::draw };

/// Runs the command with a model and gives the exit code: 0 nothing differs, 1 something does, 2 an
/// input is missing or no recording, 4 nothing was selected. `told` hears how many recordings are done
/// while nothing is written yet. An error is one of writing the output.
pub fn run(
    args: &ConformArgs,
    models: Models<'_>,
    told: &(dyn Fn(u64) + Sync),
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let mut files = Vec::new();
    for path in &args.paths {
        if let Err(e) = collect(path, &mut files) {
            writeln!(err, "error: {}: {e}", path.display())?;
            return Ok(INPUT);
        }
    }
    if let Some(seeds) = args.odds {
        return answer(compared(&files, args, seeds, told), args.output.form, out, err);
    }
    if let Some(since) = &args.since {
        return answer(moved(&files, args, since, models), args.output.form, out, err);
    }
    let mut tally = Tally::default();
    let mut broken = false;
    if let Some(scenario) = &args.record {
        match record(scenario, args).map(|list| looked_at(list, args, models)) {
            Ok(list) => tally.report(&list, args, out)?,
            Err(text) => {
                broken = true;
                writeln!(err, "error: {text}")?;
            }
        }
    }
    for batch in files.chunks(BATCH) {
        let replayed: Vec<_> = batch.par_iter().map(|f| replayed(f, args, models)).collect();
        for file in replayed {
            match file {
                Ok(list) => tally.report(&list, args, out)?,
                Err(text) => {
                    broken = true;
                    writeln!(err, "{text}")?;
                }
            }
        }
    }
    match args.output.form {
        CheckFormat::Text => tally.write(out)?,
        CheckFormat::Json => json::write(out, &tally.document())?,
        CheckFormat::Junit => out.write_all(trials::junit(&tally.suites())?.as_bytes())?,
    }
    Ok(match tally.counts {
        _ if broken => INPUT,
        Counts { differ: 1.., .. } => DIFFERS,
        counts if counts.total() == 0 => NOTHING,
        _ => FINE,
    })
}

/// Writes what came of all recordings, or why nothing did, and gives the exit code.
pub(crate) fn answer(
    found: Result<impl Answer, String>,
    form: CheckFormat,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let found = match found {
        Ok(found) => found,
        Err(text) => {
            writeln!(err, "{text}")?;
            return Ok(INPUT);
        }
    };
    match form {
        CheckFormat::Text => found.text(out)?,
        CheckFormat::Json => json::write(out, &found.document())?,
        CheckFormat::Junit => out.write_all(trials::junit(&[found.suite()])?.as_bytes())?,
    }
    Ok(match found.counts() {
        (0, _) => NOTHING,
        (_, 0) => FINE,
        _ => DIFFERS,
    })
}

/// Replays the wanted recordings of a file.
fn replayed(
    file: &Path,
    args: &ConformArgs,
    models: Models<'_>,
) -> Result<Vec<(Recorded, Looked)>, String> {
    let recorded = read(file).map_err(|e| format!("error: {} {e}", file.display()))?;
    let wanted = recorded
        .into_iter()
        .filter(|r| args.release.as_deref().is_none_or(|w| is_release(&r.release, w)));
    Ok(looked_at(wanted.collect(), args, models))
}

/// Replays recordings.
fn looked_at(
    recorded: Vec<Recorded>,
    args: &ConformArgs,
    models: Models<'_>,
) -> Vec<(Recorded, Looked)> {
    let defaults = Options::default();
    let options = Options {
        timeline_seeds: args.seeds.unwrap_or(defaults.timeline_seeds),
        envelope_seeds: args.seeds.unwrap_or(defaults.envelope_seeds),
        rows: args.diff,
        ..defaults
    };
    recorded
        .into_par_iter()
        .map(|r| {
            let checked = check(&r, models, options);
            let doubtful = args.record.is_some() && !checked.verdict.conforms();
            let search = args.search.or(doubtful.then_some(SEARCHED));
            (searched(checked, &r, search), r)
        })
        .map(|(c, r)| (r, c))
        .collect()
}

/// The counts of all recordings, of those of each release, and of each kind.
#[derive(Default)]
struct Tally {
    counts: Counts,
    by_release: BTreeMap<ByNumber, Counts>,
    by_kind: BTreeMap<&'static str, Counts>,
    /// How many outcomes of timelines with several were reached, and how many were searched for.
    reached: (usize, usize),
    /// Those that are written at the end, as JSON.
    documents: Vec<Value>,
    /// The same as test cases, by release.
    cases: BTreeMap<ByNumber, Vec<Case>>,
}

/// A release behind its numbers, so that 1.9 comes before 1.10.
type ByNumber = (Vec<u64>, String);

fn by_number(release: &str) -> ByNumber {
    (numbers(release), release.to_owned())
}

impl Tally {
    /// Prints what came of recordings, and counts them.
    fn report(
        &mut self,
        list: &[(Recorded, Looked)],
        args: &ConformArgs,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for (recorded, (checked, reach)) in list {
            match args.output.form {
                CheckFormat::Text => report(recorded, checked, reach.as_ref(), args.diff, out)?,
                CheckFormat::Junit => {
                    let suite = self.cases.entry(by_number(&recorded.release)).or_default();
                    suite.push(case(recorded, checked, args.diff)?);
                }
                CheckFormat::Json => {
                    let found = document(recorded, checked, reach.as_ref(), args.diff)?;
                    self.documents.push(found);
                }
            }
            self.add(recorded, checked, reach.as_ref());
        }
        Ok(())
    }

    /// Counts one recording.
    fn add(&mut self, recorded: &Recorded, checked: &Checked, reach: Option<&Reach>) {
        if let Some(reach) = reach {
            self.reached.0 += reach.tapes.len();
            self.reached.1 += reach.of;
        }
        self.counts.add(&checked.verdict);
        self.by_release.entry(by_number(&recorded.release)).or_default().add(&checked.verdict);
        self.by_kind.entry(kind(recorded)).or_default().add(&checked.verdict);
    }

    /// All of it as test suites, one for each release.
    fn suites(&self) -> Vec<Tested> {
        let suite = |((_, release), cases): (&ByNumber, &Vec<Case>)| {
            Tested::only(release.clone(), release.clone(), cases.clone())
        };
        self.cases.iter().map(suite).collect()
    }

    /// All of it as JSON.
    fn document(&self) -> Value {
        let counts = |c: &Counts| json!({ "conform": c.conform, "undecided": c.undecided, "differ": c.differ, "not_modelled": c.not_modelled, "all": c.total() });
        let by_release = self.by_release.iter();
        let by_release = by_release.map(|((_, r), c)| (r.clone(), counts(c)));
        let by_kind = self.by_kind.iter();
        let by_kind = by_kind.map(|(k, c)| ((*k).to_owned(), counts(c)));
        json!({
            "counts": counts(&self.counts),
            "releases": by_release.collect::<Map<String, Value>>(),
            "scenarios": by_kind.collect::<Map<String, Value>>(),
            "outcomes": { "reached": self.reached.0, "of": self.reached.1 },
            "recordings": self.documents,
        })
    }

    /// Writes the tables and the totals.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.counts.total() > 0 {
            let by_release = self.by_release.iter().map(|((_, r), c)| (r.as_str(), c));
            writeln!(out, "\n{}", table("release", by_release))?;
            let by_kind = self.by_kind.iter().map(|(k, c)| (*k, c));
            writeln!(out, "\n{}\n", table("scenarios", by_kind))?;
        }
        if self.reached.1 > 0 {
            writeln!(
                out,
                "reached {} of {} outcomes of timelines with several",
                self.reached.0, self.reached.1
            )?;
        }
        writeln!(out, "{}", self.counts)
    }
}

/// What came of a recording.
type Looked = (Checked, Option<Reach>);

/// Searches for the recorded outcomes of a timeline with several. One that is reached settles what
/// draws left undecided.
fn searched(checked: Checked, recorded: &Recorded, budget: Option<u64>) -> Looked {
    let (Some(budget), Observed::Timelines { distinct: 2.., outcomes, .. }, Ok(plan)) =
        (budget, &recorded.observed, recorded.plan())
    else {
        return (checked, None);
    };
    let reach = reach(&plan, outcomes, budget);
    let settled = reach.tapes.keys().next().filter(|_| !checked.verdict.conforms());
    let checked = match settled {
        Some(i) => Checked { verdict: Verdict::Member(*i), seed: 0, ..checked },
        None => checked,
    };
    (checked, Some(reach))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taintsim::cli::OutputArg;

    /// The exit code and what is printed, for paths below `tests/traces` with a model whose runs
    /// are empty.
    fn conform(paths: &[&str], release: Option<&str>) -> (u8, String, String) {
        conform_as(CheckFormat::Text, paths, release)
    }

    fn conform_as(
        form: CheckFormat,
        paths: &[&str],
        release: Option<&str>,
    ) -> (u8, String, String) {
        let below =
            |p: &&str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces").join(p);
        let args = args(form, paths.iter().map(below).collect(), release);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let empty = |_: &Plan, _: u64| Trace::default();
        let code =
            run(&args, Models { seeded: &empty, drawn: &empty }, &|_| (), &mut out, &mut err)
                .unwrap();
        (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    /// Either of two nodes of a zone that go dark together is tainted first, in about half of upstream's runs. A recording in
    /// which one of them was first in 59 of 60 runs is told from it.
    #[test]
    fn odds_are_told_from_others() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/traces/timelines/zone-down-together.json.gz");
        let whole = taintsim::files::read(&file, 1 << 20)
            .and_then(|b| taintsim::files::unpack(b, 1 << 24))
            .unwrap();
        let whole = taintsim::files::text(whole).unwrap();
        let folder = std::env::temp_dir().join(format!("taintsim-odds-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let with = |counts: [u32; 2]| {
            let mut v: serde_json::Value = serde_json::from_str(&whole).unwrap();
            let releases = v["releases"].as_array_mut().unwrap();
            releases.retain(|r| r["kubernetes"] == "v1.34.4");
            releases[0]["runs"] = (counts[0] + counts[1]).into();
            for (outcome, count) in
                releases[0]["outcomes"].as_array_mut().unwrap().iter_mut().zip(counts)
            {
                outcome["count"] = count.into();
            }
            let file = folder.join("recorded.json");
            std::fs::write(&file, v.to_string()).unwrap();
            let args = ConformArgs {
                odds: Some(60),
                seeds: None,
                ..args(CheckFormat::Json, vec![file], None)
            };
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let code = run(&args, MODELS, &|_| (), &mut out, &mut err).unwrap();
            let v: serde_json::Value = serde_json::from_slice(&out).unwrap();
            (code, v["compared"].clone(), v["rejected"].clone())
        };
        assert_eq!(with([30, 30]), (FINE, 1.into(), 0.into()));
        assert_eq!(with([59, 1]), (DIFFERS, 1.into(), 1.into()));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    fn args(
        form: CheckFormat,
        paths: Vec<std::path::PathBuf>,
        release: Option<&str>,
    ) -> ConformArgs {
        ConformArgs {
            paths,
            seeds: Some(1),
            release: release.map(str::to_owned),
            search: None,
            odds: None,
            diff: 2,
            output: OutputArg { form },
            record: None,
            since: None,
            kubernetes: None,
            timing: None,
            recorder: "extra/recorder".into(),
        }
    }

    #[test]
    fn exit_codes_tell_what_happened() {
        let (code, out, _) = conform(&["timelines/cut-one-of-three.json.gz"], Some("1.34"));
        assert_eq!(code, DIFFERS);
        assert!(
            out.starts_with(
                "DIFFERS      v1.34.4   cut-one-of-three\n    One node of three is cut off"
            ),
            "{out}"
        );
        assert!(
            out.ends_with("\n0 conform, 0 undecided, 1 differ, 0 not modelled, of 1\n"),
            "{out}"
        );
        let beyond = std::env::temp_dir()
            .join(format!("taintsim-beyond-the-model-{}.json", std::process::id()));
        let recording = r#"{"kubernetes": "v1.34.4", "scenario": {"name": "beyond", "horizon": "1s",
            "controllers": ["node-lifecycle", "taint-eviction", "cronjob"]}, "runs": 1, "distinct": 1, "outcomes": [{"count": 1, "events": []}]}"#;
        std::fs::write(&beyond, recording).unwrap();
        let both = ["timelines/cut-one-of-three.json.gz", &beyond.to_string_lossy()];
        let (code, xml, _) = conform_as(CheckFormat::Junit, &both, Some("1.34"));
        let suites = quick_junit::Report::deserialize_from_str(&xml).unwrap().test_suites;
        let [suite] = &suites[..] else { panic!("one release has one suite: {xml}") };
        let counts = (suite.tests, suite.failures, suite.skipped);
        assert_eq!((code, counts), (DIFFERS, (2, 1, 1)), "{xml}");
        assert!(xml.contains("<skipped message=\"not modelled: cronjob\"/>"), "{xml}");
        assert!(xml.contains("type=\"differs\""), "{xml}");
        let (code, out, _) = conform(&[&beyond.to_string_lossy()], Some("1.34"));
        std::fs::remove_file(&beyond).unwrap();
        assert_eq!(code, FINE, "what is not modelled does not differ");
        assert!(out.starts_with("not modelled v1.34.4   beyond: cronjob"), "{out}");
        assert_eq!(conform(&["timelines"], Some("1.99")).0, NOTHING);
        let (code, out, err) = conform(&["timelines", "nowhere"], None);
        assert_eq!(
            (code, out.as_str()),
            (INPUT, ""),
            "nothing is replayed before all paths are found"
        );
        assert!(err.contains("nowhere: "), "{err}");
        let (code, _, err) = conform(&["README.md"], None);
        assert_eq!(code, INPUT);
        assert!(err.contains("README.md is not a recorded timeline"), "{err}");
    }
}
