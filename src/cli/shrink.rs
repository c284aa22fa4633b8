//! `taintsim shrink`: takes away from a scenario what the violation of a property does not need.
//!
//! stdout has the scenario, or the file of `--out`; stderr says how much went.

use super::prelude::*;
use super::replay::{load, told};
use super::run::tell_imported;
use crate::lab::shrink::{Failed, Goal, Shrink, Shrunk, Size, shrink};
use crate::language::Tape;

/// Arguments of `taintsim shrink`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShrinkArgs {
    /// A scenario, with a tape in it or without, or a tape that `explore` wrote; `-` is a scenario
    /// on standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What it violates, such as `pod-stuck` or `pod-stuck(10s)` [default: the property of the
    /// tape]
    #[arg(long, short, value_name = "PROPERTY", value_parser = property)]
    property: Option<Property>,
    /// A setting to change first, such as `pods.web.count=3`
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    change: ChangeArgs,
    #[command(flatten)]
    out: ScenarioOut,
    /// Show no progress, nor how much went
    #[arg(long, short)]
    quiet: bool,
}

/// Reads a property of the command line.
pub(super) fn property(text: &str) -> Result<Property, String> {
    match Property::parse(text) {
        Ok(Property::Deterministic) => {
            Err("it takes two runs to violate that, and they have one scenario".to_owned())
        }
        found => found.map_err(|error| error.to_string()),
    }
}

/// The property that is given, or that of the tape; without one a question, and the option that
/// answers it.
pub(super) fn asked(
    given: Option<Property>,
    tape: Option<&Tape>,
    (question, option): (&str, &str),
) -> Result<Property, Failure> {
    match (given, tape.and_then(|t| t.property.as_deref())) {
        (Some(given), _) => Ok(given),
        (None, Some(text)) => Ok(property(text).map_err(Problem::new)?),
        (None, None) => {
            let help = format!("{option} with one of {}", Property::NAMES.join(", "));
            Err(Failure::input(question, help))
        }
    }
}

/// Runs the command.
pub(crate) fn shrink_command(args: &ShrinkArgs, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    args.out.only_scenarios()?;
    let to_file = args.out.file(std::slice::from_ref(&args.file))?;
    let (loaded, taped, source) = load(&args.file)?;
    tell_imported(&loaded.imported, terminal);
    let overrides = args.change.over(taped, &args.sets);
    let spec = scenario::changed(&loaded, &overrides)?;
    let progress = Progress::new(terminal, &loaded.name, 0, |done, _| {
        format!("{} scenarios tried", grouped(done))
    });
    let which = ("which property does it violate?", "--property");
    let property = asked(args.property, spec.tape.as_ref(), which)?;
    let is_seeded = spec.tape.is_none();
    let (goal, meant) = (Goal::Violates(property), told(&source));
    let what = Shrink { loaded: &loaded, spec, goal, told: meant.as_deref() };
    let shrunk = progress.during(|| shrink(what, &mut |tried, _| progress.reaches(tried)));
    let shrunk = shrunk.map_err(|failed| failure(failed, args, property))?;
    interrupt::heeding(|| write_text(to_file, &shrunk.text, terminal))?;
    // Without a tape chance is the seed's.
    let of_seed =
        is_seeded.then_some("Another seed may not violate it, as it has no tape.".to_owned());
    terminal.aside([how_much(&shrunk, to_file)].into_iter().chain(of_seed));
    interrupted_if(!shrunk.is_least, "interrupted; this is the smallest so far")?;
    Ok(Exit::Fine)
}

fn failure(failed: Failed, args: &ShrinkArgs, property: Property) -> Failure {
    match failed {
        Failed::Problems(problems) => Failure::Problems(problems),
        Failed::Holds => Failure::input(
            format!("{} does not violate {property}", shown(&args.file)),
            "shrinking begins with a run that violates: name another property, release or seed, or search for an order with `taintsim explore`",
        ),
    }
}

/// How much went.
fn how_much(shrunk: &Shrunk, to_file: Option<&Path>) -> String {
    let size = |s: Size| {
        let count = |n: usize, noun: &str| (n > 0).then(|| counted(n, noun));
        let parts = [
            count(s.nodes, "node"),
            count(s.workloads, "workload"),
            count(s.pods, "pod"),
            count(s.entries, "entry"),
            count(s.deviations, "deviation"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let [before, after] = shrunk.sizes.map(size);
    let wrote = to_file.map_or(String::new(), |out| format!("Wrote {}: ", out.display()));
    let tried = counted(shrunk.tried, "scenario");
    format!("{wrote}{}. From {before} to {after}; {tried} tried.", shrunk.violation)
}
