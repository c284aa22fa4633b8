//! What to shrink, what must stay true of it, and whether a candidate still does what the scenario
//! did.

use crate::analysis::expect;
use crate::analysis::properties::{Harm, check};
use crate::lab::explore::{Explore, explore};
use crate::lab::prelude::*;
use crate::lab::tape::{Texts, spec_of};
use crate::scenario::{build, expecting, parse, seed};
use crate::sim::run;
use rayon::ThreadPoolBuilder;

/// The most runs in search of an order that shifted.
const RUNS: u64 = 200;
/// So much earlier or later may a choice come up where something is gone that came to the same point.
const SHIFT: u32 = 8;

/// The result of the run of a candidate.
pub(super) struct Seen {
    /// What it does, in one line.
    pub(super) text: String,
    /// When it was certain.
    pub(super) at: Time,
    /// The release.
    pub(super) release: String,
    pub(super) size: Size,
    /// How bad it is; it must stay so.
    harm: Harm,
    /// The expectation that is not met, by its place.
    pub(super) unmet: usize,
}

/// Runs candidates.
pub(super) struct Judge<'a> {
    loaded: &'a Loaded,
    pub(super) goal: Goal<'a>,
    /// The least harm of a violation; none before the first.
    harm: Option<Harm>,
    /// What is told of the first, where it is not the first that there is.
    told: Option<&'a str>,
    /// Whether it takes the timeline, or the tape, to violate.
    takes_events: bool,
    /// One thread, for searches; none if it cannot be had, and then there are none.
    pool: Option<ThreadPool>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(loaded: &'a Loaded, goal: Goal<'a>, told: Option<&'a str>) -> Self {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().ok();
        Judge { loaded, goal, harm: None, told, takes_events: false, pool }
    }

    fn load(&self, tree: &Tree) -> Result<Loaded, Problems> {
        parse(&self.loaded.source.name, tree.flat().into_bytes(), &self.loaded.folder)
    }

    /// The scenario as it came; what is as bad as this counts from now on.
    pub(super) fn first(&mut self, tree: &Tree) -> Result<Seen, Failed> {
        let loaded = self.load(tree).map_err(Failed::Problems)?;
        let plan = build(&loaded, &Overrides::default()).map_err(Failed::Problems)?;
        let mut seen = self.any(&loaded, &plan);
        if seen.is_none() && self.told.take().is_some() {
            seen = self.any(&loaded, &plan);
        }
        let seen = seen.ok_or(Failed::Holds)?;
        self.harm = Some(seen.harm.clone());
        self.takes_events = self.is_about_events(tree);
        Ok(seen)
    }

    /// Whether an expectation is met where nothing happens, or missed in another way. It may also be missed for
    /// want of what it is about, and that is not what was missed.
    fn is_about_events(&self, tree: &Tree) -> bool {
        let mut quiet = tree.clone();
        if let Some(fields) = quiet.parts_mut() {
            fields.retain(|f| !f.is_named("timeline") && !f.is_named("tape"));
        }
        let violates = |loaded: Loaded| {
            let plan = build(&loaded, &Overrides::default()).ok()?;
            self.any(&loaded, &plan)
        };
        self.expects() && self.load(&quiet).ok().and_then(violates).is_none()
    }

    /// Whether it is what the scenario expects that has to be missed.
    pub(super) fn expects(&self) -> bool {
        matches!(self.goal, Goal::Violates(Property::Expect))
    }

    /// The result of a candidate, if it violates; `searching`: perhaps with another tape, which is
    /// not longer.
    pub(super) fn judge(&self, tree: Tree, searching: bool) -> Option<(Tree, Seen)> {
        let loaded = self.load(&tree).ok()?;
        let plan = build(&loaded, &Overrides::default()).ok()?;
        match self.any(&loaded, &plan) {
            Some(_) if self.takes_events && !self.is_about_events(&tree) => None,
            Some(seen) => Some((tree, seen)),
            None if searching => self.search(tree, &loaded, plan),
            None => None,
        }
    }

    /// What a scenario comes to, if it does what is looked for: the first of what is as bad as it
    /// has to be, or of all.
    fn any(&self, loaded: &Loaded, plan: &Plan) -> Option<Seen> {
        match self.goal {
            Goal::Violates(property) => {
                self.violated(property, loaded, plan, &traced(loaded, plan))
            }
            Goal::Fails(fails) => {
                fails(loaded, plan).map(|text| seen(text, Time::from_secs(1), plan))
            }
        }
    }

    /// Whether it is the violation that is made small, or as bad as that was and the same one's.
    fn is_as_bad(&self, seen: &Seen) -> bool {
        match &self.harm {
            Some(harm) => seen.harm.is_as_bad(harm),
            None => self.told.is_none_or(|told| told == seen.text),
        }
    }

    /// The first violation in a run that is as bad as it has to be.
    fn violated(
        &self,
        property: Property,
        loaded: &Loaded,
        plan: &Plan,
        trace: &Trace,
    ) -> Option<Seen> {
        let analysis = Analysis::new(plan, trace);
        let found = if property == Property::Expect {
            let expected = expecting(loaded, &Overrides::default()).ok()?.1.list;
            expect::violations(&expected, &analysis)
        } else {
            let found = check(&property, &analysis).into_iter();
            found.map(|v| (0, v)).collect()
        };
        let mut found = found.into_iter().map(|(unmet, v)| Seen {
            harm: Harm::of(&v, &analysis),
            unmet,
            ..seen(v.text, v.at, plan)
        });
        found.find(|seen| self.is_as_bad(seen))
    }

    /// Looks for the violation in another order, with as many deviations.
    fn search(&self, mut tree: Tree, loaded: &Loaded, mut plan: Plan) -> Option<(Tree, Seen)> {
        let Goal::Violates(property) = self.goal else { return None };
        let expected = if self.expects() {
            expecting(loaded, &Overrides::default()).ok()?.1.list
        } else {
            Vec::new()
        };
        let properties = [property];
        let pool = self.pool.as_ref()?;
        let own = plan.tape.clone().filter(|tape| !tape.is_empty())?;
        let depth = own.len();
        // It was built a moment ago; each thread has a plan of its own.
        let built = || {
            build(loaded, &Overrides::default())
                .unwrap_or_else(|_| unreachable!("the same scenario was built before"))
        };
        let search = Explore {
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            runs: RUNS,
            ..Explore::drawing(&built, &properties, &expected, 0)
        };
        let others = std::iter::once_with(|| explore(&search, pool, &|_| true).0.violations);
        let others = others.flatten().map(|v| v.tape).filter(|t| t.len() <= depth);
        for found in shifted(&own).chain(others) {
            plan.tape = Some(found.clone());
            let run = sim::replay(&plan);
            if let Some(seen) = self.violated(property, loaded, &plan, &run.trace) {
                let field = tree.field_mut("tape")?;
                let texts = Texts::of(&run);
                *field = Tree::of(&spec_of(&plan, &texts, None, &found)).named("tape");
                return Some((tree, seen));
            }
        }
        None
    }
}

/// The tapes in which one choice comes up earlier or later, the nearest first.
fn shifted(tape: &[Deviation]) -> impl Iterator<Item = Vec<Deviation>> {
    let by = (1..=SHIFT).flat_map(|by| [u32::checked_sub, u32::checked_add].map(|to| (to, by)));
    by.flat_map(move |(to, by)| {
        tape.iter().enumerate().filter_map(move |(i, d)| {
            let mut tape = tape.to_vec();
            tape[i].ordinal = to(d.ordinal, by)?;
            Some(tape)
        })
    })
}

/// The result of a run that does what is looked for, certainly so at an instant.
fn seen(text: String, at: Time, plan: &Plan) -> Seen {
    let there = plan.size();
    let size = Size {
        nodes: there.nodes as usize,
        pods: there.pods as usize,
        // What a Deployment makes is no workload of the scenario's.
        workloads: plan.workloads.iter().filter(|w| w.owner.is_none()).count(),
        entries: plan.timeline.len(),
        deviations: plan.tape.as_ref().map_or(0, Vec::len),
    };
    let release = plan.profile.released().to_owned();
    Seen { text, at, release, size, harm: Harm::default(), unmet: 0 }
}

/// The run of a scenario: by its tape, or else by its seed.
fn traced(loaded: &Loaded, plan: &Plan) -> Trace {
    if let Some(trace) = plan.tape.as_ref().and_then(|_| sim::play(plan, &|| true)) {
        return trace;
    }
    // Only a change of the command line could be wrong here, and there is none.
    let seed = seed(loaded, &Overrides::default()).unwrap_or_default();
    run(plan, Choices::seeded(seed))
}

/// What to shrink.
pub struct Shrink<'a> {
    /// The scenario as read; what it takes from an export becomes part of it.
    pub loaded: &'a Loaded,
    /// What it says, with what the command line changes. Chance is decided by its tape, or else by
    /// its seed.
    pub spec: Scenario,
    /// What it does, and must go on doing.
    pub goal: Goal<'a>,
    /// What is told of the violation that is meant, where a run may have several; otherwise it is the first.
    pub told: Option<&'a str>,
}

/// What a scenario does.
#[derive(Clone, Copy)]
pub enum Goal<'a> {
    /// It violates a property.
    Violates(Property),
    /// It fails in a way of which this gives an account; none where it does not.
    Fails(&'a dyn Fn(&Loaded, &Plan) -> Option<String>),
}

/// How large a scenario is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Nodes that exist from the start.
    pub nodes: usize,
    /// Pods that exist from the start.
    pub pods: usize,
    /// Workloads.
    pub workloads: usize,
    /// Entries of the timeline, each counted once.
    pub entries: usize,
    /// Deviations from the default order.
    pub deviations: usize,
}

/// What is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    /// The scenario's file.
    pub text: String,
    /// The violation, in one line.
    pub violation: String,
    /// How large it was and is.
    pub sizes: [Size; 2],
    /// How many candidates were tried.
    pub(crate) tried: u64,
    /// Whether nothing more can go; whoever watches may have asked for an end before that.
    pub is_least: bool,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Failed {
    /// The scenario cannot be built.
    Problems(Problems),
    /// It does not violate the property.
    Holds,
}

/// Says whether to go on; given how many candidates were tried, and how large the scenario is by
/// now.
pub type Watch<'a> = &'a mut dyn FnMut(u64, Size) -> bool;
