//! `taintsim odds`: how often a scenario violates a property.

use super::prelude::*;
use super::replay::{load, told, untaped};
use super::run::tell_imported;
use super::shrink::{asked, property};
use crate::lab::explore::{Found, Often, Wanted, often};
use crate::lab::not_violable;
use crate::report::odds::{Asked, document, write};

/// Arguments of `taintsim odds`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OddsArgs {
    /// The scenario, or a tape that `explore` wrote, which is a way to what it violates; `-` is a
    /// scenario on standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What is violated, such as `pod-stuck` or `pod-stuck(10s)`, or `expect`, which is what the
    /// scenario expects [default: the property of the tape]
    #[arg(long = "of", value_name = "PROPERTY", value_parser = property)]
    property: Option<Property>,
    /// How many runs are drawn as they come and, where few of them violate it, along ways that lead
    /// there
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    runs: u64,
    /// The most runs of a search for such ways, where no run violates it as it comes
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    search: u64,
    /// The most deviations from the default order on a way that is searched for
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=64))]
    depth: u32,
    /// The longest time, by the clock on the wall; what is known by then is told
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Dur>,
    /// How many runs at once; it does not change the result [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Changes a setting of the scenario
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    change: ChangeArgs,
    #[command(flatten)]
    output: OutputArg<Format>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn odds(args: &OddsArgs, terminal: &Terminal) -> Outcome {
    let (clock, terminal) = (Stopwatch::start(), &terminal.quietly(args.quiet));
    let (loaded, taped, source) = load(&args.file)?;
    tell_imported(&loaded.imported, terminal);
    let overrides = args.change.over(taped, &args.sets);
    let plan = scenario::build(&loaded, &overrides)?;
    let expected = scenario::expecting(&loaded, &overrides)?.1.list;
    let which = ("of what? No property is given", "--of");
    let asked = asked(args.property, loaded.spec.tape.as_ref(), which)?;
    let is_vain = asked == Property::Expect && expected.is_empty();
    let text = format!("{} expects nothing", shown(&args.file));
    refuse_if(is_vain, text, "add `expect: [Never(PodStuck)]` or the like")?;
    let names = plan.perturb.names().join(", ");
    let text = format!(
        "the tape leaves trouble to the choices ({names}), and how often that comes nobody knows"
    );
    let help = "put the trouble into the timeline, and ask how often it does harm";
    refuse_if(!names.is_empty(), text, help)?;
    let spec = scenario::changed(&loaded, &overrides)?;
    let impossible = not_violable(&plan, Some(&spec), &asked);
    let seed = scenario::seed(&loaded, &overrides)?;
    let make = || untaped(&loaded, &overrides);
    let properties = [asked];
    let (depth, runs) = (args.depth, args.search);
    let drawing = Explore::drawing(&make, &properties, &expected, seed);
    let search = Explore { depth, runs, ..drawing };
    let (about, whose) = (String::new(), String::new());
    let doc = Some(&loaded.spec.doc).filter(|doc| !doc.is_empty()).cloned();
    let as_taped = || format!("as the tape in {} has it", shown(&args.file));
    let text = told(&source).or(doc).unwrap_or_else(as_taped);
    let found = Found { property: asked, about, whose, text };
    let known = plan.tape.as_ref().map(|tape| found.violated(tape.clone()));
    let pool = threads(args.jobs)?;
    let progress =
        Progress::new(terminal, &loaded.name, 0, |done, _| format!("{} runs", grouped(done)));
    let wanted = Wanted { search: &search, runs: args.runs, known: known.into_iter().collect() };
    let end = args.time.map_or(f64::INFINITY, |time| time.as_nanos() as f64 / 1e9);
    let goes_on = |ran: u64| progress.reaches(ran) && clock.seconds() < end;
    let found = match impossible {
        None => progress.during(|| often(&wanted, &pool, &goes_on)),
        Some(_) => Often::default(),
    };
    let asked = Asked { plan: &make(), property: asked, seed, impossible };
    print_text(terminal, |out| match args.output.form {
        Format::Json => json::write(out, &document(&asked, &found)),
        Format::Text => write(&mut Printer::new(out, terminal.style()), &asked, &found),
    })?;
    let is_interrupted = found.stopped.is_some() && interrupt::asked();
    interrupted_if(is_interrupted, "interrupted; this is what was found so far")?;
    Ok(Exit::Fine)
}
