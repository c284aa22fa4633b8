//! What an explanation consists of, the question that it answers, and the trouble of the control
//! plane among its steps.

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

impl Explanation {
    /// Adds steps, those whose records none of its steps is about.
    pub(super) fn add(&mut self, steps: impl IntoIterator<Item = Step>) {
        for new in steps {
            if self.steps.iter().all(|s| s.record != new.record) {
                self.steps.push(new);
            }
        }
    }

    /// Puts its steps in order.
    pub(super) fn sort(&mut self) {
        self.steps.sort_by_key(|s| (s.at, s.record));
    }
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
    pub(super) fn step(self, (id, r): Told<'_>, rule: Option<String>) -> Step {
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

    /// Explanations with what troubled the control plane meanwhile, for which it takes a walk through
    /// the trace for each such entry of the timeline.
    pub(super) fn with_troubles(self, all: impl Iterator<Item = Explanation>) -> Vec<Explanation> {
        let troubling = self.analysis.plan.actions.iter().filter(|a| troubles(&a.act));
        let entries: BTreeSet<u32> = troubling.map(|a| a.entry).collect();
        let troubles: Vec<_> = entries.into_iter().map(|entry| trouble(self, entry)).collect();
        all.map(|explanation| troubled(explanation, &troubles)).collect()
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

/// The steps of an entry of the timeline, and when it ends.
fn trouble(question: Question<'_>, entry: u32) -> (Vec<Step>, Time) {
    let (plan, trace) = (question.analysis.plan, question.analysis.trace);
    let mut acts = plan.actions.iter().filter(|a| a.entry == entry);
    let rejects = acts.any(|a| matches!(a.act, Do::RejectRequests(..)));
    let again = "a request that is rejected (429) is sent again a second later, nine or ten times";
    let of_entry =
        |r: &Record| r.object == entry && matches!(r.what, What::FaultBegan | What::FaultEnded);
    let told = (0..).zip(trace.iter()).filter(|(_, r)| of_entry(r) && r.at <= question.until);
    let step = |(id, r): Told<'_>| {
        let rule = (rejects && r.what == What::FaultBegan).then(|| again.to_owned());
        question.step((id, r), rule)
    };
    let steps: Vec<Step> = told.map(step).collect();
    let ends = plan.timeline.get(entry as usize).and_then(|e| e.ends);
    let ends = ends.or_else(|| steps.last().map(|s| s.at)).unwrap_or_default();
    (steps, ends)
}

/// An explanation with the steps of trouble that was amiss between the first and the last of its own.
fn troubled(mut explanation: Explanation, troubles: &[(Vec<Step>, Time)]) -> Explanation {
    let steps = &mut explanation.steps;
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return explanation };
    let (first, last) = (first.at, last.at);
    let amiss = troubles.iter().filter(|(_, ends)| *ends >= first);
    for new in amiss.flat_map(|(new, _)| new).filter(|s| s.at <= last) {
        if steps.iter().all(|s| s.record != new.record) {
            let place = steps.iter().position(|s| s.at > new.at);
            steps.insert(place.unwrap_or(steps.len()), new.clone());
        }
    }
    explanation
}

/// Whether others wait for the API server, for watches or for replies by it.
fn troubles(act: &Do) -> bool {
    match act {
        Do::ApiDown
        | Do::ServersDie(..)
        | Do::StallWatches(..)
        | Do::ExpireWatches(_)
        | Do::LoseWatches(_)
        | Do::RejectRequests(..) => true,
        Do::WatchLag(_, lag) => *lag > Dur::ZERO,
        _ => false,
    }
}
