//! Whether a candidate violates the property, and how.

use super::{Failed, Size};
use crate::analysis::Analysis;
use crate::analysis::properties::{Property, check};
use crate::kernel::choice::Deviation;
use crate::kernel::{Choices, Time};
use crate::lab::explore::{Explore, Strategy, explore};
use crate::scenario::layout::Piece;
use crate::scenario::{Loaded, Overrides, build, parse};
use crate::sim::plan::{NodeStart, Plan, PodStart};
use crate::sim::{run, search};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// At most so many runs search for an order that shifted.
const RUNS: u64 = 400;

/// How chance is decided where no tape says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// Always the first alternative, as a tape has it.
    DefaultOrder,
    /// Drawn, as `taintsim run` does with that seed.
    Seed(u64),
}

/// What the run of a candidate came to.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The first violation, in one line.
    pub(super) text: String,
    /// When it was certain.
    pub(super) at: Time,
    /// The deviations of the run.
    pub(super) tape: Vec<Deviation>,
    /// The release.
    pub(super) release: String,
    pub(super) size: Size,
}

/// Runs candidates.
pub(super) struct Judge<'a> {
    loaded: &'a Loaded,
    pub(super) property: Property,
    basis: Basis,
    /// One thread, for searches; none if it cannot be had, and then there are none.
    pool: Option<ThreadPool>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(loaded: &'a Loaded, property: Property, basis: Basis) -> Self {
        Judge { loaded, property, basis, pool: ThreadPoolBuilder::new().num_threads(1).build().ok() }
    }

    fn load(&self, tree: &Piece) -> Option<Loaded> {
        parse(&self.loaded.source.name, tree.flat().into_bytes(), &self.loaded.folder).ok()
    }

    fn plan(&self, tree: &Piece) -> Option<Plan> {
        build(&self.load(tree)?, &Overrides::default()).ok()
    }

    /// The scenario as it came.
    pub(super) fn first(&self, tree: &Piece, tape: Vec<Deviation>) -> Result<Seen, Failed> {
        let loaded = parse(&self.loaded.source.name, tree.flat().into_bytes(), &self.loaded.folder).map_err(Failed::Problems)?;
        build(&loaded, &Overrides::default()).map_err(Failed::Problems)?;
        self.run(tree, &tape).ok_or(Failed::Holds)
    }

    /// Whether a candidate violates, with the tape or with another one that is not longer.
    pub(super) fn judge(&self, tree: &Piece, tape: &[Deviation]) -> Option<Seen> {
        let plan = self.plan(tree)?;
        self.run_plan(&plan, tape).or_else(|| self.search(tree, tape))
    }

    /// Whether a candidate violates with just that tape.
    pub(super) fn run(&self, tree: &Piece, tape: &[Deviation]) -> Option<Seen> {
        self.run_plan(&self.plan(tree)?, tape)
    }

    fn run_plan(&self, plan: &Plan, tape: &[Deviation]) -> Option<Seen> {
        let choices = match self.basis {
            Basis::DefaultOrder => Choices::default_order(),
            Basis::Seed(seed) => Choices::seeded(seed),
        };
        let trace =
            if tape.is_empty() { run(plan, choices) } else { search(plan, Choices::tape(tape.to_vec(), choices), &mut |_, _| false).trace };
        let violation = check(&self.property, &Analysis::new(plan, &trace)).into_iter().next()?;
        let size = Size {
            nodes: plan.nodes.iter().filter(|n| n.start != NodeStart::Absent).count(),
            pods: plan.pods.iter().filter(|p| p.start != PodStart::Absent).count(),
            workloads: plan.workloads.len(),
            entries: plan.timeline.len(),
            deviations: tape.len(),
        };
        Some(Seen { text: violation.text, at: violation.at, tape: tape.to_vec(), release: plan.profile.release.clone(), size })
    }

    /// Looks for the violation in another order, with as many deviations.
    fn search(&self, tree: &Piece, tape: &[Deviation]) -> Option<Seen> {
        let pool = self.pool.as_ref().filter(|_| !tape.is_empty() && self.basis == Basis::DefaultOrder)?;
        let loaded = self.load(tree)?;
        // The candidate was built before, so that this cannot fail; a thread's plan is its own.
        let plan = || build(&loaded, &Overrides::default()).unwrap_or_else(|_| unreachable!("it was built a moment ago"));
        let search = Explore {
            plan: &plan,
            properties: &[self.property],
            strategy: Strategy::Exhaustive,
            depth: tape.len() as u32,
            runs: RUNS,
            seed: 0,
            until_found: true,
            prune: true,
        };
        let (report, _) = explore(&search, pool, &|_| true);
        let found = report.violations.into_iter().map(|v| v.tape).find(|t| t.len() <= tape.len())?;
        self.run_plan(&plan(), &found)
    }
}
