//! What `taintsim explore` is asked for, and the plans that it comes to.

use super::html::HtmlArg;
use super::prelude::*;
use super::shards::{PlanShardsArgs, With};
use crate::lab::explore::{BATCH, Change, Faults, Strategy};
use crate::language::duration::format;
use crate::plan::Perturb;
use crate::profiles::Release;

/// How far entries of the timeline move where nobody says it.
const SLACK: Dur = Dur::from_secs(2);
/// The most deviations where nobody says it.
const DEPTH: u32 = 2;

/// Arguments of `taintsim explore`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExploreArgs {
    /// The scenario; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// What must hold, such as `pod-stuck` or `pod-stuck(10s)`; several may be given [default: all
    /// but deterministic and expect, which is what the scenario expects]
    #[arg(long = "property", short, value_name = "PROPERTY", value_parser = property)]
    pub(super) properties: Vec<Property>,
    /// How to choose which runs to try [default: exhaustive with --depth, and otherwise auto]
    #[arg(long, value_enum)]
    pub(super) strategy: Option<Strategy>,
    /// The most deviations from the default order; for pct the depth of the bug [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(super) depth: Option<u32>,
    /// How much earlier or later entries of the timeline may come than is written, in a part of the
    /// runs; for the strategy auto [default: 2s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) slack: Option<Dur>,
    /// Faults to add to the timeline, in the same runs, and how many of each at the most:
    /// `controller-restart<=1, partition<=2 of zone b`
    #[arg(long, value_name = "FAULT<=N,…")]
    pub(super) faults: Option<String>,
    /// The most runs [default: 20000, or no limit with --time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) runs: Option<u64>,
    /// The longest time, by the clock on the wall; what is found then depends on the machine
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) time: Option<Dur>,
    /// How many runs are made between two looks at what they found. Runs of one batch do not know
    /// each other's states, so that the counts of the report depend on it; each batch is a round of
    /// a work plan
    #[arg(long, value_name = "N", default_value_t = BATCH as u32, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) batch: u32,
    /// Ends the search when every property was found violated
    #[arg(long)]
    pub(super) until_found: bool,
    /// The first seed of what is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// How many runs at once; it does not change the report [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// The Kubernetes release, or a range of them as in 1.27..1.34 [default: the scenario's, or
    /// 1.34]
    #[arg(long, value_name = "RELEASES")]
    pub(super) kubernetes: Option<String>,
    /// Delays and limits: "typical" or "ideal" [default: the scenario's, or typical]
    #[arg(long, value_name = "TIMING")]
    pub(super) timing: Option<String>,
    /// Changes a setting of the scenario
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(super) sets: Vec<String>,
    /// Trouble to leave to the choices, too: stale (a watch is held back for a while), crash (the
    /// controllers' process dies after one of its writes), coalesce (a watch breaks; the list that
    /// follows shows only the last of several changes), request (a request of a controller fails, is
    /// late, conflicts, or is applied and its reply lost); of one alone: `request of taint-eviction`,
    /// `stale of kube-scheduler`
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(super) perturb: Vec<String>,
    /// The folder for tapes; those of FILE are in the folder NAME-explore in it, which is replaced
    /// as a whole
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// Makes of each violation what a maintainer of Kubernetes needs, in a folder NAME-1 in DIR: a
    /// report, the least scenario, the tape
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
    #[command(flatten)]
    pub(super) shards: PlanShardsArgs,
    #[command(flatten)]
    pub(super) output: OutputArg<TableFormat>,
    #[command(flatten)]
    pub(super) html: HtmlArg,
    /// Show neither progress nor speed
    #[arg(long, short)]
    pub(super) quiet: bool,
}

fn property(text: &str) -> Result<Property, String> {
    Property::parse(text).map_err(|e| e.to_string())
}

impl ExploreArgs {
    /// Says some of them anew.
    pub(crate) fn with(&mut self, with: &With) -> Result<(), Failure> {
        self.jobs = with.jobs.or(self.jobs);
        self.out = with.folder();
        self.html.put_into(&self.out);
        self.output.say(with.output.as_deref())
    }

    pub(super) fn properties(&self) -> Vec<Property> {
        if !self.properties.is_empty() {
            return self.properties.clone();
        }
        let all = Property::NAMES.iter().filter_map(|name| Property::parse(name).ok());
        all.filter(|p| ![Property::Deterministic, Property::Expect].contains(p)).collect()
    }

    pub(super) fn strategy(&self) -> Strategy {
        let auto = if self.depth.is_some() { Strategy::Exhaustive } else { Strategy::Auto };
        self.strategy.unwrap_or(auto)
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth.unwrap_or(DEPTH)
    }

    /// How far entries move, and what is added.
    pub(super) fn changes(&self) -> Result<(Dur, Faults), Failure> {
        let faults = self.faults.as_deref().map(Faults::parse).transpose()?.unwrap_or_default();
        let is_vain = self.strategy() == Strategy::Random && self.depth.is_some();
        let text = "--depth is of no use to the strategy random, which draws everything";
        refuse_if(is_vain, text, "leave one of the two out")?;
        if self.strategy() == Strategy::Auto {
            return Ok((self.slack.unwrap_or(SLACK), faults));
        }
        let text = "only the strategy auto changes the timeline, which is what --slack and --faults are for";
        let help = "leave --strategy and --depth out, or say --strategy auto";
        refuse_if(self.slack.is_some() || self.faults.is_some(), text, help)?;
        Ok((Dur::ZERO, faults))
    }

    /// How the timeline may be otherwise, in words.
    pub(super) fn changes_told(&self) -> String {
        let slack = format(self.slack.unwrap_or(SLACK));
        let faults = self.faults.as_ref().map(|faults| format!(", with {faults} added"));
        format!("entries up to {slack} earlier or later{}", faults.unwrap_or_default())
    }

    /// The trouble that is left to the choices of a plan.
    pub(super) fn perturb(&self, plan: &Plan) -> Result<Perturb, Problem> {
        let (mut perturb, clients) = (Perturb::default(), plan.clients());
        for trouble in &self.perturb {
            scenario::switch_on(&mut perturb, trouble.trim(), &clients)?;
        }
        Ok(perturb)
    }

    pub(super) fn overrides(&self, release: Option<&str>, changes: &[Change]) -> Overrides {
        Overrides {
            kubernetes: release.map(str::to_owned),
            timing: self.timing.clone(),
            seed: None,
            sets: self.sets.iter().cloned().chain(changes.iter().map(Change::set)).collect(),
            at_once: if changes.is_empty() { self.sets.len() } else { 0 },
            other: None,
        }
    }
}

/// The releases of `1.27..1.34`, the one of `1.34`, or none.
///
/// # Errors
/// What is no range of releases.
pub fn releases(text: Option<&str>) -> Result<Vec<Option<String>>, Failure> {
    let Some((from, to)) = text.and_then(|t| t.split_once("..")) else {
        return match text.filter(|text| text.contains(',')) {
            Some(list) => Err(Failure::input(
                format!("`{list}` is no release, and no range of them"),
                "a range has its oldest and its newest: `1.34..1.36`",
            )),
            None => Ok(vec![text.map(str::to_owned)]),
        };
    };
    let parse = |text: &str| {
        Release::parse(text.trim_start_matches('='))
            .map_err(|e| Problem::new(&e).maybe_help(e.hint))
    };
    let (from, to) = (parse(from)?, parse(to)?);
    let text = format!("there is no release from {from} to {to}");
    refuse_if(from.minor > to.minor, text, "write the older one first")?;
    let minors = Release::all_minors().filter(|r| (from.minor..=to.minor).contains(&r.minor));
    Ok(minors.map(|release| Some(release.short())).collect())
}
