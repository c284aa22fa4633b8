//! A pod that was evicted: what led to it, what came after, and what would have kept it from it.

use super::super::explanation::{Explanation, Remedy};
use super::super::{drain, rules};
use super::inquiry::{Inquiry, by_toleration, deciding, due, step, taint_steps, timer_rule};
use super::seen::{Moment, Seen};
use crate::analysis::clock::{absolute, short, to_the_millisecond};
use crate::analysis::names::by;
use crate::analysis::prelude::*;
use crate::analysis::words::short_taint;

/// Explains an eviction; `timer` is the one that led to it.
pub(super) fn evicted(
    of: &Inquiry<'_>,
    pod: PodId,
    seen: &Seen<'_>,
    moment: &Moment<'_>,
    timer: Option<&(Moment<'_>, u32)>,
    found: &mut Explanation,
) {
    let analysis = of.question.analysis;
    let from = moment.node.map_or(String::new(), |n| format!(" from {}", analysis.node_name(n)));
    if is_by(of, moment, Actor::User) {
        drain::evicted(of.question, &seen.refused, moment.record, &from, found);
        return aftermath(of, pod, seen, moment, found);
    }
    if moment.node.is_none() {
        unbound(of, seen, moment, found);
        return aftermath(of, pod, seen, moment, found);
    }
    found.verdict = format!("evicted at {}{from}", absolute(moment.at));
    let mut story = None;
    if let Some(node) = moment.node {
        let (steps, told) = taint_steps(of, node, moment.record);
        (found.steps, story) = (steps, told);
    }
    match timer {
        Some(timer) => {
            let rule = set_rule(of, pod, &timer.0);
            found.steps.push(step(of, &timer.0, rule));
            let rule = out_rule(of, moment, timer);
            found.steps.push(step(of, moment, Some(rule)));
            remedies(of, pod, moment, &timer.0, found);
        }
        None => {
            let rule = if is_by(of, moment, Actor::NodeLifecycle) {
                format!(
                    "--pod-eviction-timeout={}: there are no NoExecute taints in this mode",
                    short(analysis.plan.flags.pod_eviction_timeout)
                )
            } else {
                namesake(of, seen, moment).unwrap_or_else(|| untolerated(moment))
            };
            found.steps.push(step(of, moment, Some(rule)));
            remedies(of, pod, moment, moment, found);
        }
    }
    lost_countdowns(of, pod, seen, moment, found);
    if let (Some(story), Some(node)) = (story, moment.node) {
        found.remedies.extend(
            story
                .grace_remedy(of.question, node)
                .filter(|_| found.steps.iter().any(|s| s.text.ends_with("Ready is Unknown"))),
        );
    }
    aftermath(of, pod, seen, moment, found);
}

/// Explains the eviction of a pod that was on no node: no taint and no toleration decided that.
fn unbound(of: &Inquiry<'_>, seen: &Seen<'_>, moment: &Moment<'_>, found: &mut Explanation) {
    let analysis = of.question.analysis;
    let who = analysis.trace.get(moment.record).map_or("a controller", |r| by(r.actor));
    found.verdict =
        format!("deleted at {} by {who}, although it was on no node", absolute(moment.at));
    found.steps = of.question.led_to(moment.record);
    if let Some(last) = found.steps.last_mut() {
        last.rule = namesake(of, seen, moment)
            .or_else(|| Some("it was on no node, so that no taint was the reason".to_owned()));
    }
}

/// That a deletion was meant for the pod of the same name before, where the controller knew of no
/// taint that could be its reason: it deletes by name.
fn namesake(of: &Inquiry<'_>, seen: &Seen<'_>, moment: &Moment<'_>) -> Option<String> {
    if !moment.taints.is_empty() {
        return None;
    }
    let made = seen.created.iter().rfind(|m| m.record < moment.record)?;
    let timers = seen.timers.iter().map(|(m, _)| m);
    let others = seen.evicted.iter().map(|(m, _)| m).chain(&seen.deleted);
    let before =
        timers.chain(others).filter(|m| m.record < made.record).max_by_key(|m| m.record)?;
    let node = of.question.analysis.node_name(before.node?);
    Some(format!(
        "the controller deletes by name: it meant the pod of this name before, which was on {node}; this one was made at {}",
        absolute(made.at)
    ))
}

/// Whether the record of a moment is of this actor.
fn is_by(of: &Inquiry<'_>, m: &Moment<'_>, actor: Actor) -> bool {
    let record = of.question.analysis.trace.get(m.record);
    record.is_some_and(|r| r.actor == actor)
}

/// Why a timer was set for its seconds.
fn set_rule(of: &Inquiry<'_>, pod: PodId, set: &Moment<'_>) -> Option<String> {
    match deciding(of, set) {
        Some(Some(t)) => Some(by_toleration(of, pod, t)),
        Some(None) => None,
        None => Some(untolerated(set)),
    }
}

/// Why the pod was evicted at that moment, its timer having run out.
fn out_rule(of: &Inquiry<'_>, moment: &Moment<'_>, timer: &(Moment<'_>, u32)) -> String {
    let due = due(timer);
    let late = moment.at.since(due);
    let timing = &of.question.analysis.plan.timing;
    let client = timing.taint_eviction_client.or(timing.node_lifecycle_client);
    match client {
        Some(limits) if late > Dur::from_millis(500) => format!(
            "the timer ran out at {}; then it waited {} for its turn: the controller's client may send {} requests per second",
            absolute(due),
            to_the_millisecond(late),
            limits.qps
        ),
        _ if timer.1 == 0 => "at once".to_owned(),
        _ => "the timer ran out".to_owned(),
    }
}

/// The countdowns before an eviction that began and died with the controllers' process.
fn lost_countdowns(
    of: &Inquiry<'_>,
    pod: PodId,
    seen: &Seen<'_>,
    evicted: &Moment<'_>,
    found: &mut Explanation,
) {
    let begins = found.steps.first().map_or(evicted.at, |s| s.at);
    for lost in seen.lost.iter().filter(|m| m.at >= begins && m.at < evicted.at) {
        let Some(timer) = seen.timers.iter().rfind(|(m, _)| m.record < lost.record) else {
            continue;
        };
        let set = &timer.0;
        let died = format!(
            "the countdown died with the process; it would have ended at {}",
            absolute(due(timer))
        );
        match found.steps.iter_mut().find(|s| s.record == Some(lost.record)) {
            Some(step) => step.rule = Some(died),
            None => found.steps.push(step(of, lost, Some(died))),
        }
        if found.steps.iter().all(|s| s.record != Some(set.record)) {
            let rule = timer_rule(of, pod, set);
            found.steps.push(step(of, set, rule));
        }
    }
    found.steps.sort_by_key(|s| s.at);
}

fn untolerated(m: &Moment<'_>) -> String {
    let taints: Vec<String> = m.taints.iter().map(|t| short_taint(t)).collect();
    if taints.is_empty() {
        "the pod does not tolerate the taint".to_owned()
    } else {
        format!("no toleration for {}: at once", taints.join(", "))
    }
}

/// What came after an eviction: the end of the pod, its replacement, other evictions of its name.
fn aftermath(
    of: &Inquiry<'_>,
    pod: PodId,
    seen: &Seen<'_>,
    moment: &Moment<'_>,
    found: &mut Explanation,
) {
    let analysis = of.question.analysis;
    match of.gone(pod, moment.record) {
        // Without a grace period the eviction itself was the end.
        Some((id, _)) if id == moment.record => {}
        Some(gone) => found.steps.push(of.question.step(gone, None)),
        None => found.notes.push(
            "it is Terminating to the end of the run: no kubelet is left to stop its containers"
                .to_owned(),
        ),
    }
    if let Some(next) = of.replacement(moment.record) {
        let on = next.node.map_or(String::new(), |n| format!(", on {}", analysis.node_name(n)));
        let ready = next
            .ready_at
            .map_or(", never Ready".to_owned(), |at| format!(", Ready at {}", absolute(at)));
        found.notes.push(format!(
            "its workload made {} in its place at {}{on}{ready}",
            analysis.pod_name(next.pod),
            absolute(next.created_at)
        ));
    }
    let others: Vec<String> = seen
        .evicted
        .iter()
        .filter(|(m, _)| m.record != moment.record)
        .map(|(m, _)| absolute(m.at))
        .collect();
    if !others.is_empty() {
        found.notes.push(format!(
            "a pod of this name was evicted before, too: at {} (--at tells of those)",
            others.join(", ")
        ));
    }
}

/// What would have kept it: seconds that outlast the taint, or a toleration where there is none.
fn remedies(
    of: &Inquiry<'_>,
    pod: PodId,
    evicted: &Moment<'_>,
    set: &Moment<'_>,
    found: &mut Explanation,
) {
    let analysis = of.question.analysis;
    let Some(node) = evicted.node else { return };
    let name = analysis.node_name(node);
    let gone = of.untainted(node, evicted.at);
    match deciding(of, set) {
        Some(Some(t)) => {
            let Some(gone) = gone else {
                let text = format!(
                    "only a toleration for ever would have kept it: {name} was still tainted at the end of the run"
                );
                found.remedies.push(Remedy {
                    text,
                    set: rules::seconds_path(of.question, of.origins(), pod, &t.key, "none"),
                });
                return;
            };
            let seconds = gone.since(set.at).as_nanos().div_ceil(1_000_000_000);
            let text = format!(
                "with tolerationSeconds >= {seconds} this pod would have stayed: {name} was free of NoExecute taints at {}",
                absolute(gone)
            );
            found.remedies.push(Remedy {
                text,
                set: rules::seconds_path(
                    of.question,
                    of.origins(),
                    pod,
                    &t.key,
                    &seconds.to_string(),
                ),
            });
        }
        Some(None) => {}
        None => {
            let tolerated = |t: &&&Taint| set.tolerations.iter().any(|own| own.tolerates(t, false));
            let missing: Vec<&&Taint> = set.taints.iter().filter(|t| !tolerated(t)).collect();
            if let [one] = missing[..] {
                let text = format!("a toleration for {} would have kept it", short_taint(one));
                found.remedies.push(Remedy {
                    text,
                    set: rules::seconds_path(of.question, of.origins(), pod, &one.key, "none"),
                });
            } else if !missing.is_empty() {
                let all: Vec<String> = missing.iter().map(|t| short_taint(t)).collect();
                found.remedies.push(rules::only_words(format!(
                    "tolerations for {} would have kept it",
                    all.join(" and ")
                )));
            }
        }
    }
}
