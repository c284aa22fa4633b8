//! The run loop.

use super::cluster::Cluster;
use super::shared_plan::Common;
use super::timeline::Timeline;
use crate::kernel::{Choices, Kernel};
use crate::sim::prelude::*;
use crate::trace::Trace;

/// How often a watched run reports how far it is, in events.
const EVENTS_BETWEEN_REPORTS: u64 = 1 << 16;

/// How far a run is, for whoever shows it. Returning false ends the run early.
pub type Progress<'a> = &'a mut dyn FnMut(Time) -> bool;

/// Runs a plan to its horizon. The same plan and choices give the same trace.
pub fn run(plan: &Plan, choices: Choices) -> Trace {
    run_with(plan, choices, false, &mut |_| true).0
}

/// As [`run`], with every heartbeat and every pass simulated; the trace must be the same.
pub fn run_eager(plan: &Plan, choices: Choices) -> Trace {
    run_with(plan, choices, true, &mut |_| true).0
}

/// Runs a plan and reports how far it is now and then. The second part says whether the horizon was
/// reached.
pub fn run_watched(plan: &Plan, choices: Choices, progress: Progress<'_>) -> (Trace, bool) {
    run_with(plan, choices, false, progress)
}

/// As [`run_eager`], watched.
pub fn run_eager_watched(plan: &Plan, choices: Choices, progress: Progress<'_>) -> (Trace, bool) {
    run_with(plan, choices, true, progress)
}

fn run_with(plan: &Plan, choices: Choices, eager: bool, progress: Progress<'_>) -> (Trace, bool) {
    let mut kernel = Kernel::new(choices);
    let cluster = Cluster::new(plan, &Common::of(plan), &kernel.ctx(), eager, Trace::default());
    Timeline::schedule(&cluster);
    let mut next_report = EVENTS_BETWEEN_REPORTS;
    let mut finished = true;
    while kernel.step_until(plan.horizon) {
        if kernel.steps() >= next_report {
            next_report = kernel.steps() + EVENTS_BETWEEN_REPORTS;
            if !progress(kernel.ctx().now()) {
                finished = false;
                break;
            }
        }
    }
    let end = if finished { plan.horizon } else { kernel.ctx().now() };
    debug_assert!(end <= plan.horizon + Dur::ZERO);
    (cluster.finish(end), finished)
}
