//! Causes that are no news: races of the catalogue, and what upstream is known to do.

use super::cause::{HELD_UP, core, kinds};
use crate::prove::expected_of;
use crate::soak::UPSTREAM;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::cli::{Failure, load, missing};
use taintsim::kernel::Choices;
use taintsim::scenario::{self, Loaded, Overrides};
use taintsim::sim;

/// What there is to be said of a cause.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// Nothing: whoever reads it has to look.
    New,
    /// The cluster comes to it in the default order, with nothing added.
    ByItself,
    /// It is that race of the catalogue.
    Race(String),
    /// Upstream does that, and why.
    Upstream(&'static str),
}

/// Properties whose bound is what a watch may be behind, or less.
const LATE: [&str; 8] = [
    "pod-stuck",
    "taint-stale",
    "stale-ready",
    "not-replaced",
    "timer-stale",
    "bound-to-cordoned",
    "budget-overdrawn",
    "never-ready",
];

/// Where the catalogue is.
const WHERE: &str =
    "`--races DIR`: the folder `scenarios/races` of taintsim's source, whose races are no news";

/// The races of the catalogue, by what happens; each with the kinds of trouble in it.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<String, Vec<(String, BTreeSet<String>)>>);

impl Known {
    /// Those of a folder.
    ///
    /// # Errors
    /// The folder, or a scenario in it, cannot be read.
    pub(super) fn of(folder: &Path) -> Result<Self, Failure> {
        let mut known = BTreeMap::<String, Vec<_>>::new();
        if let Some(problem) = missing(folder) {
            return Err(Failure::Input(problem.or_help(WHERE)));
        }
        let failed =
            |e: std::io::Error| Failure::Io(format!("cannot read {}: {e}", folder.display()));
        let files = std::fs::read_dir(folder).map_err(failed)?;
        let mut files: Vec<_> = files.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == "ron"));
        files.sort();
        for file in files {
            let loaded = load(&file)?;
            let Some(Ok(property)) = expected_of(&loaded).map(|name| Property::parse(&name)) else {
                continue;
            };
            let plan = scenario::build(&loaded, &Overrides::default())?;
            let run = match plan.tape {
                Some(_) => sim::replay(&plan),
                None => sim::search(&plan, Choices::default_order()),
            };
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let actions = actions(&loaded);
            let tape = plan.tape.as_deref().unwrap_or_default();
            let takes = kinds(actions.iter().map(String::as_str), tape);
            for violation in check(&property, &Analysis::new(&plan, &run.trace)) {
                let of_it = known.entry(core(&violation, &run.trace)).or_default();
                of_it.push((name.clone(), takes.clone()));
            }
        }
        Ok(Self(known))
    }

    /// What is to be said of what happened, if it takes that, and whether the default order comes to it. It is a race of
    /// the catalogue if it takes no other kind of trouble than that.
    pub(super) fn class(&self, core: &str, takes: &[String], by_itself: bool) -> Class {
        let is_it = |(_, has): &&(String, BTreeSet<String>)| {
            takes.iter().all(|kind| kind == HELD_UP || has.contains(kind))
        };
        if let Some((race, _)) = self.0.get(core).and_then(|all| all.iter().find(is_it)) {
            return Class::Race(race.clone());
        }
        let property = core.split(':').next().unwrap_or_default();
        // The cluster's own timeline may have it.
        let restarts = core.contains("controllers-stopped");
        let is_there = |kind: &str| {
            kind == "crash" && restarts || takes.iter().any(|takes| kind_of(takes).contains(&kind))
        };
        if LATE.contains(&property) && takes.iter().any(|t| t == HELD_UP) {
            return Class::Upstream(
                "what has a minute's time is late where controllers are held up for as long",
            );
        }
        match UPSTREAM.iter().find(|(p, kind, _)| *p == property && is_there(kind)) {
            Some((_, _, why)) => Class::Upstream(why),
            None if by_itself => Class::ByItself,
            None => Class::New,
        }
    }
}

/// The kinds of trouble by which it is said what upstream does.
fn kind_of(takes: &str) -> &'static [&'static str] {
    match takes {
        "controllers restart" => &["crash"],
        "requests fail" => &["request"],
        "API away" => &["request", "outage"],
        "clock skew" => &["clock"],
        _ => &[],
    }
}

/// The actions in a scenario's timeline, as a file writes them.
fn actions(loaded: &Loaded) -> Vec<String> {
    let entries = serde_json::to_value(&loaded.spec.timeline).unwrap_or_default();
    let action = |entry: &Value| match &entry["do"] {
        Value::Object(of) => of.keys().next().cloned(),
        word => word.as_str().map(str::to_owned),
    };
    entries.as_array().into_iter().flatten().filter_map(action).collect()
}
