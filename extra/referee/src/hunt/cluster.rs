//! A cluster that is drawn, and what the runs of it violate.

use super::cause::{core, takes};
use crate::soak;
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, Violation, check};
use taintsim::kernel::Choices;
use taintsim::kernel::Dur;
use taintsim::kernel::choice::Deviation;
use taintsim::lab::dice::Dice;
use taintsim::lab::explore::{Change, Changing, Explore, Faults, Strategy, explore};
use taintsim::plan::{Perturb, Plan};
use taintsim::scenario::{self, Loaded, Overrides, switch_on};
use taintsim::sim::{self, Searched};

/// How many runs of a cluster have the same kinds of trouble.
pub(super) const ROUND: u64 = 16;
/// How far entries of the timeline move.
const SLACK: Dur = Dur::from_secs(2);
/// Kinds of trouble, as `--perturb` has them.
const TROUBLE: [&str; 4] = ["stale", "crash", "coalesce", "request"];
/// Kinds of faults, as `--faults` has them.
const FAULTS: [&str; 11] = [
    "partition",
    "crash",
    "reboot",
    "kubelet-restart",
    "clock-skew",
    "drain",
    "delete-node",
    "controller-restart",
    "api-outage",
    "too-many-requests",
    "watch-stall",
];

/// A cluster.
pub(super) struct Cluster {
    pub(super) seed: u64,
    pub(super) release: String,
    loaded: Loaded,
    /// Entries of its timeline.
    pub(super) entries: Vec<Change>,
}

/// Some runs of a cluster with the same kinds of trouble.
pub(super) struct Round {
    strategy: Strategy,
    /// As `--perturb` has it; none where it is empty.
    pub(super) trouble: &'static str,
    /// As `--faults` has them.
    faults: Vec<&'static str>,
    seed: u64,
}

/// A run that violates something.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) property: Property,
    /// What happened, without names and times.
    pub(super) core: String,
    pub(super) trouble: &'static str,
    pub(super) changes: Vec<Change>,
    pub(super) tape: Vec<Deviation>,
}

impl Raw {
    /// What it is told apart by before it is known what it needs.
    pub(super) fn key(&self) -> String {
        let takes: Vec<String> = takes(&self.changes, &[]).into_iter().collect();
        format!("{} / {} {}", self.core, self.trouble, takes.join(" "))
    }
}

/// How many runs a cluster had, by kinds of trouble, and the first run of each kind of violation.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) runs: u64,
    pub(super) by_kind: BTreeMap<String, u64>,
    pub(super) found: Vec<Raw>,
}

impl Cluster {
    /// That of a seed, of one of these releases.
    pub(super) fn drawn(seed: u64, releases: &[String]) -> Self {
        Self::of(seed, soak::hunted(seed, releases))
    }

    /// That of a text, which is a scenario.
    pub(super) fn of(seed: u64, text: String) -> Self {
        let name = format!("cluster-{seed}.ron");
        let loaded = scenario::parse(&name, text.into_bytes(), Path::new(""));
        let loaded = loaded.unwrap_or_else(|e| panic!("the cluster of seed {seed} is none: {e:?}"));
        let timeline = scenario::changed(&loaded, &Overrides::default()).map(|s| s.timeline);
        let entries = Change::none(&timeline.unwrap_or_default());
        let mut cluster = Self { seed, release: String::new(), loaded, entries };
        if let Some(plan) = cluster.plan(&[], "") {
            cluster.release = plan.profile.released().to_owned();
        }
        cluster
    }

    /// The text of its scenario.
    pub(super) fn text(&self) -> String {
        self.loaded.source.text.to_string()
    }

    /// The plan with changes of the timeline and a kind of trouble; none where that is no scenario.
    pub(super) fn plan(&self, changes: &[Change], trouble: &str) -> Option<Plan> {
        let sets = changes.iter().map(Change::set).collect();
        let overrides = Overrides { sets, ..Overrides::default() };
        let mut plan = scenario::build(&self.loaded, &overrides).ok()?;
        let clients = plan.clients();
        plan.perturb = Perturb::default();
        if !trouble.is_empty() {
            switch_on(&mut plan.perturb, trouble, &clients).ok()?;
        }
        Some(plan)
    }

    /// What is drawn to be done with it.
    pub(super) fn rounds(&self, runs: u64) -> Vec<Round> {
        // Not the draws that the cluster came of.
        let mut dice = Dice::new(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rounds = runs.div_ceil(ROUND);
        (0..rounds).map(|_| Round::drawn(&mut dice)).collect()
    }

    /// Makes all its runs; none where it may not go on. What it violates by itself, in the default order, is not looked
    /// for in other runs.
    pub(super) fn hunt(
        &self,
        runs: u64,
        pool: &ThreadPool,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Runs> {
        let mut all = Runs::default();
        let mut properties = looked_for();
        self.add(&mut all, &properties, (&[], "", &[]));
        let by_itself: BTreeSet<Property> = all.found.iter().map(|raw| raw.property).collect();
        properties.retain(|p| !by_itself.contains(p));
        for round in self.rounds(runs) {
            let tapes = self.round(&round, &properties, pool, goes_on, &mut all)?;
            for (changes, tape) in tapes {
                if !goes_on() {
                    return None;
                }
                self.add(&mut all, &properties, (&changes, round.trouble, &tape));
            }
        }
        Some(all)
    }

    /// Adds what a run violates in a way that none did before.
    fn add(
        &self,
        all: &mut Runs,
        properties: &[Property],
        run: (&[Change], &'static str, &[Deviation]),
    ) {
        let (changes, trouble, tape) = run;
        let Some(plan) = self.plan(changes, trouble) else { return };
        let (searched, violations) = violations(&plan, properties, tape);
        for violation in violations {
            let raw = Raw {
                property: violation.property,
                core: core(&violation, &searched.trace),
                trouble,
                changes: changes.to_vec(),
                tape: tape.to_vec(),
            };
            if all.found.iter().all(|known| known.key() != raw.key()) {
                all.found.push(raw);
            }
        }
    }

    /// The runs of a round that violate anything, each once.
    fn round(
        &self,
        round: &Round,
        properties: &[Property],
        pool: &ThreadPool,
        goes_on: &(dyn Fn() -> bool + Sync),
        all: &mut Runs,
    ) -> Option<BTreeSet<(Vec<Change>, Vec<Deviation>)>> {
        let plan = || {
            let plan = self.plan(&[], round.trouble);
            plan.unwrap_or_else(|| unreachable!("the cluster is a scenario, and so is this"))
        };
        let changed = |changes: &[Change]| self.plan(changes, round.trouble);
        let faults = Faults::parse(&round.faults.join(","));
        let faults = if round.faults.is_empty() { Faults::default() } else { faults.ok()? };
        let entries = self.entries.clone();
        let wanted = Explore {
            strategy: round.strategy,
            depth: 4,
            runs: ROUND,
            batch: ROUND as usize,
            until_found: false,
            changing: Some(Changing { plan: &changed, entries, slack: SLACK, faults }),
            ..Explore::drawing(&plan, properties, &[], round.seed)
        };
        // It ends with its batch: what is found is made small elsewhere.
        let (report, _) = explore(&wanted, pool, &|runs| runs == 0 && goes_on());
        if !goes_on() {
            return None;
        }
        all.runs += report.runs;
        for kind in round.kinds() {
            *all.by_kind.entry(kind).or_default() += report.runs;
        }
        Some(report.violations.into_iter().map(|v| (v.changes, v.tape)).collect())
    }
}

impl Round {
    fn drawn(dice: &mut Dice) -> Self {
        let trouble = if dice.once_in(3) { "" } else { dice.one(&TROUBLE) };
        let strategy = match dice.below(4) {
            0 => Strategy::Random,
            1 => Strategy::Pct,
            _ => Strategy::Changed,
        };
        let mut faults = BTreeSet::new();
        if strategy == Strategy::Changed {
            for _ in 0..dice.below(3) {
                faults.insert(dice.one(&FAULTS));
            }
        }
        Self { strategy, trouble, faults: faults.into_iter().collect(), seed: dice.any() >> 8 }
    }

    /// What is wrong in its runs.
    pub(super) fn kinds(&self) -> Vec<String> {
        let mut kinds: Vec<String> = self.faults.iter().map(|f| (*f).to_owned()).collect();
        if !self.trouble.is_empty() {
            kinds.push(format!("choices: {}", self.trouble));
        }
        if kinds.is_empty() {
            kinds.push("none".to_owned());
        }
        kinds
    }
}

/// The run of a tape, and what that violates of these properties.
pub(super) fn violations(
    plan: &Plan,
    properties: &[Property],
    tape: &[Deviation],
) -> (Searched, Vec<Violation>) {
    let run = sim::search(plan, Choices::tape(tape.to_vec(), Choices::default_order()));
    let analysis = Analysis::new(plan, &run.trace);
    let violations = properties.iter().flat_map(|p| check(p, &analysis)).collect();
    (run, violations)
}

/// All properties that are of a run alone.
pub(super) fn looked_for() -> Vec<Property> {
    let all = Property::NAMES.iter().filter_map(|name| Property::parse(name).ok());
    all.filter(|p| ![Property::Deterministic, Property::Expect].contains(p)).collect()
}
