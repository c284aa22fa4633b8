//! `taintsim test`: runs scenarios and holds them against what they expect.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a CI system wants to know how long a test took"
)]

use super::golden::{self, Golden};
use super::html::{HtmlArg, RUNS_MAX, run_for_page};
use super::prelude::*;
use super::run::load;
use super::scenarios::{self, Scenarios, scenarios};
use crate::files::Form;
use crate::lab::Trial;
use crate::lab::trial::Outcome as Tried;
use crate::report::trials::{self, Came, Case, Failed, SCENARIO, Status, Tested};
use crate::report::{Style, tables};
use crate::scenario::expectations::{Expectation, Expected};
use rayon::prelude::*;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::Instant;

/// In which form the results are reported, and to which file where not to standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reporter {
    form: TestForm,
    file: Option<PathBuf>,
}

/// The forms that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TestForm {
    /// For people
    Text,
    /// A JSON document
    Json,
    /// A table as CSV, a row for each test case; docs/data.md tells its columns
    Csv,
    /// The same as Parquet, for DuckDB, pandas and Polars
    Parquet,
    /// Annotations for GitHub
    Github,
    /// Version 13 of TAP
    Tap,
    /// A file of JUnit
    Junit,
}

fn reporter(text: &str) -> Result<Reporter, String> {
    let (form, file) = match text.split_once('=') {
        None if text == "human" => (TestForm::Text, None),
        None if text == "github" => (TestForm::Github, None),
        None if text == "tap" => (TestForm::Tap, None),
        Some(("junit", file)) if !file.is_empty() => (TestForm::Junit, Some(file.into())),
        Some(("json", file)) if !file.is_empty() => (TestForm::Json, Some(file.into())),
        _ => {
            let those = "one of human, github, tap, junit=FILE, json=FILE";
            return Err(format!("{those}; without a file it is `-o junit`, `-o json`"));
        }
    };
    Ok(Reporter { form, file })
}

/// Which of the scenarios this machine tests, out of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    number: usize,
    of: usize,
}

fn part(text: &str) -> Result<Part, String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((number, of)) if number >= 1 && number <= of => Ok(Part { number, of }),
        _ => Err("a part is i/n with i from 1 to n, such as 2/3".to_owned()),
    }
}

/// Arguments of `taintsim test`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// Scenarios, folders to search for them (*.ron), or patterns of files; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only scenarios with this text in their path
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// In which form to print results on standard output; --reporter has several, and files
    #[arg(id = "output", long = "output", short = 'o', alias = "format")]
    #[arg(
        overrides_with = "output",
        value_enum,
        value_name = "FORMAT",
        conflicts_with = "reporters"
    )]
    output: Option<TestForm>,
    /// How to report: human, github, tap, junit=FILE, json=FILE; may be given several times
    #[arg(long = "reporter", value_name = "REPORTER", value_parser = reporter, default_value = "human")]
    reporters: Vec<Reporter>,
    /// Write the golden timelines that scenarios name, instead of comparing with them; that of
    /// another release is left as it is
    #[arg(long)]
    update: bool,
    /// Stop at the first scenario that fails
    #[arg(long)]
    fail_fast: bool,
    /// Test only the i-th of n parts, for several machines: i/n
    #[arg(long, value_name = "I/N", value_parser = part)]
    partition: Option<Part>,
    /// Also change each setting that a scenario says it guards, and fail where no expectation
    /// breaks
    #[arg(long)]
    guards: bool,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the scenarios; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    html: HtmlArg,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// What was tested, and the golden timeline to write, if there is one.
type WithGolden = (Tested, Option<Golden>);

/// Runs the command.
pub(crate) fn test(args: &TestArgs, terminal: &Terminal) -> Outcome {
    if args.output == Some(TestForm::Parquet) {
        can_print(tables::Form::Parquet, None)?;
    }
    args.html.fits()?;
    may_report(args)?;
    let selected = selected(args)?;
    let files = &selected.files;
    if files.is_empty() {
        let left = (args.filter.is_some() || args.partition.is_some())
            .then(|| "--filter and --partition leave none".to_owned());
        let help = left.or_else(|| selected.help());
        terminal.error("there is no scenario (*.ron) to test", help.as_deref());
        return Ok(Exit::Nothing);
    }
    let mut results = tested(files, args, terminal)?;
    if args.fail_fast {
        // Others may have been run beside the first one that failed; how many depends on the
        // machine.
        let first =
            results.iter().position(|(t, _)| t.status() != Status::Passed).unwrap_or(results.len());
        let rest = results.split_off((first + 1).min(results.len()));
        results.extend(rest.into_iter().map(|(t, _)| (t.not_run(), None)));
    }
    let (mut all, golden): (Vec<Tested>, Vec<Option<Golden>>) = results.into_iter().unzip();
    let are_written = golden::write(files, &mut all, golden, terminal)?;
    match args.output {
        Some(form) => tell(&Reporter { form, file: None }, &all, terminal)?,
        None => args.reporters.iter().try_for_each(|reporter| tell(reporter, &all, terminal))?,
    }
    args.html.write(|| {
        let mut text = Vec::new();
        trials::details(&mut text, &all, Style::default())?;
        writeln!(text, "{}", trials::tally(&all))?;
        let (named, runs) = failed(files, &all, args)?;
        Ok(Page::of_board(&trials::board(&all, named), text, runs))
    })?;
    Ok(if are_written { exit(&all) } else { Exit::Internal })
}

/// Refuses files for reports that are something else, or several reports' place.
fn may_report(args: &TestArgs) -> Result<()> {
    let mut places = BTreeSet::new();
    let files = args.reporters.iter().filter_map(|r| r.file.as_deref());
    for path in files.chain(args.html.html.as_deref()) {
        let text = format!("{} is named for two reports", path.display());
        refuse_if(!places.insert(file::place(path)), text, "name another file for one of them")?;
    }
    for Reporter { form, file } in &args.reporters {
        if let Some(path) = file {
            let mark = match form {
                TestForm::Junit => "<testsuites name=\"taintsim\"",
                _ => "{\n  \"version\": 1,\n  \"passed\"",
            };
            replaces_only_reports(path, |text| text.contains(mark))?;
        }
    }
    Ok(())
}

/// A run of each of the first scenarios that failed, with the first seed that shows it: by scenario its
/// name in the page, and the runs.
type Shown = (Vec<Option<String>>, Vec<(String, Vec<u8>)>);

/// The runs of scenarios that failed, for the page.
fn failed(files: &[PathBuf], all: &[Tested], args: &TestArgs) -> Result<Shown> {
    let (mut named, mut runs) = (vec![None; all.len()], Vec::new());
    let seed = |t: &Tested| {
        t.cases.iter().find_map(|c| match &c.came {
            Came::Failed(failed) => Some(failed.seed),
            _ => None,
        })
    };
    let failed = (0..).zip(files.iter().zip(all));
    let failed = failed.filter_map(|(i, (file, t))| Some((i, file, seed(t)?)));
    for (i, file, seed) in failed.take(RUNS_MAX) {
        let overrides = args.change.overrides(args.sets.clone());
        let overrides = if let Some(seed) = seed { overrides.with_seed(seed) } else { overrides };
        let name = format!("run-{i}");
        let loaded = load(file)?;
        let columns = run_for_page(&loaded, overrides, DEFAULT_NEEDLESS_WINDOW)?;
        named[i] = Some(name.clone());
        runs.push((name, columns));
    }
    Ok((named, runs))
}

/// The scenarios that are left by --filter and --partition.
fn selected(args: &TestArgs) -> Result<Scenarios> {
    let mut all = scenarios(&args.paths)?;
    all.files.retain(|f| {
        args.filter.as_ref().is_none_or(|text| f.to_string_lossy().contains(text.as_str()))
    });
    if let Some(Part { number, of }) = args.partition {
        all.files = all.files.into_iter().skip(number - 1).step_by(of).collect();
    }
    Ok(all)
}

/// Tests scenarios, several at once.
fn tested(files: &[PathBuf], args: &TestArgs, terminal: &Terminal) -> Result<Vec<WithGolden>> {
    let threads = threads(args.jobs)?;
    let terminal = &terminal.quietly(args.quiet);
    let progress = Progress::new(terminal, "test", files.len() as u64, |done, all| {
        format!("{} of {} scenarios", grouped(done), grouped(all))
    });
    let ids = scenarios::ids(files, &args.paths);
    // The place of the first one that failed, of those that were run so far.
    let (done, failed) = (AtomicU64::new(0), AtomicUsize::new(usize::MAX));
    let one = |(i, file): (usize, &PathBuf)| {
        let skipped = args.fail_fast && failed.load(Relaxed) < i;
        let result = one(file, &ids[i], skipped, args)?;
        if result.0.status() != Status::Passed {
            failed.fetch_min(i, Relaxed);
        }
        progress.set(done.fetch_add(1, Relaxed) + 1);
        Some(result)
    };
    let all = || files.par_iter().enumerate().map(one).collect::<Option<Vec<_>>>();
    let results = progress.during(|| threads.install(all));
    let (done, all) = (done.load(Relaxed), files.len());
    let after = || Failure::Interrupted(format!("interrupted after {done} of {all} scenarios"));
    results.ok_or_else(after)
}

fn exit(all: &[Tested]) -> Exit {
    let exits = [
        (Status::Wrong, Exit::Input),
        (Status::Failed, Exit::Differs),
        (Status::NoExpectations, Exit::Nothing),
    ];
    let worst = exits.into_iter().find(|(of, _)| all.iter().any(|t| t.status() == *of));
    worst.map_or(Exit::Fine, |(_, exit)| exit)
}

/// Tests a scenario, or only reads it where it is `skipped`; none if it was interrupted.
fn one(file: &Path, id: &str, skipped: bool, args: &TestArgs) -> Option<(Tested, Option<Golden>)> {
    let begun = Instant::now();
    let line = |text: &str| files::line(text).into_owned();
    let cases = vec![Case { name: SCENARIO.to_owned(), came: Came::Met }];
    let mut tested = Tested {
        name: line(&file.file_stem().unwrap_or_default().to_string_lossy()),
        ..Tested::only(line(&shown(file)), id.to_owned(), cases)
    };
    let held = load(file).and_then(|loaded| {
        let trial = Trial::new(&loaded, args.change.overrides(args.sets.clone()))?;
        let held = unless_endless(|| held(&trial, skipped, args, &mut tested));
        held.map_err(|given_up| Problems::one(given_up.about(&tested.file)))
    });
    let golden = match held {
        Ok(held) => held?,
        Err(problems) => {
            tested.cases.truncate(1);
            tested.cases[0].came = Came::Wrong(problems);
            None
        }
    };
    tested.took = begun.elapsed();
    Some((tested, golden))
}

/// Holds a scenario against what it expects; none if it was interrupted.
fn held(
    trial: &Trial<'_>,
    skipped: bool,
    args: &TestArgs,
    tested: &mut Tested,
) -> Option<Option<Golden>> {
    let expectations = trial.expectations();
    tested.expectations = expectations.list.len() + usize::from(expectations.golden.is_some());
    tested.warnings = trial.notes.clone();
    if tested.expectations == 0 {
        tested.cases[0].came = Came::Nothing;
        return Some(None);
    }
    let goes_on = || !interrupt::asked();
    let timeline = |analysis: &Analysis<'_>, seed: u64| {
        expectations.golden.is_some().then(|| trials::golden(analysis, seed))
    };
    let (outcome, text) =
        if skipped { (trial.untried(), None) } else { trial.run(&goes_on, &timeline)? };
    tested.runs = outcome.runs;
    let is_never = |e: &Expectation| matches!(e.what, Expected::Property { wanted: false, .. });
    tested.in_usual_order = outcome.runs > 1 && expectations.list.iter().any(is_never);
    tested.warnings.extend(outcome.warnings.iter().cloned());
    tested.cases.extend(trials::cases(trial, &outcome));
    let mut written = None;
    if expectations.golden.is_some() {
        let (case, golden) = golden::case(trial, text.flatten(), args.update);
        tested.cases.push(case);
        written = golden;
    }
    if args.guards {
        tested.cases.extend(guards(trial, &outcome, skipped, &goes_on)?);
    }
    Some(written)
}

/// Whether each guard of a scenario guards something; none if it was interrupted.
fn guards(
    trial: &Trial<'_>,
    outcome: &Tried,
    skipped: bool,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Case>> {
    let one = |(guard, bytes): &(String, std::ops::Range<usize>)| {
        let placed = |problem: Problem| problem.at(&trial.loaded.source, bytes.clone());
        let came = match if skipped {
            Ok(Some(true))
        } else {
            trial.is_guarded(guard, outcome, goes_on)
        } {
            Ok(None) => return None,
            Ok(Some(true)) => Came::Met,
            Ok(Some(false)) => {
                let problem = Problem::new(format!(
                    "with {guard} every expectation that is met without it is met, too"
                ));
                let help = "guard it by an expectation that depends on it, or leave the guard out";
                Came::Failed(Failed::other("guards", placed(problem).help(help), Vec::new()))
            }
            Err(problems) => Came::Wrong(Problems(problems.0.into_iter().map(placed).collect())),
        };
        Some(Case { name: format!("guards: {guard}"), came })
    };
    trial.expectations().guards.iter().map(one).collect()
}

fn tell(reporter: &Reporter, all: &[Tested], terminal: &Terminal) -> Result<()> {
    let Reporter { form, file } = reporter;
    let binary = (*form == TestForm::Parquet).then_some(tables::Form::Parquet);
    let mut out = terminal.out_as(binary);
    match form {
        TestForm::Text => {
            let style = terminal.style();
            all.iter().try_for_each(|t| trials::line(&mut out, t, style))?;
            trials::details(&mut out, all, style)?;
            writeln!(out)?;
            writeln!(out, "{}", trials::tally(all))?;
        }
        TestForm::Csv | TestForm::Parquet => {
            let form = binary.unwrap_or(tables::Form::Csv);
            tables::write(&mut out, &trials::table(all), form, &[])?
        }
        TestForm::Tap => trials::tap(&mut out, all)?,
        TestForm::Github => {
            trials::annotations(&mut out, all)?;
            writeln!(out, "{}", trials::tally(all))?;
            if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
                let path = PathBuf::from(path);
                let mut text = Vec::new();
                trials::step_summary(&mut Escaped::new(&mut text, Form::Plain), all)?;
                // The file is the step's, and other programs have written to it before.
                files::append(&path, &text).map_err(|e| Failure::write(&path, &e))?;
            }
        }
        TestForm::Junit => {
            let xml = trials::junit(all)?;
            match file {
                Some(path) => write_whole(path, files::shown(&xml).as_bytes())?,
                None => out.write_all(xml.as_bytes())?,
            }
        }
        TestForm::Json => {
            let mut text = Vec::new();
            json::write(&mut text, &trials::document(all))?;
            match file {
                Some(path) => write_whole(path, &text)?,
                None => out.write_all(&text)?,
            }
        }
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/ci.md: 1 where an expectation is not met, whatever else is tested beside it; 4 where a scenario
    /// expects nothing and no other one says more.
    #[test]
    fn what_expects_nothing_hides_no_failure() {
        let of = |came| {
            let case = Case { name: SCENARIO.to_owned(), came };
            Tested::only(String::new(), String::new(), vec![case])
        };
        let failed = Came::Failed(Failed::other("Evicted", Problem::new("none"), Vec::new()));
        let wrong = Came::Wrong(Problems(Vec::new()));
        let all = [of(Came::Met), of(Came::Nothing), of(failed), of(wrong)];
        let exits = [1, 2, 3, 4].map(|n| exit(&all[..n]));
        assert!(exits == [Exit::Fine, Exit::Nothing, Exit::Differs, Exit::Input]);
    }
}
