//! `taintsim sweep`: a scenario with several values of a setting, each over the same seeds, in parallel; one table.

use super::args::{ChangeArgs, duration};
use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::interrupt;
use super::progress::Progress;
use super::run::{folder_failure, load, tell_imported, writable};
use super::terminal::Terminal;
use crate::analysis::grouped;
use crate::kernel::Dur;
use crate::lab::sweep::Event;
use crate::lab::{Axis, Stopped, Sweep};
use crate::report::sweep::{Heading, Row, write_csv, write_folder, write_table};
use crate::report::{Style, Written};
use crate::scenario::{self, Loaded, Problem, Problems, split_values};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How the table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// As the file sweep.csv
    Csv,
}

/// Arguments of `taintsim sweep`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SweepArgs {
    /// The scenario; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A setting and the values to try, such as `pods.web.tolerations[unreachable].tolerationSeconds=60,120,300`; of several
    /// such settings every combination is tried. One value alone holds for all
    #[arg(long = "set", value_name = "PATH=V1,V2,…")]
    sets: Vec<String>,
    /// How many seeds to run with each value: --seed and those after it, the same for every value
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder for results; those of FILE are in the folder NAME-sweep in it, which is replaced as a whole
    #[arg(long, value_name = "DIR", default_value = "output")]
    out: PathBuf,
    #[command(flatten)]
    change: ChangeArgs,
    /// An eviction was needless if its node was back within this time, a duration such as 90s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    needless_within: Dur,
    /// How to print the table on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Show no progress, nor what was taken from an export that the scenario points at and what was left out
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn sweep(args: &SweepArgs, terminal: &Terminal) -> Outcome {
    let loaded = load(&args.file)?;
    let (axes, fixed) = axes(args)?;
    let base = args.change.overrides(fixed.clone());
    let sweep = Sweep { loaded: &loaded, base, axes, seeds: args.seeds, window: args.needless_within };
    let jobs = args.jobs.map(usize::from).or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
    let prepared = sweep.prepare(jobs).map_err(|stopped| failure(stopped, String::new))?;
    let name = format!("{}-sweep", loaded.name);
    writable(&args.out, &name)?;
    tell_imported(&loaded.imported, args.quiet, terminal);

    let progress = Progress::new(terminal, args.quiet, &loaded.name, sweep.size().unwrap_or(u64::MAX), |done, all| {
        format!("{} of {} runs", grouped(done), grouped(all))
    });
    let done = AtomicU64::new(0);
    let watch = |event| {
        let done = if event == Event::Done { done.fetch_add(1, Relaxed) + 1 } else { done.load(Relaxed) };
        progress.set(done);
        !interrupt::asked()
    };
    let interrupted = |what: String| {
        progress.clear();
        format!("interrupted{what}; nothing was written to {}", args.out.join(&name).display())
    };
    let after = || interrupted(format!(" after {} of {} runs", done.load(Relaxed), sweep.size().unwrap_or(0)));
    let cases = interrupt::heeding(|| prepared.run(&watch)).map_err(|stopped| failure(stopped, after))?;
    progress.then("writing results");
    let rows: Vec<Row> = cases.iter().map(Row::new).collect();
    let first_seed = cases.first().and_then(|c| c.runs.first()).map_or(0, |r| r.seed);
    let heading = heading(&sweep, &loaded, args, name.clone(), first_seed)?;
    let written: Result<Written, _> = interrupt::heeding(|| {
        let written = write_folder(&heading, &cases, &rows, &args.out, interrupt::unfinished);
        interrupt::finished();
        written
    });
    let written = written
        .map_err(|error| if interrupt::asked() { Failure::Interrupted(interrupted(String::new())) } else { folder_failure(&error) })?;
    progress.clear();

    let mut out = terminal.out();
    match args.format {
        Format::Text => write_table(&mut out, &heading, &rows, Some(&written), Style { colour: terminal.colour, width: terminal.width })?,
        Format::Csv => write_csv(&mut out, &heading, &rows)?,
    }
    out.flush()?;
    Ok(Exit::Fine)
}

fn failure(stopped: Stopped, interrupted: impl FnOnce() -> String) -> Failure {
    match stopped {
        Stopped::Problems(problems) => Failure::Problems(problems),
        Stopped::Threads(error) => Failure::Io(format!("cannot start threads: {error}")),
        Stopped::Asked => Failure::Interrupted(interrupted()),
    }
}

/// The settings with several values, and the others as `PATH=VALUE`.
fn axes(args: &SweepArgs) -> Result<(Vec<Axis>, Vec<String>), Failure> {
    let (mut axes, mut fixed): (Vec<Axis>, Vec<String>) = (Vec::new(), Vec::new());
    let mut problems = Vec::new();
    for text in &args.sets {
        match split_values(text) {
            Err(problem) => problems.push(problem),
            Ok((path, _)) if axes.iter().any(|a| a.path == path) => {
                problems.push(Problem::new(format!("`{path}` has values twice")).help("give all of them at once: PATH=60,120,300"));
            }
            Ok((path, values)) if values.len() > 1 => axes.push(Axis { path, values }),
            Ok(_) => fixed.push(text.clone()),
        }
    }
    if problems.is_empty() { Ok((axes, fixed)) } else { Err(Failure::Problems(Problems(problems))) }
}

fn heading(sweep: &Sweep<'_>, loaded: &Loaded, args: &SweepArgs, name: String, first_seed: u64) -> Result<Heading, Problems> {
    // The plan of the first row, for what it says of release and timing.
    let mut overrides = sweep.base.clone();
    overrides.sets.extend(sweep.axes.iter().filter_map(|a| a.values.first().map(|value| format!("{}={value}", a.path))));
    let plan = scenario::build(loaded, &overrides)?;
    let fixed = sweep.base.as_sets();
    Ok(Heading {
        name,
        scenario: plan.name.clone(),
        doc: plan.doc.clone(),
        line: Heading::describe(&plan, &sweep.axes, first_seed, args.seeds),
        unchecked: !plan.profile.recorded,
        axes: sweep.axes.clone(),
        fixed,
        file: args.file.display().to_string(),
        fingerprint: loaded.fingerprint(),
        seeds: args.seeds,
        window: args.needless_within,
    })
}
