//! Runs: scenarios that build after a change are run, and what they record is written and read
//! back.

use crate::files::{RON, built, said, scenarios};
use crate::target::{Kind, Outcome, Target, refused, taken};
use taintsim::analysis::Analysis;
use taintsim::kernel::{Choices, Dur, Time};
use taintsim::plan::Plan;
use taintsim::report::{events, names_json};
use taintsim::sim;

/// The largest cluster that is run.
const NODES_MAX: usize = 60;
const PODS_MAX: usize = 400;
const ENTRIES_MAX: usize = 200;

/// So much virtual time is run at most.
pub(crate) const HORIZON_MAX: Dur = Dur::from_secs(900);

pub(crate) static TARGETS: [Target; 1] = [Target {
    name: "runs",
    kind: Kind::Run,
    text: true,
    long: 200_000,
    seeds: scenarios,
    words: RON,
    check: || Box::new(run),
}];

/// Whether a cluster and its timeline are small enough to be run often.
pub(crate) fn is_small(plan: &Plan) -> bool {
    plan.nodes.len() <= NODES_MAX
        && plan.pods.len() <= PODS_MAX
        && plan.timeline.len() <= ENTRIES_MAX
}

fn run(input: &[u8]) -> Outcome {
    let mut plan = match built(input) {
        Ok(plan) => plan,
        Err(problems) => return said(&problems),
    };
    if !is_small(&plan) {
        return refused(0);
    }
    plan.horizon = plan.horizon.min(Time::ZERO + HORIZON_MAX);
    let mut looks = 0;
    // A run is watched every 65,536 events, and ended at the second look.
    let (trace, finished) =
        sim::run_watched(&plan, Choices::seeded(plan.timeline.len() as u64), &mut |_| {
            looks += 1;
            looks < 2
        });
    let (mut names, mut lines) = (Vec::new(), Vec::new());
    let write = |names: &mut Vec<u8>, lines: &mut Vec<u8>, trace| {
        names_json::write(names, trace)
            .and_then(|()| events::write(lines, &Analysis::new(&plan, trace)))
    };
    write(&mut names, &mut lines, &trace).map_err(|e| format!("records cannot be written: {e}"))?;
    let mut again =
        names_json::read(&names).map_err(|e| format!("names.json cannot be read: {e}"))?;
    again.horizon = trace.horizon;
    let text = std::str::from_utf8(&lines).map_err(|e| format!("events.jsonl is no UTF-8: {e}"))?;
    let again =
        events::read(text, again).map_err(|e| format!("events.jsonl cannot be read: {e}"))?;
    let (mut names_again, mut lines_again) = (Vec::new(), Vec::new());
    write(&mut names_again, &mut lines_again, &again)
        .map_err(|e| format!("records cannot be written again: {e}"))?;
    if names != names_again || lines != lines_again {
        return Err("records read and written again differ".to_owned());
    }
    taken(
        1 ^ u64::from(trace.len().checked_ilog2().unwrap_or(0)) << 8
            ^ u64::from(finished) << 16
            ^ (plan.timeline.len() as u64) << 24,
    )
}
