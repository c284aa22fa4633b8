//! What to shrink, what must stay true of it, and what is left.

use crate::analysis::properties::Property;
use crate::language::Problems;
use crate::language::Scenario;
use crate::plan::Plan;
use crate::scenario::Loaded;

/// What to shrink.
pub struct Shrink<'a> {
    /// The scenario as read; what it takes from an export becomes part of it.
    pub loaded: &'a Loaded,
    /// What it says, with what the command line changes. Chance is decided by its tape, or else by
    /// its seed.
    pub spec: Scenario,
    /// What it does, and must go on doing.
    pub goal: Goal<'a>,
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
}

/// Why there is no result.
#[derive(Debug)]
pub enum Failed {
    /// The scenario cannot be built.
    Problems(Problems),
    /// It does not violate the property.
    Holds,
    /// Whoever watches asked for an end.
    Asked,
}

/// Says whether to go on; given how many candidates were tried, and how large the scenario is by
/// now.
pub type Watch<'a> = &'a mut dyn FnMut(u64, Size) -> bool;
