//! `taintsim plan`: which value of a setting costs least, given how things fail.

use super::args::{ManyArgs, confidence, percent};
use super::faults::{no_models, with_preset};
use super::given::given;
use super::managed::{Managed, refused};
use super::plan_page::{Until, page};
use super::plan_volumes::withhold;
use super::prelude::*;
use super::run::writable;
use super::shards::{PlanShardsArgs, With, Work};
use crate::lab::Sweep;
use crate::lab::planner::{
    Answer, BELOW, Bound, Counting, Kept, Objective, Planner, ROWS_MAX, answer, bare_pods, expanded,
};
use crate::report::planner::{
    Source, Told, document, table, together, touching, write, write_folder, years,
};
use crate::report::short;
use crate::report::text::joined;
use crate::scenario::split_values;

/// How long a plan runs at most where nobody says it.
const BUDGET: Dur = Dur::from_secs(60);
/// What is told beside an answer may take so many seconds when the time is up.
const SOON_S: f64 = 1.0;

/// What changes runs or writes them, of which none are made where they are kept.
const RUNS: [&str; 16] = [
    "file",
    "choose",
    "preset",
    "count",
    "jointly",
    "managed",
    "sets",
    "kubernetes",
    "timing",
    "seed",
    "needless_within",
    "precision",
    "budget",
    "plan_shards",
    "out",
    "html",
];

/// Arguments of `taintsim plan`.
#[derive(Clone, Debug, clap::Args)]
#[command(override_usage = "taintsim plan [OPTIONS] <FILE|--kept FILE>")]
pub(crate) struct PlanArgs {
    /// A scenario, or what `kubectl get … -o json` printed; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "kept")]
    file: Option<PathBuf>,
    /// A setting and the values to choose from, such as
    /// `workloads.web.template.tolerations[unreachable].tolerationSeconds=0,60,300,none`, or a range,
    /// `=0..600`; settings of different workloads are chosen each for itself if they do not touch
    /// each other, and otherwise every combination is tried
    #[arg(long, value_name = "PATH=LO..HI|A,B,…")]
    choose: Vec<String>,
    /// Try every combination of several settings
    #[arg(long)]
    jointly: bool,
    /// How things fail, in place of what the scenario says: on-prem, cloud, spot, edge, grid, lab
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// What an eviction and the like are worth, in downtime of a replica: evicted=5m, needless=10m;
    /// with --currency in money. A minute of a missing replica is the unit. In place of what the
    /// scenario's `prices`, or those of --kept, say of that figure
    #[arg(long, value_name = "FIGURE=PRICE", value_delimiter = ',')]
    price: Vec<String>,
    /// Prices are in this currency; then every figure that counts needs one, said here if the
    /// scenario's are in another
    #[arg(long, value_name = "NAME")]
    currency: Option<String>,
    /// What a year must not come to: needless<=20/y, below<=30m/y; may be given several times
    #[arg(long, value_name = "FIGURE<=VALUE/y", value_delimiter = ',', value_parser = Bound::parse)]
    within: Vec<Bound>,
    /// How precisely the cost is to be known, as a part of it
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "5%")]
    precision: f64,
    /// How sure to be
    #[arg(long, value_name = "PERCENT", value_parser = confidence, default_value = "95%")]
    confidence: f64,
    /// How long to run at most, by the clock on the wall; the answer says how sure it is [default:
    /// 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    budget: Option<Dur>,
    /// Who runs the control plane: settings that cannot be changed there are refused
    #[arg(long, value_enum)]
    managed: Option<Managed>,
    /// How to count [default: as it fits]
    #[arg(long, value_enum)]
    count: Option<Counting>,
    /// Answer from the runs that an earlier plan kept in its plan.json, for other prices and limits
    #[arg(long, value_name = "FILE", conflicts_with_all = RUNS)]
    kept: Option<PathBuf>,
    /// The folder for results; those of FILE are in the folder NAME-plan in it
    #[arg(long, value_name = "DIR", default_value = "output")]
    out: PathBuf,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    #[command(flatten)]
    shards: PlanShardsArgs,
    #[command(flatten)]
    many: ManyArgs,
    /// Write report.html, too: the charts and the table in a browser
    #[arg(long)]
    html: bool,
}

impl PlanArgs {
    /// Says some of them anew.
    pub(crate) fn with(&mut self, with: &With) -> Result<()> {
        self.many.jobs = with.jobs.or(self.many.jobs);
        self.out = with.folder();
        self.output.say(with.output.as_deref())
    }
}

/// Runs the command.
pub(crate) fn plan(args: &PlanArgs, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    let (clock, terminal) = (Stopwatch::start(), &terminal.quietly(args.many.quiet));
    let help = "it ends when the answer is as precise as --precision asks for, or after 20,000 years or outages";
    (args.shards).refuses(args.budget.is_some(), "a time, --budget", help)?;
    once("--price", &args.price)?;
    if let Some(file) = &args.kept {
        return told_again(args, file, work, terminal);
    }
    // Without `--kept` there is a file.
    let from = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut loaded = given(from, &work.inputs, terminal)?;
    let base = args.many.overrides();
    let mut notes = with_preset(&mut loaded, &base, args.preset.as_deref())?;
    if !loaded.spec.timeline.is_empty() {
        notes.push("The scenario's own timeline is left out.".to_owned());
        loaded.spec.timeline.clear();
        loaded.spec.expect.clear();
    }
    let objective = objective(args, &loaded, &base)?;
    let drawn = scenario::drawn(&loaded, &base)?;
    notes.extend(drawn.plan.notes.iter().cloned());
    notes.extend(without_workload(bare_pods(&drawn.plan)));
    if drawn.plan.workloads.is_empty() {
        notes.push("No pod has a workload: nothing replaces one that is lost, and what it is missing for is counted until the run of its outage ends, some 15 minutes after it.".to_owned());
    }
    let models = drawn.models.list;
    if models.is_empty() {
        return Err(Failure::Input(no_models()));
    }
    let axes = axes(args)?;
    if let Some(managed) = args.managed {
        notes.extend(refused(managed, &axes)?);
    }
    withhold(&loaded, &base, &axes)?;
    of_devices(&axes)?;
    let as_asked = |asked| (asked, "as asked for".to_owned());
    let of_need = objective.prices[BELOW] > 0.0 || args.within.iter().any(|b| b.figure == BELOW);
    let counting = args.count.map_or_else(|| Counting::fitting(&models, of_need), as_asked);
    let a_year: f64 = models.iter().map(scenario::Model::per_year).sum();
    let (outages, most) = (legible(a_year.round()), scenario::OUTAGES_MAX);
    let text = format!("these models make {outages} outages a year, and a run has at most {most}");
    let help = "a lower rate, or fewer nodes; of a history of a short time `rate` says how often such times come";
    refuse_if(counting.0 == Counting::Years && a_year > most, text, help)?;
    let window = args.many.needless_within;
    let mut planner = Planner {
        apart: None,
        sweep: Sweep { loaded: &loaded, base, axes, zipped: false, seeds: 1, window },
        now: None,
        objective,
        within: args.within.clone(),
        precision: args.precision,
        confidence: args.confidence,
        counting,
        only: None,
        eager: false,
    };
    // A limit holds for all workloads together, and so do the settings that keep it.
    if !args.jointly && args.within.is_empty() && planner.may_be_apart()? {
        planner.apart = Some(vec![None; planner.sweep.axes.len()]);
    }
    planner.check()?;
    let looked = planner.look_for_now(&|| goes_on(args, &clock, 0.0));
    looked.map_err(|e| not_known(e, planner.counting.0, ""))?;
    let mut told = planner.told_of_values()?;
    told.retain(|note| !notes.contains(note));
    notes.extend(told);
    of_replicas(&planner.sweep.axes, &planner.objective)?;
    let name = format!("{}-plan", loaded.name);
    if let Some(planned) = work.planned(&args.shards, &args.out, &[&loaded], terminal) {
        return planned;
    }
    if work.writes() {
        writable(&args.out, &name)?;
    }
    let ran = || run_all(args, &mut planner, &mut notes, work.desk(), (&clock, terminal));
    let ran = unless_endless(ran).map_err(|given_up| given_up.about(&loaded.source.name))?;
    let (kept, seconds) = ran?;
    work.desk().over()?;
    let preset = args.preset.as_ref().map(|name| format!("preset {name}"));
    let faults = preset.unwrap_or_else(|| "the scenario's fault models".to_owned());
    let (line, basis) = ran_by(args, &planner)?;
    let source = Source { faults, line, basis, notes, seconds };
    let until = &|| goes_on(args, &clock, SOON_S);
    tell(args, &kept, &planner.objective, (&source, Some((&planner, until))), (work, terminal))
}

/// What kept runs say, for other prices and limits.
fn told_again(args: &PlanArgs, file: &Path, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    let (kept, mut source) = read_kept(file)?;
    let objective = kept.objective.clone().with(&args.price, args.currency.as_deref())?;
    let of = told_of(&source.basis);
    source.notes.insert(0, format!("From the runs kept in {}{of}.", file.display()));
    tell(args, &kept, &objective, (&source, None), (work, terminal))
}

/// What counts: what the scenario says, and what the command line says anew.
fn objective(args: &PlanArgs, loaded: &Loaded, base: &Overrides) -> Result<Objective> {
    let written = scenario::changed(loaded, base)?.prices;
    let new = || Ok(Objective::new(args.currency.as_deref()));
    let known = written.as_ref().map_or_else(new, Objective::written)?;
    Ok(known.with(&args.price, args.currency.as_deref())?)
}

/// What to know of pods that nothing replaces.
fn without_workload(pods: usize) -> Option<String> {
    let (is, it) = if pods == 1 { ("is", "it") } else { ("are", "them") };
    (pods > 0).then(|| {
        format!(
            "{} without a workload {is} in no figure: nothing replaces {it}, and how long one is missed no run knows.",
            counted(pods, "pod")
        )
    })
}

/// Where it is chosen how many replicas there are, the fewest would always win without a price of those
/// that are needed.
fn of_replicas(axes: &[Axis], objective: &Objective) -> Result<(), Problem> {
    let of_number = axes.iter().any(|a| a.path.ends_with(".replicas"));
    let without_need = objective.prices[1] == 0.0 && objective.prices[2] == 0.0;
    if !(of_number && without_need) {
        return Ok(());
    }
    let text = "of fewer replicas fewer are missing, so that the fewest would always win";
    Err(Problem::new(text).help(
"say how many the workload `needs`, and price the time below that: --price missing=0,below=1",
))
}

/// No fault taints a device, so that all values would come to the same.
fn of_devices(axes: &[Axis]) -> Result<(), Problem> {
    let of_claim = axes.iter().find(|a| a.path.contains(".resourceClaims["));
    let Some(Axis { path, .. }) = of_claim else { return Ok(()) };
    let text = format!(
        "`{path}` is about taints of devices, and no fault taints one: all its values would cost the same"
    );
    let help = "`taintsim sweep` compares them over a timeline that taints devices";
    Err(Problem::new(text).help(help))
}

/// Release, timing and seed of the runs; and what else they rest on.
fn ran_by(args: &PlanArgs, planner: &Planner<'_>) -> Result<(String, Value), Problems> {
    let Sweep { loaded, base, .. } = &planner.sweep;
    let plan = scenario::build(loaded, base)?;
    let (line, mut basis) = args.many.ran_by(loaded, &plan, args.file.as_deref())?;
    basis["choose"] = args.choose.clone().into();
    basis["preset"] = args.preset.clone().into();
    Ok((line, basis))
}

/// What kept runs rest on, for who asks them again.
fn told_of(basis: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let sets = basis["scenario"]["set"].as_array().into_iter().flatten().filter_map(text);
    let set = joined(sets, ", ").map_or(String::new(), |sets| format!(" with {sets}"));
    let window = basis["needless_window_s"].as_f64().unwrap_or_default();
    let window = short(Dur::from_nanos((window * 1e9).round() as u64));
    text(&basis["scenario"]["file"]).map_or(String::new(), |file| {
        format!(", of {file}{set}; an eviction is needless where the node is back within {window}")
    })
}

/// The settings with their values.
fn axes(args: &PlanArgs) -> Result<Vec<Axis>> {
    let axis = |text: &String| {
        let (path, values) = split_values(text).map_err(Problems::one)?;
        Ok(Axis { path, values: expanded(&values).map_err(Problem::new)? })
    };
    args.choose.iter().map(axis).collect()
}

/// How long it may take, in milliseconds.
fn budget(args: &PlanArgs) -> u64 {
    args.budget.unwrap_or(BUDGET).as_nanos() / 1_000_000
}

/// Whether there is time left, or was so many seconds ago, and no Ctrl-C. Where several machines share the runs there is no
/// limit of time, which would be another one on each.
fn goes_on(args: &PlanArgs, clock: &Stopwatch, seconds: f64) -> bool {
    let in_time = || (clock.seconds() - seconds) * 1e3 < budget(args) as f64;
    (args.shards.is_asked() || in_time()) && !interrupt::asked()
}

/// What to do where time was up, or Ctrl-C came, before anything was known.
fn not_known(stopped: Stopped, counting: Counting, by_formula: &str) -> Failure {
    let (two, fewer) = match counting {
        Counting::Outages => ("outages of each model", "fewer values"),
        Counting::Years => ("years", "fewer values, or one outage at a time, `--count outages`"),
    };
    match stopped {
        Stopped::Asked if interrupt::asked() => {
            Failure::Interrupted("interrupted before anything was known".to_owned())
        }
        Stopped::Asked => Failure::Unknown(
            Problem::new(format!(
                "not known yet: the budget was over before two {two} were.{by_formula}"
            ))
            .help(format!("a longer one, `--budget 5m`, or {fewer}")),
        ),
        stopped => stopped.into(),
    }
}

/// Runs until enough is known, time is up, or Ctrl-C; whether it was ended early.
fn run(
    args: &PlanArgs,
    planner: &Planner<'_>,
    desk: Desk<'_>,
    clock: &Stopwatch,
    terminal: &Terminal,
) -> Result<(Kept, bool)> {
    let name = &planner.sweep.loaded.name;
    let budget = (!args.shards.is_asked()).then_some(budget(args));
    let progress = Progress::new(terminal, name, budget.unwrap_or(0), |done, all| {
        let (left, spent) = (all.saturating_sub(done) / 1_000, grouped(done / 1_000));
        match all {
            0 => format!("{} replications", grouped(done)),
            _ => format!("{spent} s of at most {} s, {left} s left", grouped(all / 1_000)),
        }
    });
    let watch = |_, done, _| {
        let spent = (clock.seconds() * 1e3) as u64;
        let goes_on = progress.reaches(budget.map_or(done, |budget| spent.min(budget)));
        goes_on && budget.is_none_or(|budget| spent < budget)
    };
    let ran = progress.during(|| planner.run(jobs(args.many.jobs), &watch, desk));
    let Some(_) = budget else { return Ok((ran?, false)) };
    let kept = ran.map_err(|stopped| {
        let soon = || goes_on(args, clock, SOON_S);
        not_known(stopped, planner.counting.0, &planner.by_formula(&soon).unwrap_or_default())
    })?;
    Ok((kept, !goes_on(args, clock, 0.0)))
}

/// Runs the plan, and beside it what settings that are chosen each for itself do together, every
/// combination of them if they touch each other, and some whole years. How long it took is told where
/// it ended before enough was known.
fn run_all(
    args: &PlanArgs,
    planner: &mut Planner<'_>,
    notes: &mut Vec<String>,
    desk: Desk<'_>,
    (clock, terminal): (&Stopwatch, &Terminal),
) -> Result<(Kept, Option<f64>)> {
    let (objective, confidence) = (planner.objective.clone(), args.confidence);
    let (mut kept, mut interrupted) = run(args, planner, desk, clock, terminal)?;
    let mut seconds = clock.seconds();
    let mut touching = touching(&kept, &objective, confidence);
    let beside = || planner.beside(&kept, &kept.recommended(&objective, confidence));
    if touching.is_none()
        && !interrupted
        && let Some(beside) = beside()
    {
        // A time that is over before anything was found leaves what was run.
        match if_in_time(run(args, &beside, desk, clock, terminal))? {
            Some((tried, is_early)) => {
                (kept.tried, interrupted) = (Some(Box::new(tried)), is_early);
            }
            None => interrupted = true,
        }
        touching = self::touching(&kept, &objective, confidence);
    }
    if let Some(text) = touching.filter(|_| !interrupted) {
        // What they do to each other is only known of values that are tried together.
        let size = planner.sweep.size().unwrap_or(u64::MAX);
        if size <= ROWS_MAX {
            let mut whole = Planner { apart: None, ..planner.clone() };
            let before = clock.seconds();
            let tried = match whole.look_for_now(&|| goes_on(args, clock, 0.0)) {
                Ok(()) => if_in_time(run(args, &whole, desk, clock, terminal))?,
                Err(Stopped::Asked) => None,
                Err(stopped) => return Err(stopped.into()),
            };
            notes.push(match &tried {
                Some(_) => format!("{text} So all {size} combinations were tried."),
                None => format!("{text} There was no time for all {size} combinations: a longer --budget has them."),
            });
            interrupted = true;
            if let Some(tried) = tried {
                (kept, interrupted) = tried;
                (*planner, seconds) = (whole, clock.seconds() - before);
            }
        }
    }
    let chosen = || kept.chosen(&objective, &args.within, confidence);
    // Who asks for single outages has a reason, such as that a year has too many of them.
    if !interrupted
        && args.count.is_none()
        && let Some(years) = planner.whole_years(&kept, &chosen())
    {
        let ran = if_in_time(run(args, &years, desk, clock, terminal))?;
        if ran.is_none() {
            notes.push("No whole years are told beside single outages: the time was up before two of them were over. A longer --budget has them.".to_owned());
        }
        kept.whole_years = ran.map(|(years, _)| Box::new(years));
    }
    Ok((kept, interrupted.then_some(seconds)))
}

/// What was run; nothing where time was up before anything was known.
fn if_in_time(ran: Result<(Kept, bool)>) -> Result<Option<(Kept, bool)>> {
    match ran {
        Ok(ran) => Ok(Some(ran)),
        Err(Failure::Unknown(_) | Failure::Interrupted(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Writes and prints what follows from the runs.
fn tell(
    args: &PlanArgs,
    kept: &Kept,
    objective: &Objective,
    (source, planner): (&Source, Option<Until<'_>>),
    (work, terminal): (&Work<'_>, &Terminal),
) -> Outcome {
    let together = together(kept, objective, args.confidence);
    let parts = kept.each_apart();
    let answers: Vec<Answer> =
        parts.iter().map(|part| answer(part, objective, &args.within, args.confidence)).collect();
    let chosen = kept.chosen(objective, &args.within, args.confidence);
    let keeps = answers.iter().all(|a| a.keeps);
    let years = years(kept, (&chosen[..], keeps), args.confidence);
    let told = |(kept, answer)| {
        let (together, years) = (together.clone(), years.clone());
        Told { kept, answer, objective, source, together, years }
    };
    let all: Vec<Told<'_>> = parts.iter().zip(&answers).map(told).collect();
    let is_known = all.iter().all(Told::is_known);
    let exit = if is_known { Exit::fine_if(keeps) } else { Exit::Nothing };
    let found = || Ok(Found::of(document(&all, kept), page(&all, kept, planner)?, table(&all)));
    if work.keep(found)? {
        return Ok(exit);
    }
    let written = if args.kept.is_none() {
        let name = format!("{}-plan", kept.scenario);
        let page = args.html.then(|| page(&all, kept, planner)).transpose()?;
        Some(interrupt::heeding(|| write_folder(&all, kept, &args.out, &name, page.as_ref()))?)
    } else {
        None
    };
    let text = |p: &mut Printer<'_>| {
        write(p, &all)?;
        written.as_ref().map_or(Ok(()), |written| p.files(written))
    };
    args.output.form.print(terminal, text, || document(&all, kept), || table(&all))?;
    interrupted_if(interrupt::asked(), "interrupted; the answer so far is above")?;
    Ok(exit)
}

/// Reads what an earlier plan kept.
fn read_kept(file: &Path) -> Result<(Kept, Source)> {
    const MOST: u64 = 64 << 20;
    let shown = file.display();
    let wrong = |text: String| {
        Failure::input(format!("{shown}: {text}"), "give the plan.json that `taintsim plan` wrote")
    };
    let bytes = files::read(file, MOST).map_err(|e| wrong(e.to_string()))?;
    kept_of(&bytes).map_err(wrong)
}

/// What an earlier plan kept, from the bytes of its file, and how it was run.
pub(super) fn kept_of(bytes: &[u8]) -> Result<(Kept, Source), String> {
    let no_plan = |e: serde_json::Error| format!("this is no plan: {e}");
    let mut document: serde_json::Value = serde_json::from_slice(bytes).map_err(no_plan)?;
    let kept = document.get_mut("kept").map(serde_json::Value::take);
    let kept: Kept = serde_json::from_value(kept.unwrap_or_default()).map_err(no_plan)?;
    kept.check()?;
    // Of settings that were chosen each for itself there is a plan of each, all of the same runs.
    let told = document.pointer_mut("/plans/0").map(serde_json::Value::take);
    let source = serde_json::from_value(told.unwrap_or(document)).map_err(no_plan)?;
    Ok((kept, source))
}
