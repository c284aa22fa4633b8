//! Fuzzing that stays: every reader of taintsim, and runs, on stable Rust. See README.md beside
//! this package's manifest.
//!
//! * [`target`]: what a target is.
//! * [`mutate`]: new inputs from old ones.
//! * [`engine`]: the loop, its bounds, and what becomes of an input that fails.
//! * [`small`], [`inside`], [`files`], [`folders`], [`commands`], [`questions`], [`runs`]: the targets, a file for each family.

mod commands;
mod engine;
mod files;
mod folders;
mod inside;
mod mutate;
mod questions;
mod runs;
mod small;
mod target;

use clap::Parser;
use engine::{Place, Until, Watch};
use peak_alloc::PeakAlloc;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use target::{Kind, Target};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Fuzzes the readers of taintsim, and its runs.
#[derive(Parser, Debug)]
struct Args {
    /// A target, any number of times; `--list` names them
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Every target
    #[arg(long)]
    all: bool,
    /// Every target of small texts
    #[arg(long)]
    small: bool,
    /// Every target of whole files
    #[arg(long)]
    files: bool,
    /// Names the targets, and how many inputs a long run gives each
    #[arg(long)]
    list: bool,
    /// How many inputs each target gets
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// How many inputs a long run gives each: 10^8 small texts, 10^7 files, and runs
    #[arg(long)]
    long: bool,
    /// How long all of it takes, shared evenly: 30s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Other inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One input from a file, for one target
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The longest that one input may take, whatever else the machine does
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = time)]
    longest: Duration,
    /// Where failing inputs are written
    #[arg(long, value_name = "FOLDER", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/failures"))]
    failures: PathBuf,
}

fn time(text: &str) -> Result<Duration, String> {
    taintsim::language::duration::parse(text)
        .map(|d| Duration::from_nanos(d.as_nanos()))
        .map_err(|e| e.to_string())
}

fn targets() -> impl Iterator<Item = &'static Target> {
    small::TARGETS
        .iter()
        .chain(&inside::TARGETS)
        .chain(&files::TARGETS)
        .chain(&folders::TARGETS)
        .chain(&commands::TARGETS)
        .chain(&questions::TARGETS)
        .chain(&runs::TARGETS)
}

fn chosen(args: &Args) -> Result<Vec<&'static Target>, String> {
    if let Some(unknown) = args.target.iter().find(|name| !targets().any(|t| t.name == **name)) {
        return Err(format!("there is no target {unknown:?}; --list names them"));
    }
    let is_chosen = |t: &&Target| {
        let kind = args.small && matches!(t.kind, Kind::Small | Kind::Inside)
            || args.files && t.kind == Kind::File;
        args.all || kind || args.target.iter().any(|name| t.name == name)
    };
    let chosen: Vec<_> = targets().filter(is_chosen).collect();
    if chosen.is_empty() {
        Err("name a --target, or take --small, --files or --all".to_owned())
    } else {
        Ok(chosen)
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.list {
        targets()
            .for_each(|t| println!("{:<16} {:?}, {} inputs in a long run", t.name, t.kind, t.long));
        return ExitCode::SUCCESS;
    }
    let chosen = match chosen(&args) {
        Ok(chosen) => chosen,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    engine::keep_panics();
    let watch = Watch::start(&args.failures, args.longest);
    if let Some(file) = &args.input {
        return replay(&chosen, file, &watch);
    }
    let share = args.time.map_or(Duration::MAX, |all| all / chosen.len() as u32);
    let (mut inputs, mut failed) = (0, 0);
    println!(
        "{:<16} {:>12} {:>7} {:>8} {:>10} {:>6} {:>10} {:>9}",
        "target", "inputs", "taken", "s", "per s", "ways", "slowest", "peak MiB"
    );
    for target in &chosen {
        // Without a bound of its own, a target gets a moment's worth.
        let few = if args.time.is_some() { u64::MAX } else { 10_000 };
        let until = Until {
            runs: args.runs.unwrap_or(if args.long { target.long } else { few }),
            time: share,
        };
        let report =
            engine::run(target, args.seed, until, &watch, &Place { folder: &args.failures });
        let seconds = report.took.as_secs_f64();
        println!(
            "{:<16} {:>12} {:>6.2}% {:>8.1} {:>10.0} {:>6} {:>8.1}ms {:>9.1}",
            target.name,
            report.inputs,
            100.0 * report.taken as f64 / report.inputs.max(1) as f64,
            seconds,
            report.inputs as f64 / seconds.max(1e-9),
            report.ways,
            report.slowest.as_secs_f64() * 1e3,
            report.peak_mib
        );
        for failure in &report.failures {
            println!(
                "  FAILED: {}\n  again: --target {} --input {}",
                failure.what,
                target.name,
                failure.file.display()
            );
        }
        inputs += report.inputs;
        failed += report.failures.len();
    }
    println!(
        "{inputs} inputs, {} targets, seed {}: {failed} ways to fail",
        chosen.len(),
        args.seed
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One input again, for each chosen target.
fn replay(chosen: &[&'static Target], file: &PathBuf, watch: &Watch) -> ExitCode {
    let input = match std::fs::read(file) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("cannot read {}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    let mut code = ExitCode::SUCCESS;
    for target in chosen {
        match engine::one(target, &input, watch) {
            Ok(way) => println!(
                "{}: {}, as it should be",
                target.name,
                if way.taken { "taken" } else { "refused" }
            ),
            Err(what) => {
                println!("{}: {what}", target.name);
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
