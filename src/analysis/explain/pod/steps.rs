//! Steps that several explanations of pods have in common.

use super::super::explanation::Step;
use super::super::node::Story;
use super::super::rules;
use super::inquiry::Inquiry;
use super::seen::Moment;
use crate::analysis::causes::chain;
use crate::analysis::words;
use crate::api::names::{NodeId, PodId};
use crate::api::taint::Taint;
use crate::api::toleration::{Toleration, matching_tolerations};
use crate::kernel::{Dur, Time};
use crate::trace::{Actor, Record, RecordId, TaintChange, What};

/// The record of a moment as a step.
pub(super) fn step(of: &Inquiry<'_>, m: &Moment<'_>, rule: Option<String>) -> Step {
    let analysis = of.question.analysis;
    Step {
        at: m.at,
        text: analysis.trace.get(m.record).map_or(String::new(), |r| words::record(analysis, r)),
        rule,
        record: Some(m.record),
    }
}

/// When a timer runs out.
pub(super) fn due((set, seconds): &(Moment<'_>, u32)) -> Time {
    set.at.saturating_add(Dur::from_secs((*seconds).into()))
}

/// The toleration that decides how long a pod stays: of those that match the taints the one with
/// the least seconds.
pub(super) fn deciding<'a>(of: &Inquiry<'_>, m: &Moment<'a>) -> Option<Option<&'a Toleration>> {
    let taints: Vec<Taint> = m.taints.iter().map(|t| (*t).clone()).collect();
    let used = matching_tolerations(
        &taints,
        m.tolerations,
        of.question.analysis.plan.profile.taint_eviction.comparison_operators,
    )?;
    Some(
        used.into_iter()
            .filter(|t| t.toleration_seconds.is_some())
            .min_by_key(|t| t.toleration_seconds),
    )
}

/// A toleration, and where the pod has it from.
pub(super) fn by_toleration(of: &Inquiry<'_>, pod: PodId, t: &Toleration) -> String {
    format!("{}{}", rules::toleration(t), rules::source(of.question, of.origins(), pod, t))
}

/// The toleration that decided on the seconds of a timer.
pub(super) fn timer_rule(of: &Inquiry<'_>, pod: PodId, set: &Moment<'_>) -> Option<String> {
    deciding(of, set).flatten().map(|t| by_toleration(of, pod, t))
}

/// The steps up to the taint that led to a record, and the node's story.
pub(super) fn taint_steps<'a>(
    of: &'a Inquiry<'_>,
    node: NodeId,
    record: RecordId,
) -> (Vec<Step>, Option<&'a Story>) {
    let analysis = of.question.analysis;
    let story = of.story(node);
    let is_taint =
        |r: &Record| analysis.trace.taint_change(r).is_some_and(TaintChange::adds_no_execute);
    let steps = match chain(analysis.trace, record).find(|(_, r)| is_taint(r)) {
        None => Vec::new(),
        Some((id, r)) if r.actor == Actor::User => {
            let entry = chain(analysis.trace, id).find(|(_, c)| c.what == What::FaultBegan);
            let entry = entry.map(|found| of.question.step(found, None));
            let rule = Some("written by the timeline's user".to_owned());
            entry.into_iter().chain([of.question.step((id, r), rule)]).collect()
        }
        Some((id, _)) => story.map_or(Vec::new(), |s| s.until(id)),
    };
    (steps, story)
}
