//! Trouble of the control plane while something came about: of the API server, of watches and of
//! requests. No step of a chain of causes is about it, and each step that had to wait came later by it.

use super::explanation::{Explanation, Question, Step};
use crate::kernel::{Dur, Time};
use crate::plan::Do;
use crate::trace::{Record, What};
use std::collections::BTreeSet;

/// The entries of a run's timeline that trouble the control plane, in their order.
pub(super) struct Troubles {
    entries: Vec<Trouble>,
}

struct Trouble {
    steps: Vec<Step>,
    ends: Time,
}

impl Troubles {
    /// Those of a run, which takes a walk through its trace where there are any.
    pub(super) fn of(question: Question<'_>) -> Self {
        let (plan, trace) = (question.analysis.plan, question.analysis.trace);
        let troubling: BTreeSet<u32> =
            (plan.actions.iter()).filter(|a| troubles(&a.act)).map(|a| a.entry).collect();
        let mut entries = Vec::new();
        if troubling.is_empty() {
            return Self { entries };
        }
        for entry in troubling {
            let rejects = (plan.actions.iter())
                .any(|a| a.entry == entry && matches!(a.act, Do::RejectRequests(..)));
            let rule = || {
                "a request that is rejected (429) is sent again a second later, nine or ten times"
                    .to_owned()
            };
            let of_entry = |r: &Record| {
                r.object == entry && matches!(r.what, What::FaultBegan | What::FaultEnded)
            };
            let steps: Vec<Step> = (0..)
                .zip(trace.iter())
                .filter(|(_, r)| of_entry(r) && r.at <= question.until)
                .map(|(id, r)| {
                    let rule = (rejects && r.what == What::FaultBegan).then(rule);
                    question.step((id, r), rule)
                })
                .collect();
            let ends = plan.timeline.get(entry as usize).and_then(|e| e.ends);
            let ends = ends.or_else(|| steps.last().map(|s| s.at)).unwrap_or_default();
            entries.push(Trouble { steps, ends });
        }
        Self { entries }
    }

    /// Puts among the steps of an explanation what was amiss between the first and the last of them.
    pub(super) fn add(&self, explanation: &mut Explanation) {
        let (Some(first), Some(last)) = (explanation.steps.first(), explanation.steps.last())
        else {
            return;
        };
        let (first, last) = (first.at, last.at);
        let steps = &mut explanation.steps;
        for trouble in self.entries.iter().filter(|t| t.ends >= first) {
            for new in trouble.steps.iter().filter(|s| s.at <= last) {
                if steps.iter().any(|s| s.record == new.record) {
                    continue;
                }
                let place = steps.iter().position(|s| s.at > new.at);
                steps.insert(place.unwrap_or(steps.len()), new.clone());
            }
        }
    }
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
