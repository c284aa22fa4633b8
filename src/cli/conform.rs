//! `taintsim conform`: replays recorded timelines in the model and says where it parts from
//! upstream.
//!
//! stdout has one line per recording, under those that differ where they do, then the counts by
//! release and by kind of scenario and a last line with the totals; stderr has what could not be
//! read.

use crate::analysis::conformance::{Checked, Evidence, Model, Options, Verdict, check, show};
use crate::kernel::Choices;
use crate::lab::reach::{Reach, reach};
use crate::plan::Plan;
use crate::scenario::recorded::{Observed, Recorded, read};
use crate::sim;
use crate::trace::Trace;
use comfy_table::{CellAlignment, Table, presets};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// All is well, nothing differs.
const FINE: u8 = 0;
/// Something differs.
const DIFFERS: u8 = 1;
/// A path is missing, or a file is no recording.
const INPUT: u8 = 2;
/// Nothing was selected.
const NOTHING: u8 = 4;

/// How many recordings are replayed between two looks at the output.
const BATCH: usize = 64;

/// Arguments of `taintsim conform`.
#[derive(Clone, Debug, clap::Args)]
pub struct ConformArgs {
    /// Recorded timelines or envelopes (*.json, *.json.gz), or folders to search for them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Seeds that have to stay inside an envelope [default: 10], and over which to count the
    /// recorded outcomes that are reached where there are several [default: not counted]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: Option<u64>,
    /// Only recordings of this release: "1.34" is any of its patches, "v1.34.4" is that one
    #[arg(long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// Search for each recorded outcome of a timeline with several, with so many runs for each that
    /// draws do not reach (and more, drawn, for each that these do not reach, either), and count
    /// those that are reached; a timeline with one that is reached conforms
    #[arg(long, value_name = "RUNS", num_args = 0..=1, default_missing_value = "300", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub search: Option<u64>,
    /// Lines to show of each difference
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub diff: usize,
}

/// How many recordings came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Equal to a recorded outcome, or inside the envelope.
    pub conform: usize,
    /// The recording cannot tell.
    pub undecided: usize,
    /// Something differs.
    pub differ: usize,
    /// The scenario needs what the model has not.
    pub not_modelled: usize,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Exact | Verdict::Member(_) | Verdict::Inside => self.conform += 1,
            Verdict::Shape(_) | Verdict::Unrecorded(_) => self.undecided += 1,
            Verdict::Differs(_) => self.differ += 1,
            Verdict::NotModelled(_) => self.not_modelled += 1,
        }
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.conform + self.undecided + self.differ + self.not_modelled
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            conform,
            undecided,
            differ,
            not_modelled,
        } = self;
        write!(
            f,
            "{conform} conform, {undecided} undecided, {differ} differ, {not_modelled} not modelled, of {}",
            self.total()
        )
    }
}

/// The simulator as a model: seed 0 is the default run, in which every choice takes its first
/// alternative; others are drawn.
pub fn model(plan: &Plan, seed: u64) -> Trace {
    sim::run(
        plan,
        if seed == 0 {
            Choices::default_order()
        } else {
            Choices::seeded(seed)
        },
    )
}

/// Runs the command with a model and gives the exit code: 0 nothing differs, 1 something does, 2 an
/// input is missing or no recording, 4 nothing was selected. An error is one of writing the output.
pub fn run(
    args: &ConformArgs,
    model: &Model<'_>,
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
    let defaults = Options::default();
    let options = Options {
        timeline_seeds: args.seeds.unwrap_or(defaults.timeline_seeds),
        envelope_seeds: args.seeds.unwrap_or(defaults.envelope_seeds),
        rows: args.diff,
        ..defaults
    };
    let mut counts = Counts::default();
    let mut by_release: BTreeMap<(Vec<u64>, String), Counts> = BTreeMap::new();
    let mut by_kind: BTreeMap<&'static str, Counts> = BTreeMap::new();
    let mut broken = false;
    let mut reached = (0, 0);
    for batch in files.chunks(BATCH) {
        let replayed: Vec<Result<Vec<(Recorded, Looked)>, String>> = batch
            .par_iter()
            .map(|file| {
                let recorded = read(file).map_err(|e| format!("error: {} {e}", file.display()))?;
                let wanted = recorded.into_iter().filter(|r| {
                    args.release
                        .as_deref()
                        .is_none_or(|w| is_release(&r.release, w))
                });
                Ok(wanted
                    .collect::<Vec<_>>()
                    .into_par_iter()
                    .map(|r| (searched(check(&r, model, options), &r, args.search), r))
                    .map(|(c, r)| (r, c))
                    .collect())
            })
            .collect();
        for file in replayed {
            match file {
                Ok(list) => {
                    for (recorded, (checked, reach)) in &list {
                        report(recorded, checked, reach.as_ref(), args.diff, out)?;
                        if let Some(reach) = reach {
                            reached = (reached.0 + reach.tapes.len(), reached.1 + reach.of);
                        }
                        counts.add(&checked.verdict);
                        by_release
                            .entry((numbers(&recorded.release), recorded.release.clone()))
                            .or_default()
                            .add(&checked.verdict);
                        by_kind
                            .entry(kind(recorded))
                            .or_default()
                            .add(&checked.verdict);
                    }
                }
                Err(text) => {
                    broken = true;
                    writeln!(err, "{text}")?;
                }
            }
        }
    }
    if counts.total() > 0 {
        writeln!(
            out,
            "\n{}",
            table(
                "release",
                by_release.iter().map(|((_, r), c)| (r.as_str(), c))
            )
        )?;
        writeln!(
            out,
            "\n{}\n",
            table("scenarios", by_kind.iter().map(|(k, c)| (*k, c)))
        )?;
    }
    if reached.1 > 0 {
        writeln!(
            out,
            "reached {} of {} outcomes of timelines with several",
            reached.0, reached.1
        )?;
    }
    writeln!(out, "{counts}")?;
    Ok(match counts {
        _ if broken => INPUT,
        Counts { differ: 1.., .. } => DIFFERS,
        _ if counts.total() == 0 => NOTHING,
        _ => FINE,
    })
}

/// The recordings at a path: the file itself, or those in a folder and its folders, sorted by name.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !std::fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        // The type of the entry itself: a link to a folder is not followed, so that a loop of links
        // ends.
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else if name
            .to_str()
            .is_some_and(|n| n.ends_with(".json") || n.ends_with(".json.gz"))
        {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The numbers in a release's name, to sort by.
fn numbers(release: &str) -> Vec<u64> {
    release
        .trim_start_matches('v')
        .split('.')
        .map(|n| n.parse().unwrap_or(u64::MAX))
        .collect()
}

/// Whether a release is the wanted one, or a patch of the wanted minor release.
fn is_release(release: &str, wanted: &str) -> bool {
    let (release, wanted) = (
        release.trim_start_matches('v'),
        wanted.trim_start_matches('v'),
    );
    release == wanted
        || release
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.starts_with('.'))
}

/// The kind of scenario, as recordings are named.
fn kind(recorded: &Recorded) -> &'static str {
    let name = &recorded.scenario.name;
    match &recorded.observed {
        Observed::Envelope { .. } => "envelopes",
        Observed::Timelines { .. } if name.starts_with("random-") => "random",
        Observed::Timelines { .. } if name.ends_with("-lat") => "with latencies",
        Observed::Timelines { .. } => "by hand",
    }
}

/// What came of a recording.
type Looked = (Checked, Option<Reach>);

/// Searches for the recorded outcomes of a timeline with several. One that is reached settles what
/// draws left undecided.
fn searched(checked: Checked, recorded: &Recorded, budget: Option<u64>) -> Looked {
    let (
        Some(budget),
        Observed::Timelines {
            distinct: 2..,
            outcomes,
            ..
        },
        Ok(plan),
    ) = (budget, &recorded.observed, recorded.plan())
    else {
        return (checked, None);
    };
    let reach = reach(&plan, outcomes, budget);
    let settled = reach
        .tapes
        .keys()
        .next()
        .filter(|_| !checked.verdict.conforms());
    let checked = match settled {
        Some(i) => Checked {
            verdict: Verdict::Member(*i),
            seed: 0,
            ..checked
        },
        None => checked,
    };
    (checked, Some(reach))
}

fn report(
    recorded: &Recorded,
    checked: &Checked,
    reach: Option<&Reach>,
    rows: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Recorded {
        release,
        scenario,
        observed,
    } = recorded;
    let envelope = if matches!(observed, Observed::Envelope { .. }) {
        " (envelope)"
    } else {
        ""
    };
    write!(
        out,
        "{:<12} {release:<9} {}{envelope}",
        checked.verdict.word(),
        scenario.name
    )?;
    match (&checked.verdict, observed) {
        (Verdict::NotModelled(what), _) => write!(out, ": {}", what.join(", "))?,
        (Verdict::Member(i), Observed::Timelines { distinct, .. }) => {
            write!(out, ": outcome {} of {distinct}", i + 1)?;
            if checked.seed != 0 {
                write!(out, ", with seed {}", checked.seed)?;
            }
        }
        (Verdict::Unrecorded(Evidence::Shape(i)), _) => write!(
            out,
            ": outcome {} but for names, with seed {}",
            i + 1,
            checked.seed
        )?,
        (Verdict::Unrecorded(Evidence::Chance), _) => write!(out, ": {}", checked.detail)?,
        (Verdict::Unrecorded(Evidence::Consistent), _) => {
            write!(out, ": agrees with what the kept outcomes share")?;
            if checked.seed != 0 {
                write!(out, ", with seed {}", checked.seed)?;
            }
        }
        (Verdict::Shape(i), Observed::Timelines { distinct, .. }) => {
            write!(out, ": outcome {} of {distinct} but for names", i + 1)?
        }
        _ => {}
    }
    if let Some(reached) = &checked.reached {
        write!(
            out,
            "; {} of {} kept outcomes reached over {} seeds",
            reached.outcomes.len(),
            reached.of,
            reached.seeds
        )?;
    }
    if let Some(reach) = reach {
        write!(out, "; reached {} of {}", reach.tapes.len(), reach.of)?;
        for (i, miss) in &reach.missed {
            write!(
                out,
                "\n    outcome {} missed after {} of {} records",
                i + 1,
                miss.shared,
                miss.of
            )?;
            for (sign, line) in [('-', &miss.parts.0), ('+', &miss.parts.1)] {
                if let Some(line) = line {
                    write!(out, "\n    {sign} {}", show(line))?;
                }
            }
        }
    }
    writeln!(out)?;
    if let Verdict::Differs(text) = &checked.verdict {
        if !scenario.doc.is_empty() {
            writeln!(out, "    {}", scenario.doc)?;
        }
        // Of a difference's text, the first line says what and the others show it.
        for line in text.lines().take(rows.saturating_add(1)) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

fn table<'a>(title: &str, rows: impl Iterator<Item = (&'a str, &'a Counts)>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        title,
        "conform",
        "undecided",
        "differ",
        "not modelled",
        "all",
    ]);
    for (name, c) in rows {
        let numbers =
            [c.conform, c.undecided, c.differ, c.not_modelled, c.total()].map(|n| n.to_string());
        table.add_row(std::iter::once(name.to_owned()).chain(numbers));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_selects_its_patches() {
        for (release, wanted, is) in [
            ("v1.34.4", "1.34", true),
            ("v1.34.4", "v1.34.4", true),
            ("v1.34.4", "1.3", false),
            ("v1.34.4", "1.34.40", false),
            ("v1.34.4", "1", true),
        ] {
            assert_eq!(is_release(release, wanted), is, "{release} {wanted}");
        }
    }

    #[test]
    fn releases_sort_by_number() {
        assert!(numbers("v1.9.11") < numbers("v1.10.0"));
        assert!(numbers("v1.34.4") < numbers("v1.34.10"));
    }

    /// The exit code and what is printed, for paths below `tests/traces` with a model whose runs
    /// are empty.
    fn conform(paths: &[&str], release: Option<&str>) -> (u8, String, String) {
        let below = |p: &&str| {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/traces")
                .join(p)
        };
        let args = ConformArgs {
            paths: paths.iter().map(below).collect(),
            seeds: Some(1),
            release: release.map(str::to_owned),
            search: None,
            diff: 2,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let empty = |_: &Plan, _: u64| Trace::default();
        let code = run(&args, &empty, &mut out, &mut err).unwrap();
        (
            code,
            String::from_utf8(out).unwrap(),
            String::from_utf8(err).unwrap(),
        )
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
        let beyond = std::env::temp_dir().join(format!(
            "taintsim-beyond-the-model-{}.json",
            std::process::id()
        ));
        let recording = r#"{"kubernetes": "v1.34.4", "scenario": {"name": "beyond", "horizon": "1s",
            "controllers": ["node-lifecycle", "taint-eviction", "cronjob"]}, "runs": 1, "distinct": 1, "outcomes": [{"count": 1, "events": []}]}"#;
        std::fs::write(&beyond, recording).unwrap();
        let (code, out, _) = conform(&[&beyond.to_string_lossy()], Some("1.34"));
        std::fs::remove_file(&beyond).unwrap();
        assert_eq!(code, FINE, "what is not modelled does not differ");
        assert!(
            out.starts_with("not modelled v1.34.4   beyond: cronjob"),
            "{out}"
        );
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
        assert!(
            err.contains("README.md is not a recorded timeline"),
            "{err}"
        );
    }
}
