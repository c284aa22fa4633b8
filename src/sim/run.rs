//! The run loop.

use super::cluster::Cluster;
use super::plan::Plan;
use crate::kernel::choice::{Deviation, Drawn};
use crate::kernel::search;
use crate::kernel::{self, Choices, Dur, Kernel, Time};
use crate::trace::Trace;

/// How often a watched run tells how far it is, in events.
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

/// Runs a plan and tells how far it is now and then. The second part says whether the horizon was reached.
pub fn run_watched(plan: &Plan, choices: Choices, progress: Progress<'_>) -> (Trace, bool) {
    run_with(plan, choices, false, progress)
}

/// A run that is part of a search.
#[derive(Debug)]
pub struct Searched {
    /// What happened, up to where the run ended.
    pub trace: Trace,
    /// What its steps did.
    pub notes: search::Searched,
    /// Every choice, in order.
    pub choices: Vec<Drawn>,
    /// Whether it ended early, in a state that was known.
    pub known: bool,
    /// How many records there were after each step.
    pub records: Vec<u32>,
    /// Deviations of its tape that no choice came up for.
    pub unmet: Vec<Deviation>,
}

/// Runs a plan with its own tape over the default order.
pub fn replay(plan: &Plan) -> Searched {
    let tape = plan.tape.clone().unwrap_or_default();
    search(plan, Choices::tape(tape, Choices::default_order()), &mut |_, _| false)
}

/// Runs a plan with the order within each instant a choice, too. `known` is asked in every state in which there is such a choice, with the
/// state's fingerprint and how many choices were made before; if it says so, the run ends there.
pub fn search(plan: &Plan, choices: Choices, known: &mut dyn FnMut(u64, usize) -> bool) -> Searched {
    search_in(&mut Room::default(), plan, choices, known)
}

/// The tables of a search's run that is over, for the next.
#[derive(Default)]
pub struct Room {
    kernel: kernel::Room,
    records: Vec<u32>,
}

impl Room {
    /// Choices that follow a tape over the default order.
    pub fn tape(&mut self, tape: Vec<Deviation>) -> Choices {
        self.kernel.tape(tape)
    }

    /// Takes back a run that is of no more use.
    pub fn take_back(&mut self, run: Searched) {
        self.kernel.take_back(run.notes, run.choices);
        self.records = run.records;
    }
}

/// As [`search`], in the tables of an earlier run.
pub fn search_in(room: &mut Room, plan: &Plan, choices: Choices, known: &mut dyn FnMut(u64, usize) -> bool) -> Searched {
    let mut kernel = Kernel::searching_in(&mut room.kernel, choices);
    let cluster = Cluster::new(plan, &kernel.ctx(), false);
    let mut records = std::mem::take(&mut room.records);
    records.clear();
    while kernel.search_until(plan.horizon, known) {
        records.push(cluster.records());
    }
    let known = kernel.ended_known();
    let unmet = kernel.ctx().unmet();
    let (notes, choices) = kernel.searched();
    let end = if known { kernel.ctx().now() } else { plan.horizon };
    let trace = cluster.finish(end);
    drop(cluster);
    kernel.leave(&mut room.kernel);
    Searched { trace, notes, choices, known, records, unmet }
}

fn run_with(plan: &Plan, choices: Choices, eager: bool, progress: Progress<'_>) -> (Trace, bool) {
    let mut kernel = Kernel::new(choices);
    let cluster = Cluster::new(plan, &kernel.ctx(), eager);
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
