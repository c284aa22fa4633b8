//! `taintsim test`: runs scenarios and holds them against what they expect.

#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a CI system wants to know how long a test took")]

use super::args::ChangeArgs;
use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::file::write_whole;
use super::interrupt;
use super::progress::Progress;
use super::run::load;
use super::scenarios::scenarios;
use super::terminal::Terminal;
use crate::analysis::{Analysis, grouped};
use crate::files::{self, Escaped, Form};
use crate::lab::Trial;
use crate::report::Style;
use crate::report::trials::{self, Failed, Status, Tested};
use crate::scenario::{FILE_BYTES_MAX, Loaded, Problem, Problems};
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Who is told of the results.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reporter {
    Human,
    Github,
    Tap,
    Junit(PathBuf),
    Json(PathBuf),
}

fn reporter(text: &str) -> Result<Reporter, String> {
    match text.split_once('=') {
        None if text == "human" => Ok(Reporter::Human),
        None if text == "github" => Ok(Reporter::Github),
        None if text == "tap" => Ok(Reporter::Tap),
        Some(("junit", file)) if !file.is_empty() => Ok(Reporter::Junit(file.into())),
        Some(("json", file)) if !file.is_empty() => Ok(Reporter::Json(file.into())),
        _ => Err("one of human, github, tap, junit=FILE, json=FILE".to_owned()),
    }
}

/// The part of the scenarios that one of several machines tests.
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
    /// How to report: human, github, tap, junit=FILE, json=FILE; may be given several times
    #[arg(long = "reporter", value_name = "REPORTER", value_parser = reporter, default_value = "human")]
    reporters: Vec<Reporter>,
    /// Write the golden timelines that scenarios name, instead of comparing with them
    #[arg(long)]
    update: bool,
    /// Stop at the first scenario that fails
    #[arg(long)]
    fail_fast: bool,
    /// Test only the i-th of n parts, for several machines: i/n
    #[arg(long, value_name = "I/N", value_parser = part)]
    partition: Option<Part>,
    /// Also change each setting that a scenario says it guards, and fail where no expectation breaks
    #[arg(long)]
    guards: bool,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the scenarios; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// A golden timeline to write.
struct Golden {
    path: PathBuf,
    text: String,
}

/// Runs the command.
pub(crate) fn test(args: &TestArgs, terminal: &Terminal) -> Outcome {
    let mut files = match scenarios(&args.paths) {
        Ok(files) => files,
        // Whoever names what is not there tests nothing.
        Err(Failure::Input(problem)) => {
            terminal.error(&problem.message, problem.help.as_deref());
            return Ok(Exit::Nothing);
        }
        Err(other) => return Err(other),
    };
    files.retain(|f| args.filter.as_ref().is_none_or(|text| f.to_string_lossy().contains(text.as_str())));
    if let Some(Part { number, of }) = args.partition {
        files = files.into_iter().skip(number - 1).step_by(of).collect();
    }
    if files.is_empty() {
        let help = (args.filter.is_some() || args.partition.is_some()).then_some("--filter and --partition leave none");
        terminal.error("there is no scenario (*.ron) to test", help);
        return Ok(Exit::Nothing);
    }
    let jobs = args.jobs.map(usize::from).or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
    let threads =
        rayon::ThreadPoolBuilder::new().num_threads(jobs).build().map_err(|error| Failure::Io(format!("cannot start threads: {error}")))?;
    let progress = Progress::new(terminal, args.quiet, "test", files.len() as u64, |done, all| {
        format!("{} of {} scenarios", grouped(done), grouped(all))
    });
    let (done, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let one = |file: &PathBuf| {
        if args.fail_fast && failed.load(Relaxed) {
            return Some((tested(file, 0, 0, Status::NotRun, Duration::ZERO), None));
        }
        let result = one(file, args)?;
        if !matches!(result.0.status, Status::Passed) {
            failed.store(true, Relaxed);
        }
        progress.set(done.fetch_add(1, Relaxed) + 1);
        Some(result)
    };
    let results = interrupt::heeding(|| threads.install(|| files.par_iter().map(one).collect::<Option<Vec<_>>>()));
    progress.clear();
    let Some(results) = results else {
        return Err(Failure::Interrupted(format!("interrupted after {} of {} scenarios", done.load(Relaxed), files.len())));
    };
    let (all, golden): (Vec<Tested>, Vec<Option<Golden>>) = results.into_iter().unzip();
    for g in golden.iter().flatten() {
        write_whole(&g.path, g.text.as_bytes())?;
        terminal.note(&format!("wrote {}", g.path.display()));
    }
    for reporter in &args.reporters {
        tell(reporter, &all, terminal)?;
    }
    Ok(exit(&all))
}

fn exit(all: &[Tested]) -> Exit {
    let any = |of: fn(&Status) -> bool| all.iter().any(|t| of(&t.status));
    if any(|s| matches!(s, Status::Wrong(_))) {
        Exit::Input
    } else if any(|s| matches!(s, Status::NoExpectations)) {
        Exit::Nothing
    } else if any(|s| matches!(s, Status::Failed(_))) {
        Exit::Differs
    } else {
        Exit::Fine
    }
}

fn tested(file: &Path, expectations: usize, runs: usize, status: Status, took: Duration) -> Tested {
    let name = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    Tested {
        file: files::line(&file.display().to_string()).into_owned(),
        name: files::line(&name).into_owned(),
        expectations,
        runs,
        status,
        took,
    }
}

/// Tests a scenario; none if it was interrupted.
fn one(file: &Path, args: &TestArgs) -> Option<(Tested, Option<Golden>)> {
    let begun = Instant::now();
    let wrong = |problems| Some((tested(file, 0, 0, Status::Wrong(problems), begun.elapsed()), None));
    let loaded = match load(file) {
        Ok(loaded) => loaded,
        Err(problems) => return wrong(problems),
    };
    let trial = match Trial::new(&loaded, args.change.overrides(args.sets.clone())) {
        Ok(trial) => trial,
        Err(problems) => return wrong(problems),
    };
    let expectations = trial.expectations();
    let size = expectations.list.len() + usize::from(expectations.golden.is_some());
    if size == 0 {
        return Some((tested(file, 0, 0, Status::NoExpectations, begun.elapsed()), None));
    }
    let goes_on = || !interrupt::asked();
    let timeline = |analysis: &Analysis<'_>, seed: u64| expectations.golden.is_some().then(|| trials::golden(analysis, seed));
    let (outcome, text) = trial.run(&goes_on, &timeline)?;
    let mut more = Vec::new();
    let mut written = None;
    if let (Some((name, bytes)), Some(text)) = (&expectations.golden, text.flatten()) {
        let path = loaded.folder.join(name);
        if args.update {
            written = Some(Golden { path, text });
        } else {
            match compare(&path, &text) {
                Ok(None) => {}
                Ok(Some(lines)) => {
                    let problem = Problem::new(format!("the timeline is not that of {name}")).at(&loaded.source, bytes.clone());
                    let problem = problem.help("`taintsim test --update` writes it anew");
                    more.push(Failed { kind: "golden".to_owned(), problem, notes: lines });
                }
                Err(problem) => return wrong(Problems::one(problem.at(&loaded.source, bytes.clone()))),
            }
        }
    }
    if args.guards {
        match guards(&trial, &loaded, &goes_on)? {
            Ok(failed) => more.extend(failed),
            Err(problems) => return wrong(problems),
        }
    }
    let shown = file.display().to_string();
    let status = Status::of(&outcome, &shown, more);
    Some((tested(file, size, outcome.runs, status, begun.elapsed()), written))
}

/// Compares a run's timeline with the golden one.
fn compare(path: &Path, text: &str) -> Result<Option<Vec<String>>, Problem> {
    let help = "`taintsim test --update` writes it";
    let shown = path.display();
    match files::read(path, FILE_BYTES_MAX).and_then(files::text) {
        Ok(golden) => {
            trials::compare(&golden, text).map_err(|why| Problem::new(format!("{shown} is no golden timeline: {why}")).help(help))
        }
        Err(error) => Err(Problem::new(format!("cannot read the golden timeline {shown}: {error}")).help(help)),
    }
}

/// The guards of a scenario that guard nothing; none if it was interrupted.
fn guards(trial: &Trial<'_>, loaded: &Loaded, goes_on: &(dyn Fn() -> bool + Sync)) -> Option<Result<Vec<Failed>, Problems>> {
    let mut failed = Vec::new();
    for (guard, bytes) in &trial.expectations().guards {
        match trial.is_guarded(guard, goes_on) {
            Ok(None) => return None,
            Ok(Some(true)) => {}
            Ok(Some(false)) => {
                let problem = Problem::new(format!("with {guard} every expectation is still met")).at(&loaded.source, bytes.clone());
                failed.push(Failed { kind: "guards".to_owned(), problem, notes: Vec::new() });
            }
            Err(problems) => {
                let located = problems.0.into_iter().map(|p| p.at(&loaded.source, bytes.clone()));
                return Some(Err(Problems(located.collect())));
            }
        }
    }
    Some(Ok(failed))
}

fn tell(reporter: &Reporter, all: &[Tested], terminal: &Terminal) -> Result<(), Failure> {
    let mut out = terminal.out();
    match reporter {
        Reporter::Human => {
            let style = Style { colour: terminal.colour, width: terminal.width };
            for t in all {
                trials::line(&mut out, t, style)?;
            }
            trials::details(&mut out, all, style)?;
            writeln!(out)?;
            trials::summary(&mut out, all)?;
        }
        Reporter::Tap => trials::tap(&mut out, all)?,
        Reporter::Github => {
            trials::annotations(&mut out, all)?;
            trials::summary(&mut out, all)?;
            if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
                let path = PathBuf::from(path);
                let mut text = Vec::new();
                trials::step_summary(&mut Escaped::new(&mut text, Form::Plain), all)?;
                // The file is the step's, and other programs have written to it before.
                files::append(&path, &text).map_err(|e| Failure::write(&path, &e))?;
            }
        }
        Reporter::Junit(path) => {
            let xml = trials::junit(all).map_err(|e| Failure::Io(format!("cannot write {}: {e}", path.display())))?;
            write_whole(path, files::shown(&xml).as_bytes())?;
        }
        Reporter::Json(path) => {
            let mut text = Vec::new();
            crate::report::json::write(&mut text, &trials::document(all))?;
            write_whole(path, &text)?;
        }
    }
    out.flush()?;
    Ok(())
}
