//! `taintsim forecast`: what comes of an outage that is under way, from an export alone: the courses that
//! it may take, each of them run; one forecast, or one after the other.
//!
//! stdout has the forecast, stderr progress and what was taken from the export.

#[cfg(test)]
mod remembered_passes_tests;
#[cfg(test)]
mod remembered_tests;
#[cfg(test)]
mod tests;

use super::args::within_run;
use super::forecasts::{Course, courses, run_all};
use super::given::{self, KubectlArgs};
use super::html::{HtmlArg, page};
use super::import::read;
use super::prelude::*;
use super::shards::Work;
use super::terminal::is_unread;
use crate::analysis::course::Happening;
use crate::analysis::{Frees, ranges};
use crate::api::meta::ConditionStatus;
use crate::api::taint::Effect;
use crate::import::KUBECTL;
use crate::language::{Entry, NodeSelector, Step, duration};
use crate::plan::{Do, NodeFault, NodeStart};
use crate::report::forecast::{
    Basis, Outlook, board, changes, chart, document, table, write, write_beside,
};
use crate::report::short;
use crate::report::tables::csv;

/// A deletion in at least this part of the seeds is one that will be.
const LIKELY: f64 = 0.5;
/// The longest stretch of waiting in which nobody looks whether Ctrl-C was pressed.
const NAP: Dur = Dur::from_millis(100);

/// Arguments of `taintsim forecast`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ForecastArgs {
    /// What `kubectl get
    /// nodes,pods,leases,deployments,replicasets,statefulsets,daemonsets,jobs,pdb,priorityclasses,pv,pvc,storageclasses,csidrivers,csinodes,volumeattachments
    /// -A -o json` (or yaml) printed just now, also gzipped; `-` is standard input. Several files
    /// make one cluster. As `kubectl taintsim forecast` it calls kubectl itself where none is given
    #[arg(value_name = "FILE", conflicts_with_all = ["context", "kubeconfig"])]
    files: Vec<PathBuf>,
    /// Silent nodes come back after this time, and those that die so long after they died; otherwise
    /// they stay silent
    #[arg(long, value_name = "DURATION", value_parser = within_run)]
    heal_after: Option<Dur>,
    /// These nodes die at the time of the export, beside those that are silent: names and ranges,
    /// `b-03`, `b-{00..04}`, or a zone, `zone/b`; with a time behind a `@`, so long after it:
    /// `b-03@2m`. May be given several times
    #[arg(long, value_name = "NODES[@TIME]")]
    dies: Vec<String>,
    /// Another course to put beside the first, such as `kubectl taint nodes b-03 a=b:NoExecute`,
    /// `patch tolerations web 600`, `kube-controller-manager restart`, `heal b-03`; with ` @10m` behind it
    /// so long after the export, else a second; may be given several times
    #[arg(long, value_name = "COMMAND")]
    what_if: Vec<String>,
    /// How far to look ahead
    #[arg(long, value_name = "DURATION", value_parser = within_run, default_value = "30m")]
    horizon: Dur,
    /// How many seeds: --seed and those after it
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the cluster; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Run this command for a new export again and again, and say what has changed; with `kubectl`
    /// alone it is the usual `kubectl get`
    #[arg(long, value_name = "COMMAND", conflicts_with = "files")]
    watch: Option<String>,
    /// How long to wait between two exports
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s", requires = "watch", conflicts_with = "files")]
    every: Dur,
    /// End after so many exports
    #[arg(long, value_name = "N", requires = "watch", conflicts_with = "files", value_parser = clap::value_parser!(u64).range(1..))]
    times: Option<u64>,
    #[command(flatten)]
    kubectl: KubectlArgs,
    /// Tell every node and every pod, however many they are
    #[arg(long)]
    all: bool,
    /// Draw how many are evicted by when, as PNG or SVG by the name's ending; as it is: what
    /// `--what-if` changes is in the text and in --html
    #[arg(long, value_name = "FILE", value_parser = chart_file)]
    chart: Option<PathBuf>,
    /// Replace the chart's file where it is there
    #[arg(long, requires = "chart")]
    force: bool,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// End with exit code 1 if a pod will be deleted in half of the seeds or more
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    html: HtmlArg,
    /// Show no progress, nor what was taken from the export and what was left out
    #[arg(long, short)]
    quiet: bool,
}

/// A forecast that was printed, kept for what has changed since.
type Printed = (Basis, Vec<(String, Forecast)>);

/// Runs the command.
pub(crate) fn forecast(args: &ForecastArgs, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    replaces_only_by_force(args.chart.as_deref(), args.force, &args.files)?;
    args.output.form.fits(false)?;
    args.html.fits()?;
    let is_once = args.watch.is_none() || args.times == Some(1);
    let text = "a file of Parquet takes no rows of later exports";
    let is_vain = args.output.form == TableFormat::Parquet && !is_once;
    refuse_if(is_vain, text, "look once, with `--times 1`, or take csv")?;
    let mut before: Option<Printed> = None;
    let mut exports = 0;
    loop {
        let looked = inputs(args, work).and_then(|inputs| Courses::of(&inputs, args));
        let courses = match looked {
            Ok(courses) => courses,
            // In an outage the API server may well be away for a while.
            Err(why) if before.is_some() => {
                _ = why.report(terminal);
                terminal.note(&format!("it looks again in {}", short(args.every)));
                wait(args.every)?;
                continue;
            }
            Err(why) => return Err(why),
        };
        if before.is_none() {
            terminal.aside(&courses.taken);
        }
        let forecasts = courses.run(args, terminal)?;
        let printed = (courses.basis, forecasts);
        if work.keep(|| found(&printed))? {
            return Ok(exit(args, &printed));
        }
        print(args, terminal, &printed, before.as_ref())?;
        exports += 1;
        let last = args.watch.is_none() || args.times.is_some_and(|times| exports >= times);
        if last || is_unread() {
            return Ok(exit(args, &printed));
        }
        before = Some(printed);
        wait(args.every)?;
    }
}

/// The export, from wherever it comes.
fn inputs(args: &ForecastArgs, work: &Work<'_>) -> Result<Vec<Input>> {
    match &args.watch {
        Some(command) if command.trim() == "kubectl" => Ok(vec![asked(args)?]),
        Some(command) => Ok(vec![input_of(command, given::shell(command)?)?]),
        None if !args.files.is_empty() => args.files.iter().map(|file| input(file, work)).collect(),
        None if given::is_plugin() => Ok(vec![asked(args)?]),
        None => Err(Failure::input(
            "no export is given",
            format!(
                "`{KUBECTL} | taintsim forecast -`, or `taintsim forecast --watch kubectl`, or `kubectl taintsim forecast`"
            ),
        )),
    }
}

/// The export that kubectl is asked for.
fn asked(args: &ForecastArgs) -> Result<Input> {
    input_of(given::SAID, args.kubectl.get()?)
}

fn input_of(name: &str, bytes: Vec<u8>) -> Result<Input> {
    Ok(Input::from_bytes(name, bytes)?)
}

/// An export from a file, or a text that stands for one.
fn input(file: &Path, work: &Work<'_>) -> Result<Input> {
    match work.inputs.text_of(file) {
        Some(text) => input_of(&file.display().to_string(), text.to_vec()),
        None => read(file),
    }
}

fn print(
    args: &ForecastArgs,
    terminal: &Terminal,
    (basis, forecasts): &Printed,
    before: Option<&Printed>,
) -> Result<()> {
    let outlooks = Outlook::all(basis, forecasts);
    let Some((base, others)) = outlooks.split_first() else { return Ok(()) };
    let was = before.map(|(basis, forecasts)| Outlook::all(basis, forecasts));
    let changed = was.and_then(|was| Some(changes(was.first()?, base)));
    let form = args.output.form;
    if form == TableFormat::Csv && before.is_some() {
        // Those of one export after the other are one table; `at` tells them apart.
        print_text(terminal, |out| csv::write_on(out, &table(base, others)))?;
    } else {
        let text = |p: &mut Printer<'_>| {
            if let Some(changed) = &changed {
                writeln!(p.out)?;
                changed.iter().try_for_each(|line| writeln!(p.out, "* {line}"))?;
            }
            write(p, base, args.all)?;
            write_beside(p, &outlooks)
        };
        let document = || {
            let mut whole = document(base, others);
            if let Some(changed) = &changed {
                whole["changes"] = changed.clone().into();
            }
            whole
        };
        form.print(terminal, text, document, || table(base, others))?;
    }
    if let Some(file) = &args.chart {
        write_chart(file, &chart(base))?;
    }
    args.html.write(|| page_of(&outlooks))
}

/// What was found, for whoever asked for it.
fn found((basis, forecasts): &Printed) -> Result<Found> {
    let outlooks = Outlook::all(basis, forecasts);
    let Some((base, others)) = outlooks.split_first() else {
        return Err(Failure::Io("a forecast has a course".to_owned()));
    };
    Ok(Found::of(document(base, others), page_of(&outlooks)?, table(base, others)))
}

/// The page of a forecast, which the next export's replaces.
fn page_of(outlooks: &[Outlook<'_>]) -> Result<Page> {
    let print = |p: &mut Printer<'_>| {
        outlooks.iter().take(1).try_for_each(|outlook| write(p, outlook, false))?;
        write_beside(p, outlooks)
    };
    page(print, |text| board(outlooks, text), Vec::new())
}

fn exit(args: &ForecastArgs, (_, forecasts): &Printed) -> Exit {
    let comes = |f: &Forecast| {
        // In whatever way a pod goes.
        let mut seeds: BTreeMap<&String, usize> = BTreeMap::new();
        for h in f.happenings.iter().filter(|h| h.what == Happening::PodDeleted) {
            *seeds.entry(&h.object).or_default() += h.in_seeds.len();
        }
        seeds.values().any(|n| *n as f64 >= LIKELY * f.seeds as f64)
    };
    Exit::fine_if(!args.exit_code || !forecasts.first().is_some_and(|(_, base)| comes(base)))
}

/// Waits for the next export.
#[expect(clippy::disallowed_methods, reason = "exports are made by the clock on the wall")]
fn wait(every: Dur) -> Result<()> {
    let mut left = every;
    while !left.is_zero() {
        interrupted_if(interrupt::heeding(interrupt::asked), "stopped")?;
        let nap = left.min(NAP);
        std::thread::sleep(std::time::Duration::from_nanos(nap.as_nanos()));
        left = left.saturating_sub(nap);
    }
    Ok(())
}

/// An export with its courses.
struct Courses {
    basis: Basis,
    /// What was taken and left out.
    taken: Vec<String>,
    /// The course without anybody's doing first.
    courses: Vec<Course>,
}

impl Courses {
    /// The courses of a cluster as it was exported.
    fn of(inputs: &[Input], args: &ForecastArgs) -> Result<Self> {
        let cluster = ImportedCluster::read(inputs).and_then(ImportedCluster::simulable)?;
        let summary = cluster.summary.clone();
        let Some(zero) = summary.time_zero else {
            return Err(Failure::input(
                "the export has no time in it, so that nothing can be foreseen",
                "it takes nodes with their conditions: `kubectl get nodes,pods,leases,… -A -o json`",
            ));
        };
        let silent = summary.cut_off.clone();
        let clock = WallClock(zero.0);
        let (mut timeline, mut dying): (Vec<Entry>, Vec<String>) =
            dying(args, clock)?.into_iter().unzip();
        timeline.extend(healing(args, &silent)?);
        let base = Loaded::of_cluster("forecast", cluster, &short(args.horizon), timeline);
        let one = silent.len() == 1;
        let (come, stay) = if one { ("it comes", "it stays") } else { ("they come", "they stay") };
        let course = match args.heal_after {
            Some(after) => format!("{come} back after {}", short(after)),
            None => format!("{stay} silent"),
        };
        let overrides = args.change.overrides(args.sets.clone());
        let path = |set: &String| set.split_once('=').map(|(path, _)| path.trim().to_owned());
        let is_set = args.sets.iter().any(|set| path(set).as_deref() == Some("horizon"));
        let text = "`horizon` is how far a forecast looks ahead, which --set does not change";
        refuse_if(is_set, text, "look as far ahead as it takes with --horizon")?;
        let plan = scenario::build(&base, &overrides)?;
        let open = open(&plan);
        for (entry, said) in (0..).zip(&mut dying) {
            *said += &silent_already(&plan, entry, args.heal_after);
        }
        let head = format!(
            "{} and {}, Kubernetes {}, {}, looking {} ahead",
            counted(summary.nodes, "node"),
            counted(summary.pods, "pod"),
            plan.profile.release,
            counted(args.seeds, "seed"),
            short(args.horizon)
        );
        let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
        let of = manifest::scenario(&base.name, &files.join(", "), &base.fingerprint(), &args.sets);
        let mut ran = manifest::basis(of, &plan, scenario::seed(&base, &overrides)?);
        ran["seeds"] = args.seeds.into();
        ran["horizon_s"] = args.horizon.as_secs_f64().into();
        ran["heal_after_s"] = args.heal_after.map(Dur::as_secs_f64).into();
        let courses = courses("as it is", base, &overrides, &args.what_if)?;
        let frees = Frees::of(&plan);
        let mut taints = plan.nodes.iter().flat_map(|n| &n.taints);
        let tainted = taints.any(|t| t.effect == Effect::NoExecute);
        let basis = Basis {
            clock,
            silent,
            course,
            head,
            ran,
            frees,
            notes: dying.into_iter().chain(plan.notes).collect(),
            horizon: Time::ZERO + args.horizon,
            open: Some(open),
            tainted,
        };
        Ok(Courses { basis, taken: summary.lines(), courses })
    }

    /// Runs all of them.
    fn run(&self, args: &ForecastArgs, terminal: &Terminal) -> Result<Vec<(String, Forecast)>> {
        let all = run_all(&self.courses, args.seeds, jobs(args.jobs), "forecast", terminal)?;
        let names = self.courses.iter().map(|c| c.name.clone());
        Ok(names.zip(all.iter().map(|c| Forecast::of(c))).collect())
    }
}

/// What has not happened yet at the start of a run to its nodes and pods.
fn open(plan: &Plan) -> BTreeSet<(Happening, String)> {
    let mut open = BTreeSet::new();
    for node in &plan.nodes {
        if node.start.ready() != Some(ConditionStatus::Unknown) {
            open.insert((Happening::NodeUnknown, node.name.clone()));
        }
        if node.taints.iter().all(|t| t.effect != Effect::NoExecute) {
            open.insert((Happening::NodeNoExecute, node.name.clone()));
        }
    }
    let there = plan.pods.iter().filter(|p| !p.start.is_deleting());
    open.extend(there.map(|p| (Happening::PodDeleted, p.name.to_string())));
    open
}

fn entry(at: &str, step: Step) -> Entry {
    Entry { at: at.into(), name: None, step, every: None, times: None }
}

/// Nodes that die at the time of the export or, written behind a `@`, so long after it; for good or
/// for as long as it takes them to come back. Each with a sentence that says so.
fn dying(args: &ForecastArgs, clock: WallClock) -> Result<Vec<(Entry, String)>, Problem> {
    let then = match args.heal_after {
        Some(after) => format!("and comes back {} later", short(after)),
        None => "for good".to_owned(),
    };
    let selector = |text: &str| match text.split_once('/') {
        Some(("zone", zone)) => NodeSelector::Zone(zone.to_owned()),
        Some(("node" | "nodes", name)) => NodeSelector::Nodes(names(name)),
        _ => NodeSelector::Nodes(names(text)),
    };
    let one = |text: &String| {
        let (nodes, at) = text.rsplit_once('@').unwrap_or((text, "0s"));
        let after = duration::parse(at)
            .map_err(|e| Problem::new(format!("--dies {text}: {e}")).maybe_help(e.hint))?;
        if after >= args.horizon {
            return Err(too_late(&format!("--dies {text}"), after, args));
        }
        let duration = args.heal_after.map(|d| short(d).as_str().into());
        let crash = Step::Crash { node: None, nodes: Some(selector(nodes)), duration };
        let when = clock.clock(Time::ZERO + after);
        let said = format!("Asked for: {nodes} dies at {when} (in {}) {then}.", short(after));
        Ok((entry(at, crash), said))
    };
    args.dies.iter().map(one).collect()
}

/// Which nodes of an entry that has them die are silent by then, and die unseen; nothing of others.
fn silent_already(plan: &Plan, entry: u32, heal_after: Option<Dur>) -> String {
    let open = |at: Time| heal_after.is_none_or(|after| at < Time::ZERO + after);
    let acts = plan.actions.iter().filter(|a| a.entry == entry && open(a.at));
    let dying = acts.flat_map(|a| match &a.act {
        Do::Fail(nodes, NodeFault::Off) => &nodes[..],
        _ => &[],
    });
    let nodes = dying.map(|node| &plan.nodes[*node as usize]);
    let silent = nodes.filter(|n| matches!(n.start, NodeStart::Imported { cut: true, .. }));
    let names: Vec<&String> = silent.map(|n| &n.name).collect();
    if names.is_empty() { String::new() } else { format!(" Silent already: {}.", ranges(&names)) }
}

/// Names and ranges between commas, those within brackets apart: `a-{0..3},s-{2,5}`.
fn names(text: &str) -> Vec<String> {
    scenario::parted(text).map(|part| part.trim().to_owned()).collect()
}

/// Silent nodes come back.
fn healing(args: &ForecastArgs, silent: &[String]) -> Result<Option<Entry>, Problem> {
    let Some(after) = args.heal_after.filter(|_| !silent.is_empty()) else { return Ok(None) };
    if after >= args.horizon {
        return Err(too_late("--heal-after", after, args));
    }
    let nodes = Some(NodeSelector::Nodes(silent.to_vec()));
    Ok(Some(entry(&short(after), Step::Heal { node: None, nodes })))
}

/// What an option asks for that comes after all that is looked at.
fn too_late(option: &str, after: Dur, args: &ForecastArgs) -> Problem {
    let (after, end) = (short(after), short(args.horizon));
    Problem::new(format!("{option}: {after} is not before the end of the forecast, {end}"))
        .help("look farther ahead with --horizon")
}
