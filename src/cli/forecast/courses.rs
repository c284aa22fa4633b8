//! Arguments of `taintsim forecast`; from an export to the courses that it may take, and each of them
//! run.

use crate::analysis::course::Happening;
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::api::taint::Effect;
use crate::cli::file::chart_file;
use crate::cli::forecasts::{Course, courses, refused, run_all};
use crate::cli::given::KubectlArgs;
use crate::cli::html::HtmlArg;
use crate::cli::prelude::*;
use crate::language::{Entry, NodeSelector, Step, duration};
use crate::plan::NodeStart;
use crate::report::forecast::Basis;
use crate::report::short;

/// An export with its courses.
pub(super) struct Courses {
    pub(super) basis: Basis,
    /// What was taken and left out.
    pub(super) taken: Vec<String>,
    /// The course without anybody's doing first.
    courses: Vec<Course>,
}

impl Courses {
    /// The courses of a cluster as it was exported.
    pub(super) fn of(inputs: &[Input], args: &ForecastArgs) -> Result<Self> {
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
        let (mut timeline, dying): (Vec<Entry>, Vec<String>) =
            dying(args, clock)?.into_iter().unzip();
        timeline.extend(healing(args, &silent)?);
        let base = Loaded::of_cluster("forecast", cluster, &short(args.horizon), timeline);
        let one = silent.len() == 1;
        let course = match args.heal_after {
            Some(after) if one => format!("it comes back after {}", short(after)),
            Some(after) => format!("they come back after {}", short(after)),
            None if one => "it stays silent".to_owned(),
            None => "they stay silent".to_owned(),
        };
        let overrides = args.change.overrides(args.sets.clone());
        let path = |set: &String| set.split_once('=').map(|(path, _)| path.trim().to_owned());
        if args.sets.iter().any(|set| path(set).as_deref() == Some("horizon")) {
            return Err(Failure::input(
                "`horizon` is how far a forecast looks ahead, which --set does not change",
                "look as far ahead as it takes with --horizon",
            ));
        }
        let plan = scenario::build(&base, &overrides)?;
        let open = open(&plan);
        let head = format!(
            "{} and {}, Kubernetes {}, {}, looking {} ahead",
            counted(summary.nodes, "node"),
            counted(summary.pods, "pod"),
            plan.profile.release,
            counted(args.seeds, "seed"),
            short(args.horizon)
        );
        let courses = courses("as it is", base, &overrides, &args.what_if)?;
        let basis = Basis {
            clock,
            silent,
            course,
            head,
            notes: dying.into_iter().chain(plan.notes).collect(),
            horizon: Time::ZERO + args.horizon,
            open: Some(open),
            refused: BTreeMap::new(),
        };
        Ok(Courses { basis, taken: summary.lines(), courses })
    }

    /// Runs all of them.
    pub(super) fn run(
        &mut self,
        args: &ForecastArgs,
        terminal: &Terminal,
    ) -> Result<Vec<(String, Forecast)>> {
        let all =
            run_all(&self.courses, args.seeds, jobs(args.jobs), "forecast", args.quiet, terminal)?;
        self.basis.refused = refused(&self.courses, terminal)?;
        let names = self.courses.iter().map(|c| c.name.clone());
        Ok(names.zip(all.iter().map(|c| Forecast::of(c))).collect())
    }
}

/// What has not happened yet at the start of a run to its nodes and pods.
fn open(plan: &Plan) -> BTreeSet<(Happening, String)> {
    let mut open = BTreeSet::new();
    for node in &plan.nodes {
        let is_unknown = match &node.start {
            NodeStart::Imported { conditions, .. } => conditions.iter().any(|c| {
                c.kind == NodeConditionType::Ready && c.status == ConditionStatus::Unknown
            }),
            _ => false,
        };
        if !is_unknown {
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
            .map_err(|e| Problem::new(format!("--dies {text}: {e}")).maybe_help(e.hint()))?;
        if after >= args.horizon {
            return Err(too_late(&format!("--dies {text}"), after, args));
        }
        let crash = Step::Crash {
            node: None,
            nodes: Some(selector(nodes)),
            duration: args.heal_after.map(|d| short(d).as_str().into()),
        };
        let when = clock.clock(Time::ZERO + after);
        let said = format!("Asked for: {nodes} dies at {when} (in {}) {then}.", short(after));
        Ok((entry(at, crash), said))
    };
    args.dies.iter().map(one).collect()
}

/// Names and ranges between commas, those within brackets apart: `a-{0..3},s-{2,5}`.
fn names(text: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let parts = text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).collect()
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

/// Arguments of `taintsim forecast`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ForecastArgs {
    /// What `kubectl get
    /// nodes,pods,leases,deployments,replicasets,statefulsets,daemonsets,jobs,pdb,priorityclasses,pv,pvc,csidrivers,csinodes,volumeattachments
    /// -A -o json` (or yaml) printed just now, also gzipped; `-` is standard input. Several files
    /// make one cluster. As `kubectl taintsim forecast` it calls kubectl itself where none is given
    #[arg(value_name = "FILE", conflicts_with_all = ["context", "kubeconfig"])]
    pub(super) files: Vec<PathBuf>,
    /// Silent nodes come back after this time, and those that die so long after they died; otherwise
    /// they stay silent
    #[arg(long, value_name = "DURATION", value_parser = duration)]
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
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30m")]
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
    pub(super) watch: Option<String>,
    /// How long to wait between two exports
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s", requires = "watch", conflicts_with = "files")]
    pub(super) every: Dur,
    /// End after so many exports
    #[arg(long, value_name = "N", requires = "watch", conflicts_with = "files", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) times: Option<u64>,
    #[command(flatten)]
    pub(super) kubectl: KubectlArgs,
    /// Tell every node and every pod, however many they are
    #[arg(long)]
    pub(super) all: bool,
    /// Draw how many are evicted by when, as PNG or SVG by the name's ending
    #[arg(long, value_name = "FILE", value_parser = chart_file)]
    pub(super) chart: Option<PathBuf>,
    /// Replace the chart's file where it is there
    #[arg(long, requires = "chart")]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) output: OutputArg<TableFormat>,
    /// End with exit code 1 if a pod will be deleted in half of the seeds or more
    #[arg(long)]
    pub(super) exit_code: bool,
    #[command(flatten)]
    pub(super) html: HtmlArg,
    /// Show no progress, nor what was taken from the export and what was left out
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn commas_in_brackets_are_of_ranges() {
        assert_eq!(names("a-{0..3}, s-{2,5},b"), ["a-{0..3}", "s-{2,5}", "b"]);
    }
}
