//! What an explanation consists of, and the question that it answers.

use super::super::words;
use crate::analysis::prelude::*;

/// Why something happened to an object, or did not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The object: `pod default/web-3`.
    pub object: String,
    /// The answer in one line: `evicted at 6:45.100 from b-03`.
    pub verdict: String,
    /// What led to it, in order.
    pub(crate) steps: Vec<Step>,
    /// What would have changed it.
    pub remedies: Vec<Remedy>,
    /// What else is worth knowing.
    pub(crate) notes: Vec<String>,
}

/// A step of a chain of causes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// When this step happened.
    pub at: Time,
    /// What happened.
    pub(crate) text: String,
    /// Why then: the flag, toleration or switch that decided it, with its value.
    pub(crate) rule: Option<String>,
    /// The record that says so; none where it follows from a later one.
    pub(crate) record: Option<RecordId>,
}

impl Step {
    /// A step that no record is about.
    pub(super) fn without_record(at: Time, text: String) -> Self {
        Step { at, text, rule: None, record: None }
    }
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

impl Question<'_> {
    /// A record as a step, with the rule behind it.
    pub(super) fn step(self, (id, r): (RecordId, &Record), rule: Option<String>) -> Step {
        Step { at: r.at, text: words::record(self.analysis, r), rule, record: Some(id) }
    }

    /// Records as steps, without the rules behind them.
    pub(super) fn steps(
        self,
        records: impl IntoIterator<Item = RecordId>,
    ) -> impl Iterator<Item = Step> {
        let step = move |id| Some(self.step((id, self.analysis.trace.get(id)?), None));
        records.into_iter().filter_map(step)
    }

    /// What led to a record, step by step, from the latest thing of the run's beginning on.
    pub(super) fn led_to(self, record: RecordId) -> Vec<Step> {
        let mut steps: Vec<Step> = chain(self.analysis.trace, record)
            .filter(|(id, r)| *id == record || r.at > Time::ZERO)
            .map(|found| self.step(found, None))
            .collect();
        steps.reverse();
        steps
    }
}

/// `, the last at 6:45.100` of what happens to several from a time to another, where that takes a
/// second or more.
pub(super) fn until_the_last(first: Time, last: Time) -> String {
    if last.since(first) < Dur::from_secs(1) {
        return String::new();
    }
    format!(", the last at {}", absolute(last))
}
