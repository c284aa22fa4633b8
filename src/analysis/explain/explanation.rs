//! What an explanation consists of, and the question that it answers.

use super::super::setting::Analysis;
use crate::kernel::Time;
use crate::trace::RecordId;

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
    /// When this step happened.
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

/// What is asked: a run, up to when, and the names for paths.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The run.
    pub analysis: &'a Analysis<'a>,
    /// Nothing later is looked at.
    pub until: Time,
    /// The names of the scenario's groups of pods, for paths.
    pub groups: &'a [String],
}
