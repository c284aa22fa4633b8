//! `taintsim incident`: what is left of a past outage, put together, run, and held against what was
//! recorded.
//!
//! stdout has the verdict, stderr what was read and left out; `--out` has the scenario.

#[cfg(test)]
mod read_back_tests;

use super::forecasts::{Course, courses, run_all};
use super::html::{HtmlArg, page, run_for_page};
use super::prelude::*;
use crate::analysis::Frees;
use crate::analysis::course::Course as Ran;
use crate::analysis::matching::Matched;
use crate::evidence::{
    Evidence, Heard, Reconstruction, Watchfulness, anonymised, exported, reconstruct,
};
use crate::import::Asked;
use crate::profiles::{Release, profile};
use crate::report::forecast::{Basis, Outlook, put_what_if, write_beside};
use crate::report::incident::{Verdict, board, document, table, write};

/// The most text that one file may hold.
const LIMIT: u64 = 1 << 30;

/// Arguments of `taintsim incident`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct IncidentArgs {
    /// What is left of the outage, in any mixture, also gzipped: `kubectl get events -A -o json`
    /// (or yaml), audit logs, logs of kube-controller-manager and kube-scheduler, answers of
    /// Prometheus to range queries of kube-state-metrics, and exports of the cluster from before or
    /// after; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the outage as a scenario, each entry of its timeline with its evidence
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "out")]
    force: bool,
    /// What would have helped: another course, such as `kubectl taint nodes b-03 a=b:NoExecute`,
    /// `patch tolerations web 600`, `kube-controller-manager restart`; may be given several times
    #[arg(long, value_name = "COMMAND")]
    what_if: Vec<String>,
    /// Make every name in the files another, the same name always the same; generated parts and
    /// numbers at its end stay
    #[arg(long)]
    anonymise: bool,
    /// How far a simulated time may be from the recorded one
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "2s")]
    within: Dur,
    /// How many seeds: --seed and those after it
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    change: ChangeArgs,
    /// Tell every eviction and all that happened, however many
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// End with exit code 1 if less than half the seeds explain every eviction
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    html: HtmlArg,
    /// Show no progress, nor what was read and what was left out
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn incident(args: &IncidentArgs, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    args.output.form.fits(false)?;
    args.html.fits()?;
    replaces_only_by_force(args.out.as_deref(), args.force, &args.files)?;
    let mut files = args.files.iter().map(|f| read(f)).collect::<Result<Vec<_>, _>>()?;
    if args.anonymise {
        files = anonymised(files);
    }
    let heard = Heard::of(&files);
    let cluster = exported(&heard);
    let overrides = args.change.overrides(Vec::new());
    let watchfulness = watchfulness(cluster.as_ref(), &overrides)?;
    // What is written runs the same by itself.
    let asked = Asked {
        kubernetes: overrides.kubernetes.clone(),
        timing: overrides.timing.as_deref().map(|t| if t == "ideal" { "Ideal" } else { "Typical" }),
        seed: overrides.seed,
    };
    let mut was = reconstruct(heard, watchfulness, ("the outage", &asked))?;
    if overrides.kubernetes.is_none() && was.grace != watchfulness.grace {
        was.notes.extend(fits(was.grace));
    }
    terminal.aside(&was.notes);
    if let Some(out) = &args.out {
        write_text(Some(out), &was.text, terminal)?;
    }
    let loaded = scenario::parse("incident.ron", was.text.clone().into_bytes(), Path::new(""))?;
    let courses = courses("as it was", loaded, &overrides, &args.what_if)?;
    let runs = match was.alone {
        true => Vec::new(),
        false => run_all(&courses, args.seeds, jobs(args.jobs), "incident", terminal)?,
    };
    let base = runs.first().map(Vec::as_slice).unwrap_or_default();
    let verdict = verdict(&was, &courses[0], base, args.within)?;
    let names = courses.iter().map(|c| c.name.clone());
    let forecasts: Vec<(String, Forecast)> =
        names.zip(runs.iter().map(|c| Forecast::of(c))).collect();
    let basis = Basis {
        clock: verdict.clock,
        head: courses[0].loaded.spec.doc.clone(),
        notes: verdict.notes.clone(),
        frees: Frees::ALL,
        horizon: verdict.horizon,
        ..Basis::default()
    };
    let beside = Outlook::all(&basis, &forecasts);
    let text = |p: &mut Printer<'_>| {
        write(p, &verdict, args.all)?;
        write_beside(p, &beside)
    };
    let document = || {
        let mut whole = document(&verdict);
        put_what_if(&mut whole, beside.get(1..).unwrap_or_default());
        whole
    };
    args.output.form.print(terminal, text, document, || table(&verdict))?;
    args.html.write(|| {
        let Course { loaded, overrides, .. } = &courses[0];
        let mut ran = Vec::new();
        if !was.alone {
            let run = run_for_page(loaded, overrides.clone(), DEFAULT_NEEDLESS_WINDOW)?;
            ran.push(("run".to_owned(), run));
        }
        let run = ran.first().map(|(name, _)| name.clone());
        page(|p| write(p, &verdict, true), |text| board(&verdict, text, run), ran)
    })?;
    Ok(Exit::fine_if(verdict.is_explained() || !args.exit_code))
}

fn read(file: &Path) -> Result<Evidence> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Input(Problem::new(format!("cannot read {}: {error}", file::shown(file))))
    };
    let bytes = if file::is_stdin(file) {
        file::stdin()?
    } else {
        file::there(file)?;
        files::read(file, LIMIT).map_err(|e| failed(&e))?
    };
    let bytes = files::unpack(bytes, LIMIT).map_err(|e| failed(&e))?;
    Ok(Evidence {
        file: file::shown(file),
        // What is broken in one line must not hide the others.
        text: files::text_anyway(&bytes),
    })
}

/// How the controllers look at their nodes: by the release and the settings that the outage is run
/// with, which are the export's where no other release is asked for.
fn watchfulness(cluster: Option<&ImportedCluster>, overrides: &Overrides) -> Result<Watchfulness> {
    let text = "Scenario(version: 1, horizon: \"1m\", nodes: [(name: \"n\")])";
    let mut loaded = scenario::parse("defaults", text.as_bytes().to_vec(), Path::new(""))?;
    if let Some(cluster) = cluster {
        loaded.take_settings(cluster);
    }
    let plan = scenario::build(&loaded, overrides)?;
    Ok(Watchfulness {
        grace: plan.flags.node_monitor_grace_period,
        period: plan.flags.node_monitor_period + plan.timing.pass_overhead,
    })
}

/// That the newest release with this grace period by default may be meant, if there is one.
fn fits(grace: Dur) -> Option<String> {
    let period = |r: &Release| profile(&r.short()).map(|p| p.node_monitor_grace_period);
    let has = |r: &Release| r.stage.is_none() && period(r) == Ok(grace);
    let fits = Release::all_minors().filter(has).last()?.short();
    Some(format!(
        "unless a flag says so, a grace period of {grace} is that of Kubernetes {fits}: --kubernetes {fits} may fit better"
    ))
}

fn verdict(was: &Reconstruction, course: &Course, base: &[Ran], within: Dur) -> Result<Verdict> {
    let plan = scenario::build(&course.loaded, &course.overrides)?;
    let pods = plan.pods.iter().map(|p| p.name.to_string()).collect();
    let mut matched = Matched::of(&was.evictions(), base, &pods, within);
    let deletions = &was.outage.deletions;
    matched.only_simulated.retain(|(pod, _)| !deletions.contains_key(pod));
    Ok(Verdict {
        clock: WallClock(was.start.0),
        told: was.told.clone(),
        matched,
        tolerance: within,
        deletions: (was.outage.each_deletion())
            .map(|(pod, d)| (pod.clone(), was.since(d.known.at), d.by.clone()))
            .collect(),
        horizon: plan.horizon,
        seeds: base.len() as u64,
        notes: plan.notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Input;

    /// 40 s up to 1.31, 50 s from 1.32 on (`--node-monitor-grace-period`); no release has 45 s.
    #[test]
    fn a_grace_period_tells_which_release_may_be_meant() {
        let said = fits(Dur::from_secs(40)).unwrap();
        assert!(
            said.ends_with(
                "a grace period of 40s is that of Kubernetes 1.31: --kubernetes 1.31 may fit better"
            ),
            "{said}"
        );
        assert_eq!(fits(Dur::from_secs(45)), None);
    }

    /// The same.
    #[test]
    fn what_is_inferred_is_inferred_with_the_release_of_the_export() {
        let export = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"nodeInfo": {"kubeletVersion": "v1.31.4"}}}"#;
        let input = Input::from_bytes("f", export.into()).unwrap();
        let cluster = ImportedCluster::read(&[input]).unwrap();
        let grace =
            |cluster, overrides: &Overrides| watchfulness(cluster, overrides).map(|w| w.grace).ok();
        let plain = Overrides::default();
        assert_eq!(grace(Some(&cluster), &plain), Some(Dur::from_secs(40)));
        assert_eq!(grace(None, &plain), Some(Dur::from_secs(50)));
        let asked = Overrides { kubernetes: Some("1.34".to_owned()), ..plain };
        assert_eq!(grace(Some(&cluster), &asked), Some(Dur::from_secs(50)));
    }
}
