//! Why something happened to an object, or did not: the chain of causes with the rule behind each
//! step, and what would have changed it.
//!
//! An explanation is made from the records alone. Steps that no record is about, such as the last
//! heartbeat, come from the notes that controllers leave when they decide. What would have changed
//! the outcome is only said where it follows from the records by arithmetic;
//! `tests/it/cli/explain.rs` runs scenarios again with the change and looks.
//!
//! Left out: what another order of events, another seed or another cluster would have done.

mod drain;
mod node;
mod object;
mod pending;
mod pod;
mod rules;
mod workload;
mod zone;

use super::setting::Analysis;
use crate::kernel::Time;
use crate::trace::RecordId;

pub use object::{Object, ObjectError, find};

/// Why something happened to an object, or did not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The object: `pod default/web-3`.
    pub object: String,
    /// The answer in one line: `evicted at 6:45.100 from b-03`.
    pub verdict: String,
    /// What led to it, in order.
    pub steps: Vec<Step>,
    /// What would have changed it.
    pub remedies: Vec<Remedy>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A step of a chain of causes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// When.
    pub at: Time,
    /// What happened.
    pub text: String,
    /// Why then: the flag, toleration or switch that decided it, with its value.
    pub rule: Option<String>,
    /// The record that says so; none where it follows from a later one.
    pub record: Option<RecordId>,
}

/// A change that would have made a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// In words.
    pub text: String,
    /// As an argument of `--set`, where the language has a path for it.
    pub set: Option<String>,
}

/// What explanations need beside the run.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The run.
    pub analysis: &'a Analysis<'a>,
    /// Nothing later is looked at.
    pub until: Time,
    /// The names of the scenario's groups of pods, for paths.
    pub groups: &'a [String],
}

/// Explains what became of an object.
pub fn explain(question: Question<'_>, object: &Object) -> Explanation {
    match object {
        Object::Pod(pod) => pod::explain(question, *pod),
        Object::Node(node) => node::explain(question, *node),
        Object::Workload(workload) => workload::explain(question, *workload),
        Object::Zone(zone) => zone::explain(question, *zone),
    }
}
