//! `taintsim diff`: what sets two runs apart.

use super::args::{ChangeArgs, duration};
use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::finished;
use super::run::Format;
use super::terminal::Terminal;
use crate::analysis::{Analysis, diff, workloads};
use crate::kernel::Dur;
use crate::report::diff::{Side, document, write};
use crate::report::{Style, json};
use crate::scenario::Problem;
use std::io::Write;
use std::path::PathBuf;

/// So many groups are told one by one before like ones are told together.
const GROUPS: usize = 40;

/// Arguments of `taintsim diff`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DiffArgs {
    /// The first run, A: a scenario, or the folder of a finished run
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second run, B; without it, the same scenario with what the options --against… change
    #[arg(value_name = "B")]
    b: Option<PathBuf>,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in both runs; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// The Kubernetes release of the second run
    #[arg(long, value_name = "RELEASE")]
    against: Option<String>,
    /// The seed of the second run
    #[arg(long, value_name = "SEED")]
    against_seed: Option<u64>,
    /// The timing of the second run
    #[arg(long, value_name = "TIMING")]
    against_timing: Option<String>,
    /// Another value for something in the second run alone; may be given several times
    #[arg(long = "against-set", value_name = "PATH=VALUE")]
    against_sets: Vec<String>,
    /// Times that differ by no more than this are the same
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1ms")]
    tolerance: Dur,
    /// How to print the difference on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn diff(args: &DiffArgs, terminal: &Terminal) -> Outcome {
    let second = args.b.as_ref().unwrap_or(&args.a);
    let (change, sets) = (args.change.with(&args.against, args.against_seed, &args.against_timing), {
        let mut sets = args.sets.clone();
        sets.extend(args.against_sets.iter().cloned());
        sets
    });
    if args.b.is_none() && change.overrides(sets.clone()) == args.change.overrides(args.sets.clone()) {
        let problem = Problem::new("nothing sets the second run apart from the first");
        let help = "give another file or folder, or --against RELEASE, --against-set PATH=VALUE, --against-seed or --against-timing";
        return Err(Failure::Input(problem.help(help)));
    }
    let a = finished::open(&args.a, &args.change, &args.sets, args.quiet, terminal)?;
    let b = finished::open(second, &change, &sets, args.quiet, terminal)?;
    let (run_a, run_b) = (Analysis::new(&a.ready.plan, &a.trace), Analysis::new(&b.ready.plan, &b.trace));
    let (fate_a, fate_b) = (workloads::workloads(&run_a), workloads::workloads(&run_b));
    let found = diff::compare([(&run_a, &fate_a), (&run_b, &fate_b)], args.tolerance, GROUPS);
    let sides = [Side { analysis: &run_a, source: &a.ready.source }, Side { analysis: &run_b, source: &b.ready.source }];
    let mut out = terminal.out();
    match args.format {
        Format::Text => write(&mut out, sides, &found, Style { colour: terminal.colour, width: terminal.width })?,
        Format::Json => json::write(&mut out, &document(sides, &found))?,
    }
    out.flush()?;
    Ok(if found.is_empty() { Exit::Fine } else { Exit::Differs })
}
