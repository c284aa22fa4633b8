//! A tape that is run again, step by step: which choices differ from the default order, and where
//! the run departs from its tape.

use super::prelude::*;
use super::tape::Texts;
use crate::analysis::properties::Violation;
use crate::kernel::search::{Searched as Notes, Step};

/// A step of a replayed run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReplayedStep {
    /// When it was.
    pub(crate) at: Time,
    /// The process that took it; of a request that arrives, the one that sent it.
    pub(crate) process: String,
    /// The records that it wrote.
    pub(crate) records: Range<RecordId>,
    /// The choices in it, or that led to it, that are not the default.
    pub(crate) deviations: Vec<String>,
    /// What it answered to requests that wrote nothing, and what it decided, with the record of the version that it went by.
    pub(crate) answers: Vec<(String, Option<RecordId>)>,
}

/// The steps of a run that wrote something, that a deviation brought about, or that answered a
/// request which failed or which only read what the violations are about, or chose a node for that; up to where
/// it departs from its tape.
pub(crate) fn steps(
    run: &Searched,
    texts: &Texts,
    violations: &[Violation],
    departure: Option<&Departure>,
) -> Vec<ReplayedStep> {
    let names = &run.trace.names;
    let pods = violations.iter().filter_map(|v| v.pod);
    let pods = pods.filter(|p| p.index() < names.pods());
    let about: BTreeSet<u64> = pods.map(|p| names.pod_hash(p)).collect();
    let mut steps = Vec::new();
    let mut before = 0;
    for (i, step) in run.notes.steps.iter().enumerate() {
        if departure.is_some_and(|d| i > d.step) {
            break;
        }
        let after = run.records.get(i).copied().unwrap_or(before);
        let records = before..after;
        before = after;
        let deviations = deviations(run, texts, i);
        let answers = answers(run, texts, &about, i);
        if !records.is_empty() || !deviations.is_empty() || !answers.is_empty() {
            let (at, process) = (step.at, process(run, texts, step));
            steps.push(ReplayedStep { at, process, records, deviations, answers });
        }
    }
    steps
}

/// Who took a step. A request is a step of the server, and was sent in another.
fn process(run: &Searched, texts: &Texts, step: &Step) -> String {
    let sender =
        (step.posted_in as usize).checked_sub(1).and_then(|sender| run.notes.steps.get(sender));
    match sender {
        Some(sender) if step.name.what == "request" => {
            format!("request of {}", texts.name(sender.name))
        }
        _ => texts.name(step.name),
    }
}

/// What a step answered to requests that wrote nothing: where they failed, and what they read of
/// these objects; and which nodes were chosen for them.
fn answers(
    run: &Searched,
    texts: &Texts,
    about: &BTreeSet<u64>,
    step: usize,
) -> Vec<(String, Option<RecordId>)> {
    let all = &run.notes.answers;
    let from = all.partition_point(|a| (a.step as usize) < step);
    let here = all[from..].iter().take_while(|a| a.step as usize == step);
    let told = here.filter(|a| a.failed.is_some() || a.reads && about.contains(&a.about));
    told.map(|a| {
        let verb = match (a.saw, a.reads) {
            (Some(_), _) => "chooses a node for",
            (None, true) => "reads",
            (None, false) => "would write",
        };
        let answer = a.failed.map_or(String::new(), |why| format!(": {why}"));
        (format!("{verb} {}{answer}", texts.object(a.about)), a.saw)
    })
    .collect()
}

/// The choices that are not the default: the one that led to a step, and those that it made.
fn deviations(run: &Searched, texts: &Texts, step: usize) -> Vec<String> {
    let steps = &run.notes.steps;
    let from = steps[step].choices as usize;
    let to = steps.get(step + 1).map_or(run.choices.len(), |s| s.choices as usize);
    let turn = run.notes.asked.iter().find(|a| a.step as usize == step).map(|a| a.choice as usize);
    let is_turn = |c: usize| matches!(run.choices[c].span, Span::Turn(_) | Span::TurnOf(..));
    let here = turn.into_iter().chain((from..to).filter(|c| turn == Some(*c) || !is_turn(*c)));
    let deviating = here.filter(|c| run.choices[*c].deviates());
    deviating.map(|c| texts.choice(&run.choices[c].into())).collect()
}

/// Where a replay departs from its tape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The step at which that is certain.
    pub step: usize,
    /// What is different.
    pub text: String,
}

/// What happens in a plan with its tape, and where that departs from the tape; none if it may not go on.
pub(crate) fn played(plan: &Plan, goes_on: GoesOn<'_>) -> Option<(Trace, Option<Departure>)> {
    let run = sim::replay_watched(plan, goes_on);
    if run.known {
        return None;
    }
    let parts = departure(&run, plan.tape.as_deref().unwrap_or_default(), &Texts::of(&run));
    Some((run.trace, parts))
}

/// Finds where a replay departs from its tape: a choice asked for with another span than the tape's
/// value fits into, or not asked for at all by the time that a later one of the tape is.
pub fn departure(run: &Searched, tape: &[Deviation], texts: &Texts) -> Option<Departure> {
    let place = |d: &Deviation| {
        run.choices
            .iter()
            .position(|c| c.point == d.point && c.object == d.object && c.ordinal == d.ordinal)
    };
    let Notes { steps, asked, .. } = &run.notes;
    // The step that a choice led to, if it was one of turn; else the step it was made in.
    let step_of = |choice: usize| match asked.iter().find(|a| a.choice as usize == choice) {
        Some(turn) => turn.step as usize,
        None => steps.partition_point(|s| s.choices as usize <= choice).saturating_sub(1),
    };
    let differs = |(i, d): (usize, &Deviation)| {
        let Some(at) = place(d) else {
            let later = tape[i + 1..].iter().find_map(place);
            let step = later.map_or(steps.len().saturating_sub(1), step_of);
            let text = format!("a choice of the tape did not come up: {}", texts.choice(d));
            return Some(Departure { step, text });
        };
        let value = run.choices[at].value;
        let text =
            || format!("the tape says {}; here {value} is the most there is", texts.choice(d));
        (value != d.value).then(|| Departure { step: step_of(at), text: text() })
    };
    tape.iter().enumerate().find_map(differs)
}
