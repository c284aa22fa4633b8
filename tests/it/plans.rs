//! Plans of scenarios that tests have as texts, and runs of them.

use std::path::Path;
use taintsim::kernel::Choices;
use taintsim::language::Problems;
use taintsim::plan::Plan;
use taintsim::scenario::{self, Overrides};
use taintsim::sim::{run, run_eager};
use taintsim::trace::Trace;

fn read(text: &str, sets: &[&str]) -> Result<Plan, Problems> {
    let loaded = scenario::parse("case.ron", text.as_bytes().to_vec(), Path::new(""))?;
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    scenario::build(&loaded, &Overrides { sets, ..Overrides::default() })
}

/// The plan of a text with these settings, or what is wrong with it.
pub(super) fn built(text: &str, sets: &[&str]) -> Result<Plan, String> {
    read(text, sets).map_err(|p| p.to_string())
}

/// The plan of a text, or what is wrong with it as people see it.
pub(super) fn drawn(text: &str) -> Result<Plan, String> {
    read(text, &[]).map_err(|p| taintsim::report::diagnostics::draw(&p, false, 120))
}

/// The plan of a text with which nothing is wrong.
pub(super) fn plan(text: &str) -> Plan {
    drawn(text).unwrap_or_else(|p| panic!("{p}"))
}

/// The run of a plan under a seed, which is the same where every heartbeat is simulated.
pub(super) fn ran(plan: &Plan, seed: u64) -> Trace {
    let trace = run(plan, Choices::seeded(seed));
    assert!(trace.iter().eq(run_eager(plan, Choices::seeded(seed)).iter()), "eager is no other");
    trace
}
