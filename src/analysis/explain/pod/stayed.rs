//! A pod that was not evicted, and why not; also one that was in no danger.

use super::super::explanation::{Explanation, Remedy, Step};
use super::super::{drain, node, pending, rules};
use super::inquiry::{Inquiry, deciding, due, step, taint_steps, timer_rule};
use super::seen::{Moment, Seen};
use crate::analysis::clock::{absolute, short, to_the_millisecond};
use crate::analysis::prelude::*;
use crate::api::toleration::matching_tolerations;
use crate::plan::switches::taint_eviction::FinishedEntry;

/// Explains why a pod was not evicted, or not yet.
pub(super) fn stayed(of: &Inquiry<'_>, pod: PodId, seen: &Seen<'_>, found: &mut Explanation) {
    let came = seen.created.last().into_iter().chain(seen.bound.last()).map(|m| step(of, m, None));
    let state = &seen.state;
    if !state.exists {
        found.verdict = format!("there is no such pod at {}", absolute(of.question.until));
        found.steps = came.collect();
        return;
    }
    let Some(node) = state.node_id() else {
        found.verdict = pending::verdict(&seen.told, of.question.until);
        found.steps = came.chain(pending::steps(&seen.told)).collect();
        return;
    };
    let since = seen.timers.last().map_or(Time::ZERO, |(m, _)| m.at);
    if seen.refused.last().is_some_and(|last| last >= since) {
        return drain::held_up(of.question, &seen.refused, pod, found);
    }
    if spared(of, pod, node, seen, found) {
        return;
    }
    if state.phase.is_terminal() {
        found.verdict = format!(
            "not evicted: it is {}",
            if state.phase == PodPhase::Failed { "Failed" } else { "Succeeded" }
        );
        found.steps = came.collect();
        return;
    }
    untainted(of, node, found);
    if !seen.told.is_empty() {
        // It waited before it was placed there.
        let waited: Vec<Step> = came.chain(pending::steps(&seen.told)).collect();
        found.steps.splice(0..0, waited);
        found.steps.sort_by_key(|s| s.at);
    }
}

/// Explains a pod that taint eviction looked at and did not evict; whether it is such a pod.
fn spared(
    of: &Inquiry<'_>,
    pod: PodId,
    node: NodeId,
    seen: &Seen<'_>,
    found: &mut Explanation,
) -> bool {
    let timer = seen.timers.last();
    let since = timer.map_or(Time::ZERO, |(m, _)| m.at);
    let cancelled = seen.cancelled.last().filter(|m| m.at >= since);
    let lost = seen.lost.last().filter(|m| m.at >= since);
    let failed = seen.failed.last().filter(|m| m.at >= since);
    let exists = seen.exists.last().filter(|m| m.at > since);
    if let (Some(timer), Some(cancelled)) = (timer, cancelled) {
        timer_cancelled(of, pod, node, timer, cancelled, found);
    } else if let (Some((set, _)), Some(lost)) = (timer, lost) {
        timer_lost(of, set, lost, found);
    } else if let Some(failed) = failed {
        found.verdict = format!(
            "not evicted: five tries to delete it failed, the last at {}",
            absolute(failed.at)
        );
        found.steps = chain_to(of, failed);
        let rule = "after five tries nothing happens until the pod or its node changes";
        found.steps.push(step(of, failed, Some(rule.to_owned())));
    } else if let Some(exists) = exists {
        in_the_way(of, exists, found);
    } else if let Some(timer) = timer {
        found.verdict = format!(
            "not evicted by {}: its timer of {} s runs until {}",
            absolute(of.question.until),
            timer.1,
            absolute(due(timer))
        );
        found.steps = chain_to(of, &timer.0);
        let rule = timer_rule(of, pod, &timer.0);
        found.steps.push(step(of, &timer.0, rule));
    } else if let Some(forever) = seen.forever.last() {
        tolerated(of, node, forever, found);
    } else {
        return false;
    }
    true
}

/// The steps up to the taint that led to a moment.
fn chain_to(of: &Inquiry<'_>, m: &Moment<'_>) -> Vec<Step> {
    m.node.map_or(Vec::new(), |n| taint_steps(of, n, m.record).0)
}

/// Its timer was cancelled in time.
fn timer_cancelled(
    of: &Inquiry<'_>,
    pod: PodId,
    node: NodeId,
    timer: &(Moment<'_>, u32),
    cancelled: &Moment<'_>,
    found: &mut Explanation,
) {
    let (set, seconds) = timer;
    let due = due(timer);
    let spare = to_the_millisecond(due.since(cancelled.at));
    let why = if cancelled.taints.is_empty() {
        let name = of.question.analysis.node_name(node);
        format!("{name} was free of NoExecute taints with {spare} to spare")
    } else {
        format!("the taints that were left are tolerated; {spare} were to spare")
    };
    found.verdict = format!(
        "not evicted: its timer of {seconds} s was cancelled at {}: {why}",
        absolute(cancelled.at)
    );
    found.steps = chain_to(of, set);
    let rule = timer_rule(of, pod, set);
    found.steps.push(step(of, set, rule));
    let rule = format!("it would have run out at {}", absolute(due));
    found.steps.push(step(of, cancelled, Some(rule)));
    if let Some(Some(t)) = deciding(of, set) {
        let waited = cancelled.at.since(set.at);
        let most = waited.as_nanos().div_ceil(1_000_000_000).saturating_sub(1);
        let text = format!(
            "with tolerationSeconds <= {most} this pod would have been evicted: it waited for {}",
            to_the_millisecond(waited)
        );
        found.remedies.push(Remedy {
            text,
            set: rules::seconds_path(of.question, of.origins(), pod, &t.key, &most.to_string()),
        });
    }
}

/// Its timer, set at a moment, was lost with the controllers' process.
fn timer_lost(of: &Inquiry<'_>, set: &Moment<'_>, lost: &Moment<'_>, found: &mut Explanation) {
    found.verdict = format!(
        "not evicted: its timer died with the controllers' process at {}",
        absolute(lost.at)
    );
    found.steps = chain_to(of, set);
    found.steps.push(step(of, set, None));
    let rule =
        "timers are kept in memory only; a new process sets them anew, if the taint is still there";
    found.steps.push(step(of, lost, Some(rule.to_owned())));
}

/// An entry of an earlier eviction of its name was in the way.
fn in_the_way(of: &Inquiry<'_>, exists: &Moment<'_>, found: &mut Explanation) {
    found.verdict = format!(
        "not evicted: at {} it was to be, but an entry of an earlier eviction of this name was in the way",
        absolute(exists.at)
    );
    let switches = &of.question.analysis.plan.profile.taint_eviction;
    let rule = if switches.finished_entry == FinishedEntry::Nil {
        "switch taint_eviction.finished_entry=Nil: an eviction that ended well leaves an entry behind, and no other is scheduled under the name (up to 1.32)"
    } else {
        "an eviction of this name was under way"
    };
    found.steps = chain_to(of, exists);
    found.steps.push(step(of, exists, Some(rule.to_owned())));
}

/// It tolerates the taints of its node for ever.
fn tolerated(of: &Inquiry<'_>, node: NodeId, forever: &Moment<'_>, found: &mut Explanation) {
    let taints: Vec<_> = forever.taints.iter().map(|t| (*t).clone()).collect();
    let tolerations = matching_tolerations(&taints, forever.tolerations, false);
    let said: Vec<String> =
        tolerations.unwrap_or_default().iter().map(|t| rules::toleration(t)).collect();
    let name = of.question.analysis.node_name(node);
    found.verdict = format!("not evicted: it tolerates the NoExecute taints of {name} for ever");
    found.steps = chain_to(of, forever);
    let rule = Some(said.join(", ")).filter(|s| !s.is_empty());
    found.steps.push(step(of, forever, rule));
}

/// Why the pod of a node was in no danger: no NoExecute taint of the node reached the taint
/// eviction controller.
fn untainted(of: &Inquiry<'_>, node: NodeId, found: &mut Explanation) {
    let analysis = of.question.analysis;
    let name = analysis.node_name(node);
    let flags = &analysis.plan.flags;
    let steps: Vec<Step> =
        of.story_asked(node).map_or(Vec::new(), |story| story.steps().cloned().collect());
    let has = |end: &str| steps.iter().any(|s| s.text.ends_with(end));
    let master = steps.iter().any(|s| s.text.starts_with("master disruption:"));
    let before = node::at_start(of.question, node);
    let tainted = steps.iter().any(|s| s.text.contains("tainted") && s.text.contains("NoExecute"));
    let why = if before.no_execute || tainted {
        format!(
            "{name} had a NoExecute taint, but not while this pod was on it and the controllers ran"
        )
    } else if before.unready || has("Ready is Unknown") || has("Ready is False") {
        if master {
            format!(
                "{name} was not Ready, but all zones were fully disrupted, and then nobody is tainted (master disruption)"
            )
        } else if has("waits in its zone's queue for the NoExecute taint") {
            format!(
                "{name} was not Ready and waited for its NoExecute taint, which it did not get by {}: its zone's rate was too low",
                absolute(of.question.until)
            )
        } else {
            format!("{name} was not Ready, but not for long enough to be tainted")
        }
    } else if steps.iter().any(|s| s.text.contains("falls silent")) {
        format!(
            "{name} was silent, but not for longer than --node-monitor-grace-period={}",
            short(flags.node_monitor_grace_period)
        )
    } else if steps.is_empty() {
        format!("its node {name} was healthy all the time")
    } else {
        format!("its node {name} never had a NoExecute taint")
    };
    found.verdict = format!("not evicted: {why}");
    found.steps = steps;
}
