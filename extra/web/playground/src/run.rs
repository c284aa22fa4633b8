//! A scenario that is checked or run, with the same functions and in the same order as the program
//! does it.

use crate::mistakes;
use crate::packet::pack;
use crate::question::Scenario;
use serde_json::{Value, json};
use std::path::Path;
use taintsim::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use taintsim::kernel::Choices;
use taintsim::language::{Problem, Problems};
use taintsim::plan::Plan;
use taintsim::report::html::columns_of;
use taintsim::report::{Report, Source, events as records};
use taintsim::scenario::{self, Overrides};
use taintsim::sim;
use taintsim::trace::Trace;

/// A scenario that is ready to run.
struct Ready {
    plan: Plan,
    source: Source,
    groups: Vec<String>,
}

impl Ready {
    /// What is said of it before it runs.
    fn said(&self) -> Value {
        json!({
            "name": self.plan.name,
            "nodes": self.plan.nodes.len(),
            "pods": self.plan.pods.len(),
            "seed": self.source.seed.to_string(),
            "release": self.plan.profile.released(),
        })
    }

    fn run(&self) -> Trace {
        if self.plan.tape.is_some()
            && let Some(trace) = sim::play(&self.plan, &|| true)
        {
            return trace;
        }
        sim::run(&self.plan, Choices::seeded(self.source.seed))
    }
}

/// Which mistakes a scenario has, or what it is.
pub(crate) fn check(scenario: Scenario) -> Vec<u8> {
    with(scenario, |ready| pack(&ready.said(), &[]))
}

/// Whether columns say why things happened, which takes longer to tell than all the rest.
pub(crate) enum Reasons {
    Told,
    Untold,
}

/// A run as columns for the report's page.
pub(crate) fn columns(scenario: Scenario, reasons: Reasons) -> Vec<u8> {
    with(scenario, |ready| {
        let trace = ready.run();
        let analysis = Analysis::new(&ready.plan, &trace);
        let report = Report::new(&analysis, &ready.source, DEFAULT_NEEDLESS_WINDOW);
        let columns = match reasons {
            Reasons::Told => columns_of(&report, Some(&ready.groups)),
            Reasons::Untold => columns_of(&report, None),
        };
        pack(&ready.said(), &columns)
    })
}

/// A run's records, as `events.jsonl` has them.
pub(crate) fn events(scenario: Scenario) -> Vec<u8> {
    with(scenario, |ready| {
        let trace = ready.run();
        let analysis = Analysis::new(&ready.plan, &trace);
        let mut lines = Vec::new();
        match records::write(&mut lines, &analysis) {
            Ok(_) => pack(&ready.said(), &lines),
            Err(error) => mistakes::defect(&error.to_string()),
        }
    })
}

fn with(scenario: Scenario, answer: impl FnOnce(&Ready) -> Vec<u8>) -> Vec<u8> {
    let (name, text) = (scenario.name.clone(), scenario.text.clone());
    match ready(scenario) {
        Ok(ready) => answer(&ready),
        Err(problems) => mistakes::of(&problems, &name, &text),
    }
}

fn ready(asked: Scenario) -> Result<Ready, Problems> {
    let overrides = Overrides {
        seed: asked.seed.as_deref().map(number).transpose()?,
        kubernetes: asked.kubernetes,
        ..Overrides::default()
    };
    let loaded = scenario::parse(&asked.name, asked.text.into_bytes(), Path::new(""))?;
    let plan = scenario::build(&loaded, &overrides)?;
    let seed = scenario::seed(&loaded, &overrides)?;
    Ok(Ready {
        plan,
        groups: loaded.groups(),
        source: Source {
            file: asked.name,
            fingerprint: loaded.fingerprint(),
            set: overrides.as_sets(),
            text: loaded.source.text,
            seed,
        },
    })
}

fn number(text: &str) -> Result<u64, Problems> {
    text.trim().parse().map_err(|_| {
        Problems::one(Problem::new(format!(
            "the seed is {text:?}, not a whole number from 0 to {}",
            u64::MAX
        )))
    })
}
