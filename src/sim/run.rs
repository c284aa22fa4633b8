//! The run loop.
//!
//! Runs that are part of a search: the order within each instant is a choice, too, and each step
//! notes what it did.

use super::cluster::{Cluster, Timeline};
use super::shared_plan::Common;
use crate::kernel::choice::{Deviation, Drawn};
use crate::kernel::search::{self, Wanted};
use crate::kernel::{Choices, Kernel, Room};
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

/// A run that is part of a search.
#[derive(Debug)]
pub struct Searched {
    /// What happened, up to where the run ended.
    pub trace: Trace,
    /// What its steps did.
    pub notes: search::Searched,
    /// Every choice, in order.
    pub choices: Vec<Drawn>,
    /// Whether it ended early: in a state that was known, or because an end was asked for.
    pub(crate) known: bool,
    /// How many records there were after each step; nothing where only states are wanted.
    pub records: Vec<u32>,
    /// Deviations of its tape that no choice came up for.
    pub unmet: Vec<Deviation>,
}

/// Says of a state in which there is a choice of interest of who comes next whether the run may end
/// there: it is given the state's fingerprint.
pub type Known<'a> = &'a mut dyn FnMut(u64) -> bool;

/// Asked now and then within a run whether to go on with it.
pub(crate) type GoesOn<'a> = &'a dyn Fn() -> bool;

/// How many steps are taken between two questions whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 1 << 8;

/// Runs a plan with its own tape over the default order.
pub fn replay(plan: &Plan) -> Searched {
    replay_watched(plan, &|| true)
}

/// As [`replay`], as long as it may go on.
pub(crate) fn replay_watched(plan: &Plan, goes_on: GoesOn<'_>) -> Searched {
    search_once(plan, taped(plan), Wanted::default(), goes_on)
}

/// The plan's own tape over the default order.
fn taped(plan: &Plan) -> Choices {
    Choices::tape(plan.tape.clone().unwrap_or_default(), Choices::default_order())
}

/// What happens in a plan with its own tape, as [`replay`] has it; none if it may not go on.
/// Nothing else of the run is kept.
pub fn play(plan: &Plan, goes_on: GoesOn<'_>) -> Option<Trace> {
    let run = search_once(plan, taped(plan), Wanted::NOTHING, goes_on);
    (!run.known).then_some(run.trace)
}

/// Runs a plan with everything drawn about as often as upstream comes to it, the order within each
/// instant included.
pub fn draw(plan: &Plan, seed: u64) -> Trace {
    search_once(plan, Choices::natural(seed), Wanted::NOTHING, &|| true).trace
}

/// Runs a plan with the order within each instant a choice, too.
pub fn search(plan: &Plan, choices: Choices) -> Searched {
    search_once(plan, choices, Wanted::default(), &|| true)
}

fn search_once(plan: &Plan, choices: Choices, wanted: Wanted, goes_on: GoesOn<'_>) -> Searched {
    let (mut tables, common) = (Tables::default(), Common::of(plan));
    search_in(&mut tables, plan, &common, choices, wanted, &mut |_| false, goes_on)
}

/// Runs a plan again and again, each time in the tables of the time before: a run of a search is
/// short, and making tables much of it.
pub struct Searcher {
    plan: Plan,
    common: Common,
    tables: Tables,
}

#[derive(Default)]
struct Tables {
    kernel: Room,
    records: Vec<u32>,
    trace: Trace,
}

impl Searcher {
    /// For runs of a plan.
    pub fn new(plan: Plan) -> Self {
        Self { common: Common::of(&plan), plan, tables: Tables::default() }
    }

    /// What is run.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs a tape over the default order.
    pub fn search(
        &mut self,
        tape: Vec<Deviation>,
        wanted: Wanted,
        known: Known<'_>,
        goes_on: GoesOn<'_>,
    ) -> Searched {
        let choices = Choices::tape(tape, Choices::default_order());
        search_in(&mut self.tables, &self.plan, &self.common, choices, wanted, known, goes_on)
    }

    /// Runs with these choices, as long as it may go on. What the steps do is not noted but for the
    /// fingerprint of it all.
    pub(crate) fn decided(&mut self, choices: Choices, goes_on: GoesOn<'_>) -> Searched {
        let Self { plan, common, tables } = self;
        search_in(tables, plan, common, choices, Wanted::CHOICES, &mut |_| false, goes_on)
    }

    /// As [`Self::decided`], of another plan.
    pub(crate) fn decided_of(
        &mut self,
        plan: &Plan,
        choices: Choices,
        goes_on: GoesOn<'_>,
    ) -> Searched {
        let (tables, common) = (&mut self.tables, Common::of(plan));
        search_in(tables, plan, &common, choices, Wanted::CHOICES, &mut |_| false, goes_on)
    }

    /// Takes back a run that is of no more use.
    pub fn take_back(&mut self, run: Searched) {
        self.tables.kernel.take_back(run.notes, run.choices);
        self.tables.records = run.records;
        self.tables.trace = run.trace.emptied();
    }
}

fn search_in(
    tables: &mut Tables,
    plan: &Plan,
    common: &Common,
    choices: Choices,
    wanted: Wanted,
    known: Known<'_>,
    goes_on: GoesOn<'_>,
) -> Searched {
    let mut kernel = Kernel::searching_in(&mut tables.kernel, choices, wanted);
    let cluster =
        Cluster::new(plan, common, &kernel.ctx(), false, std::mem::take(&mut tables.trace));
    Timeline::schedule(&cluster);
    let mut records = std::mem::take(&mut tables.records);
    records.clear();
    let mut asked = false;
    while !asked && kernel.search_until(plan.horizon, known) {
        if !wanted.only_states {
            records.push(cluster.world.api.records());
        }
        asked = kernel.steps().is_multiple_of(STEPS_BETWEEN_QUESTIONS) && !goes_on();
    }
    let known = asked || kernel.ended_known();
    let unmet = kernel.ctx().unmet();
    let (notes, choices) = kernel.searched();
    let end = if known { kernel.ctx().now() } else { plan.horizon };
    let trace = cluster.finish(end);
    drop(cluster);
    kernel.leave(&mut tables.kernel);
    Searched { trace, notes, choices, known, records, unmet }
}
