//! `taintsim diff`: what sets two runs apart, or two sides over many seeds.

use super::finished;
use super::html::{HtmlArg, columns, page, run_for_page};
use super::prelude::*;
use super::run::{Ready, load, ready, tell_imported};
use crate::analysis::diff::{self, OverSeeds, Settings};
use crate::lab::Pairs;
use crate::report::diff::{
    SeedSide, Side, board, board_over_seeds, document, over_seeds, table, table_over_seeds, write,
    write_over_seeds,
};

/// How many groups are listed one by one before similar ones are put together.
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
    /// Run both sides with this number of seeds, from --seed on, pair equal seeds, and show what differs
    /// in nearly all of them from what is chance
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=500_000))]
    seeds: Option<u64>,
    /// How many runs of --seeds at once; it does not change the results [default: one for each
    /// processor]
    #[arg(long, short, value_name = "J", requires = "seeds", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The seed of the second run
    #[arg(long, value_name = "SEED", conflicts_with = "seeds")]
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
    /// An eviction was needless if its node was back within this time, in both runs [default: as in
    /// the first run, which is 5m where nothing else was said]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    needless_within: Option<Dur>,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    #[command(flatten)]
    html: HtmlArg,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl DiffArgs {
    /// What is run for the second time.
    fn second(&self) -> &Path {
        self.b.as_ref().unwrap_or(&self.a)
    }
}

/// Runs the command.
pub(crate) fn diff(args: &DiffArgs, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    args.output.form.fits(false)?;
    args.html.fits()?;
    if let Some(text) = args.against.as_ref().filter(|text| text.contains('=')) {
        let wrong = format!("--against takes a release, and {text:?} is none");
        return Err(Failure::input(wrong, format!("--against-set {text}")));
    }
    let own = args.change.overrides(args.sets.clone());
    let sets = [&shared(args)[..], &args.against_sets].concat();
    let mut other = Overrides {
        kubernetes: args.against.clone().or_else(|| own.kubernetes.clone()),
        timing: args.against_timing.clone().or_else(|| own.timing.clone()),
        seed: args.against_seed.or(own.seed),
        at_once: sets.len(),
        sets,
        other: None,
    };
    if args.b.is_none() && other == own {
        let help = "give another file or folder, or --against RELEASE, --against-set PATH=VALUE, --against-seed or --against-timing";
        return Err(Failure::input("nothing sets the second run apart from the first", help));
    }
    // What one of both says of the second run goes for it, in whatever way the other writes the same.
    other.at_once = args.against_sets.len();
    other.other = Some(("--against-set", other.at_once));
    match args.seeds {
        Some(seeds) => many(args, [own, other], seeds, terminal),
        None => single(args, [own, other], terminal),
    }
}

/// What `--set` says for both runs and the options `--against…` leave to the second. What is said there of the same path
/// takes its place, so that a side names no value that it has not.
fn shared(args: &DiffArgs) -> Vec<String> {
    let other = [
        ("kubernetes", args.against.is_some()),
        ("timing", args.against_timing.is_some()),
        ("seed", args.against_seed.is_some()),
    ];
    let path = |set: &str| set.split_once('=').map_or("", |(path, _)| path).trim().to_owned();
    let against: BTreeSet<String> = args.against_sets.iter().map(|set| path(set)).collect();
    let is_other = |set: &&String| {
        let path = path(set);
        // One more entry of the timeline is no other value of it.
        let again = !path.ends_with("[+]") && against.contains(&path);
        again || other.contains(&(&*path, true))
    };
    args.sets.iter().filter(|set| !is_other(set)).cloned().collect()
}

/// One run of each side; `change` is what makes the second one.
fn single(args: &DiffArgs, [own, other]: [Overrides; 2], terminal: &Terminal) -> Outcome {
    let second = args.second();
    let (a, b) = if args.b.is_none() && !second.is_dir() {
        let side = |loaded, overrides| -> Result<_> {
            let side = ready(loaded, second.display().to_string(), overrides)?;
            finished::simulate(side, terminal)
        };
        // Read once, as standard input can be; what was taken of an export is said once.
        let loaded = load(second)?;
        let again = Loaded { imported: None, ..loaded.clone() };
        (side(loaded, own)?, side(again, other)?)
    } else {
        (finished::open(&args.a, own, terminal)?, finished::open(second, other, terminal)?)
    };
    let (run_a, run_b) =
        (Analysis::new(&a.ready.plan, &a.trace), Analysis::new(&b.ready.plan, &b.trace));
    let window = args.needless_within.unwrap_or(a.window);
    let found = diff::compare([&run_a, &run_b], window, args.tolerance, GROUPS);
    let both = [(&run_a, &a), (&run_b, &b)];
    let sides = both.map(|(analysis, side)| Side { analysis, source: &side.ready.source });
    let text = |p: &mut Printer<'_>| write(p, sides, &found);
    args.output.form.print(terminal, text, || document(sides, &found), || table(&found))?;
    args.html.write(|| {
        let runs = both.map(|(run, side)| columns(run, &side.ready, side.window));
        page(text, |said| board(sides, &found, said), named(runs))
    })?;
    Ok(Exit::fine_if(found.is_empty()))
}

/// The runs of both sides under their names in a page.
fn named([a, b]: [Vec<u8>; 2]) -> Vec<(String, Vec<u8>)> {
    vec![("run-a".to_owned(), a), ("run-b".to_owned(), b)]
}

/// Both sides over many seeds.
fn many(args: &DiffArgs, overrides: [Overrides; 2], seeds: u64, terminal: &Terminal) -> Outcome {
    let second = args.second();
    let folder = [args.a.as_path(), second].into_iter().find(|p| p.is_dir());
    if let Some(path) = folder {
        let text = format!("{} is a finished run, which has one seed", path.display());
        let help = "give the scenario's file, or leave out --seeds";
        return Err(Failure::input(text, help));
    }
    let a = load(&args.a)?;
    let other = args.b.as_deref().map(load).transpose()?;
    let b: &Loaded = other.as_ref().unwrap_or(&a);
    let first = scenario::seed(&a, &overrides[0])?;
    let is_other = other.is_none() && scenario::seed(b, &overrides[1])? != first;
    let text = "the second run has a seed of its own, and --seeds pairs equal seeds";
    refuse_if(is_other, text, "leave out --against-set seed=…, or leave out --seeds")?;
    let side = |loaded: &Loaded, file: &Path, overrides: &Overrides| -> Result<Ready> {
        let shown = file.display().to_string();
        let mut ready = ready(loaded.clone(), shown, overrides.clone())?;
        let shown = file::shown(file);
        let text = format!("{shown} replays a tape, which is one run whatever the seed");
        refuse_if(ready.plan.tape.is_some(), text, "leave out --seeds")?;
        ready.source.seed = first;
        Ok(ready)
    };
    let sides = [side(&a, &args.a, &overrides[0])?, side(b, second, &overrides[1])?];
    // Of one file it is said once.
    let told = if other.is_some() { 2 } else { 1 };
    sides[..told].iter().for_each(|side| tell_imported(&side.imported, terminal));
    let pairs = Pairs {
        loaded: [&a, b],
        overrides,
        first,
        seeds,
        window: args.needless_within.unwrap_or(DEFAULT_NEEDLESS_WINDOW),
        tolerance: args.tolerance,
    };
    let found = &run(args, &pairs, &a.name, terminal)?;
    let settings = Settings::new(&sides[0].plan, &sides[1].plan);
    let sides = sides.each_ref().map(|side| SeedSide { plan: &side.plan, source: &side.source });
    let of_seeds = (sides, &settings, found);
    let text = |p: &mut Printer<'_>| write_over_seeds(p, of_seeds);
    args.output.form.print(terminal, text, || over_seeds(of_seeds), || table_over_seeds(found))?;
    args.html.write(|| {
        let [a_run, b_run] = [0, 1].map(|side| {
            let overrides = pairs.overrides[side].clone().with_seed(pairs.first);
            run_for_page(pairs.loaded[side], overrides, pairs.window)
        });
        page(text, |said| board_over_seeds(of_seeds, said), named([a_run?, b_run?]))
    })?;
    Ok(Exit::fine_if(found.same == found.seeds && !settings.objects_differ()))
}

/// Runs both sides with all seeds, and compares them.
fn run(args: &DiffArgs, pairs: &Pairs<'_>, name: &str, terminal: &Terminal) -> Result<OverSeeds> {
    let all = pairs.size().unwrap_or(u64::MAX);
    let progress = Progress::new(terminal, name, all, |done, all| {
        format!("{} of {} runs", grouped(done), grouped(all))
    });
    let watch = |event| progress.goes_on(event);
    let found = progress.during(|| pairs.run(jobs(args.jobs), GROUPS, &watch));
    let done = || grouped(progress.counted());
    let after = || format!("interrupted after {} of {} runs", done(), grouped(all));
    found.map_err(|why| Failure::stopped(why, after))
}
