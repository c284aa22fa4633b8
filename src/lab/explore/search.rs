//! What to search, and what a search found.

use super::changes::{Change, Changing};
use crate::lab::prelude::*;
use crate::scenario::expectations::Expectation;

/// How many runs make a batch where nobody says it.
pub const BATCH: usize = 256;

/// The part of the time in which runs are drawn; in the rest what was found is made small.
const DRAWING: f64 = 0.7;

/// How to choose which runs to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Strategy {
    /// Each of the following in a part of the runs, and in the rest other timelines, with entries at other times and with faults.
    Auto,
    /// Every run with few deviations from the default order, the fewest first.
    #[default]
    Exhaustive,
    // `A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs`, Burckhardt et al.
    /// Random priorities that change a few times.
    Pct,
    // What is rare is drawn more often than it comes.
    /// Everything drawn.
    Random,
    /// Every choice drawn about as often as upstream comes to it.
    #[cfg_attr(feature = "cli", value(skip))]
    Natural,
    /// Other timelines, in the default order or with choices that are drawn.
    #[cfg_attr(feature = "cli", value(skip))]
    Changed,
}

/// What to search.
#[derive(Clone)]
pub struct Explore<'a> {
    /// Makes what is run: each thread has a plan of its own.
    pub plan: &'a (dyn Fn() -> Plan + Sync),
    /// What must hold.
    pub properties: &'a [Property],
    /// What the scenario expects, for the property of that name.
    pub expect: &'a [Expectation],
    /// How to search.
    pub strategy: Strategy,
    /// The most deviations; for PCT the depth of the bug, one more than the changes of
    /// priority.
    pub depth: u32,
    /// The most runs.
    pub runs: u64,
    /// How many runs are made between two looks at what they found. Runs of one batch do not know
    /// each other's states, so that the counts of a report depend on it.
    pub batch: usize,
    /// The first seed of a strategy that draws.
    pub seed: u64,
    /// Ends the search once every property was found violated.
    pub until_found: bool,
    /// Whether to leave out orders with the same result.
    pub prune: bool,
    /// How many runs are drawn beside those of few deviations once all of these are tried, to see
    /// whether what is common is among them; and how many are drawn as upstream comes to them, to say how
    /// often what was found is.
    pub beside: u64,
    /// What part of its time is used up; 0 where it has as much as it takes.
    pub spent: &'a (dyn Fn() -> f64 + Sync),
    /// The part of the time after which no more runs are drawn where something was found, whose tape
    /// has to be made small yet.
    pub until: f64,
    /// How the timeline may be otherwise.
    pub changing: Option<Changing<'a>>,
}

impl<'a> Explore<'a> {
    /// No search, for runs that are drawn with seeds from this one on.
    pub fn drawing(
        plan: &'a (dyn Fn() -> Plan + Sync),
        properties: &'a [Property],
        expect: &'a [Expectation],
        seed: u64,
    ) -> Self {
        Self {
            plan,
            properties,
            expect,
            strategy: Strategy::Exhaustive,
            depth: 0,
            runs: 0,
            batch: BATCH,
            seed,
            until_found: true,
            prune: true,
            beside: 0,
            spent: &|| 0.0,
            until: DRAWING,
            changing: None,
        }
    }
    /// Whether there is time to draw more runs although something was found.
    pub(super) fn draws_on(&self) -> bool {
        (self.spent)() < self.until
    }
}

/// An outcome, and how often it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// What finally became of pods and nodes.
    pub text: String,
    /// What of it is otherwise than in the most frequent one, where the text leaves something out.
    pub(crate) other: Option<String>,
    /// How many complete runs had it.
    pub(crate) runs: u64,
}

impl Reached {
    /// What sets it apart from others.
    pub(crate) fn told(&self) -> &str {
        self.other.as_ref().unwrap_or(&self.text)
    }
}

/// A violation, how often it came about, and its shortest tape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violated {
    /// The property.
    pub property: Property,
    /// The pod and node it is about, by name.
    pub(crate) about: String,
    /// Whose it is ([`Found`](super::Found)).
    pub(crate) whose: String,
    /// What happened in the run of the tape.
    pub text: String,
    /// How many runs violate the property for the same objects, drawn ones of [`Report::beside`]
    /// with the others.
    pub(crate) runs: u64,
    /// What is otherwise in its timeline.
    pub changes: Vec<Change>,
    /// Its deviations.
    pub tape: Vec<Deviation>,
    /// Whether none of them can be left out, as far as that was looked for; there may have been no
    /// time for it.
    pub is_small: bool,
    /// In how many of how many runs it is that are drawn as upstream comes to them, where that was asked for.
    pub(crate) drawn: Option<(u64, u64)>,
}

/// What runs have whose choices were all drawn, beside those of few deviations.
#[derive(Clone, PartialEq, Debug)]
pub struct Beside {
    /// How many were drawn.
    pub runs: u64,
    /// The outcomes that only they have, the most frequent first.
    pub outcomes: Vec<Reached>,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// How many runs there were, including those that ended early.
    pub runs: u64,
    /// Runs that ended early, in a state that was known.
    pub(crate) pruned: u64,
    /// Other choices that were not tried, as nothing can come of them.
    pub(crate) skipped: u64,
    /// Distinct states in which there was a choice; 0 where runs were drawn, which do not ask for those.
    pub(crate) states: u64,
    /// Whether every run with at most [`Explore::depth`] deviations was tried.
    pub exhausted: bool,
    /// Whether there are no runs with more deviations, either.
    pub complete: bool,
    /// The outcomes, the most frequent first.
    pub outcomes: Vec<Reached>,
    /// The violations, shortest tape first.
    pub violations: Vec<Violated>,
    /// How many runs do not violate a property, and end before a bound of it is over.
    pub(crate) undecided: BTreeMap<Property, u64>,
    /// What a few drawn runs have beside, where every run with few deviations was tried.
    pub beside: Option<Beside>,
    /// How many more runs there were with other timelines. Their outcomes are not among those above.
    pub changed: u64,
    /// The parts of an automatic search that had no run, as the time was over before one was made.
    pub untried: Vec<&'static str>,
}

impl Report {
    /// How many runs there were in all, those that were drawn beside included.
    pub(crate) fn all_runs(&self) -> u64 {
        self.runs + self.beside.as_ref().map_or(0, |b| b.runs) + self.changed
    }
}

/// Says whether to go on; given how many runs there were.
pub type Watch<'a> = &'a (dyn Fn(u64) -> bool + Sync);
