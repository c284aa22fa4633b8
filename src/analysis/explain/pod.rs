//! What became of a pod: evicted, and by which rule; not evicted, and why not; deleted by somebody
//! else; pending.

use super::super::causes::chain;
use super::super::clock::{absolute, short};
use super::super::rows::by;
use super::super::setting::is_no_execute;
use super::super::state::{Follow, PodState};
use super::super::words::{self, short_taint};
use super::super::workloads::workloads;
use super::drain::{self, Refusals};
use super::node::{self, Story};
use super::pending::Attempt;
use super::{Explanation, Question, Remedy, Step, pending, rules};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::pod::{PodPhase, PodReason};
use crate::api::taint::Taint;
use crate::api::toleration::{Toleration, matching_tolerations};
use crate::kernel::{Dur, Time};
use crate::plan::PodStart;
use crate::plan::switches::taint_eviction::FinishedEntry;
use crate::trace::{Note, Record, RecordId, What};

/// What is asked of a pod and its node at a moment.
#[derive(Clone, Debug)]
struct Moment<'a> {
    at: Time,
    record: RecordId,
    node: Option<NodeId>,
    /// The NoExecute taints that the taint eviction controller knew of.
    taints: Vec<&'a Taint>,
    tolerations: &'a [Toleration],
}

/// What happened to the pod.
#[derive(Default)]
struct Seen<'a> {
    /// Timers with their seconds.
    timers: Vec<(Moment<'a>, u32)>,
    cancelled: Vec<Moment<'a>>,
    /// Evictions with the timer that led to each, an index into `timers`.
    evicted: Vec<(Moment<'a>, Option<usize>)>,
    forever: Vec<Moment<'a>>,
    exists: Vec<Moment<'a>>,
    failed: Vec<Moment<'a>>,
    /// Deletions by somebody else.
    deleted: Vec<Moment<'a>>,
    created: Vec<Moment<'a>>,
    bound: Vec<Moment<'a>>,
    /// What the scheduler came to, the same once in a row.
    told: Vec<Attempt>,
    /// Timers that died with the controllers' process.
    lost: Vec<Moment<'a>>,
    /// Evictions that budgets refused.
    refused: Refusals,
    state: PodState,
}

fn gather<'a>(question: Question<'a>, pod: PodId) -> Seen<'a> {
    let analysis = question.analysis;
    let trace = analysis.trace;
    let mut follow = Follow::new(analysis);
    let mut known: Vec<&[Taint]> = vec![&[]; analysis.node_count()];
    let mut seen = Seen::default();
    for (id, r) in trace
        .iter()
        .enumerate()
        .take_while(|(_, r)| r.at <= question.until)
    {
        let id = id as RecordId;
        let before = follow.pod(pod);
        let timer = follow.timer(&before);
        let step = follow.apply(id, r);
        match r.what {
            What::Noted(Note::TaintsKnown, change) => {
                let taints = trace
                    .taints
                    .get(change as usize)
                    .map_or(&[][..], |c| &c.added);
                if let Some(slot) = known.get_mut(r.object as usize) {
                    *slot = taints;
                }
            }
            What::Noted(Note::TaintsGone, _) => {
                if let Some(slot) = known.get_mut(r.object as usize) {
                    *slot = &[];
                }
            }
            _ => {}
        }
        let moment = |state: &PodState| Moment {
            at: r.at,
            record: id,
            node: state.node_id(),
            taints: state
                .node_id()
                .and_then(|n| known.get(n.index()))
                .map_or(Vec::new(), |t| t.iter().collect()),
            tolerations: follow.tolerations(pod),
        };
        if r.what == What::ControllersStopped && timer.is_some() {
            seen.lost.push(moment(&before));
        }
        if r.pod() != Some(pod) {
            continue;
        }
        let after = follow.pod(pod);
        seen.refused.add(question, id, r);
        match r.what {
            What::TimerSet(seconds) => seen.timers.push((moment(&after), seconds)),
            What::TimerCancelled => seen.cancelled.push(moment(&after)),
            What::Noted(Note::ToleratesForever, _) => seen.forever.push(moment(&after)),
            What::Noted(Note::WorkExists, _) => seen.exists.push(moment(&after)),
            What::EvictionFailed => seen.failed.push(moment(&after)),
            What::PodDeleting(_) | What::PodGone if step.eviction(r).is_some() => {
                let led = timer.and_then(|t| seen.timers.iter().position(|(m, _)| m.record == t));
                seen.evicted.push((moment(&before), led));
            }
            What::PodDeleting(_) | What::PodGone if step.deletion_begins().is_some() => {
                seen.deleted.push(moment(&before))
            }
            What::PodCreated(_) if r.at > Time::ZERO => seen.created.push(moment(&after)),
            What::PodBound(_) if r.at > Time::ZERO => seen.bound.push(moment(&after)),
            What::PodUnplaced(_) => {
                let attempt = Attempt::new(analysis, id, r);
                if seen.told.last().is_none_or(|last| !last.is_like(&attempt)) {
                    seen.told.push(attempt);
                }
            }
            _ => {}
        }
    }
    seen.state = follow.pod(pod);
    seen
}

/// Explains a pod.
pub(super) fn explain(question: Question<'_>, pod: PodId) -> Explanation {
    let analysis = question.analysis;
    let seen = gather(question, pod);
    let mut found = Explanation {
        object: format!("pod {}", analysis.pod_name(pod)),
        ..Explanation::default()
    };
    let by_other = seen.deleted.last();
    match seen.evicted.last() {
        Some((moment, timer)) if by_other.is_none_or(|m| m.at < moment.at) => {
            evicted(
                question,
                pod,
                &seen,
                moment,
                timer.map(|i| &seen.timers[i]),
                &mut found,
            );
        }
        _ => match by_other {
            Some(moment) => deleted(question, moment, &mut found),
            None if seen.created.is_empty() && before(question, pod, &seen, &mut found) => {}
            None => stayed(question, pod, &seen, &mut found),
        },
    }
    found
}

/// The toleration that decides how long a pod stays: of those that match the taints the one with
/// the least seconds.
fn deciding<'a>(question: Question<'_>, m: &Moment<'a>) -> Option<Option<&'a Toleration>> {
    let taints: Vec<Taint> = m.taints.iter().map(|t| (*t).clone()).collect();
    let used = matching_tolerations(
        &taints,
        m.tolerations,
        question
            .analysis
            .plan
            .profile
            .taint_eviction
            .comparison_operators,
    )?;
    Some(
        used.into_iter()
            .filter(|t| t.toleration_seconds.is_some())
            .min_by_key(|t| t.toleration_seconds),
    )
}

/// The steps up to the taint that led to a record, and the node's story.
fn taint_steps(question: Question<'_>, node: NodeId, record: RecordId) -> (Vec<Step>, Story) {
    let analysis = question.analysis;
    let story = node::story(question, node, analysis.horizon());
    let is_taint = |r: &Record| match r.what {
        What::NodeTaints(c) => analysis
            .trace
            .taints
            .get(c as usize)
            .is_some_and(|c| c.added.iter().any(|t| is_no_execute(t.effect))),
        _ => false,
    };
    let steps = match chain(analysis.trace, record).find(|(_, r)| is_taint(r)) {
        None => Vec::new(),
        Some((id, r)) if r.actor == crate::trace::Actor::User => {
            let entry = chain(analysis.trace, id).find(|(_, c)| c.what == What::FaultBegan);
            let said = |(id, r): (RecordId, &Record)| Step {
                at: r.at,
                text: words::record(analysis, r),
                rule: None,
                record: Some(id),
            };
            let mut steps: Vec<Step> = entry.map(said).into_iter().collect();
            steps.push(Step {
                rule: Some("written by the timeline's user".to_owned()),
                ..said((id, r))
            });
            steps
        }
        Some((id, _)) => story.until(id),
    };
    (steps, story)
}

fn evicted(
    question: Question<'_>,
    pod: PodId,
    seen: &Seen<'_>,
    moment: &Moment<'_>,
    timer: Option<&(Moment<'_>, u32)>,
    found: &mut Explanation,
) {
    let analysis = question.analysis;
    let plan = analysis.plan;
    let from = moment.node.map_or(String::new(), |n| {
        format!(" from {}", analysis.node_name(n))
    });
    if analysis
        .trace
        .get(moment.record)
        .is_some_and(|r| r.actor == crate::trace::Actor::User)
    {
        drain::evicted(question, &seen.refused, moment.record, &from, found);
        return aftermath(question, pod, seen, moment, found);
    }
    found.verdict = format!("evicted at {}{from}", absolute(moment.at));
    let mut story = None;
    if let Some(node) = moment.node {
        let (steps, told) = taint_steps(question, node, moment.record);
        (found.steps, story) = (steps, Some(told));
    }
    let say = |m: &Moment<'_>, text: String, rule: Option<String>| Step {
        at: m.at,
        text,
        rule,
        record: Some(m.record),
    };
    let record = |m: &Moment<'_>| {
        analysis
            .trace
            .get(m.record)
            .map_or(String::new(), |r| words::record(analysis, r))
    };
    match timer {
        Some((set, seconds)) => {
            let rule = match deciding(question, set) {
                Some(Some(t)) => Some(format!(
                    "{}{}",
                    rules::toleration(t),
                    rules::source(question, pod, t)
                )),
                Some(None) => None,
                None => Some(untolerated(set)),
            };
            found.steps.push(say(set, record(set), rule));
            let due = set.at.saturating_add(Dur::from_secs((*seconds).into()));
            let late = moment.at.since(due);
            let client = plan
                .timing
                .taint_eviction_client
                .or(plan.timing.node_lifecycle_client);
            let rule = match client {
                Some(limits) if late > Dur::from_millis(500) => format!(
                    "the timer ran out at {}; then it waited {} for its turn: the controller's client may send {} requests per second",
                    absolute(due),
                    short(Dur::from_millis(late.as_millis())),
                    limits.qps
                ),
                _ if *seconds == 0 => "at once".to_owned(),
                _ => "the timer ran out".to_owned(),
            };
            found.steps.push(say(moment, record(moment), Some(rule)));
            remedies(question, pod, moment, set, found);
        }
        None => {
            let timeout = analysis
                .trace
                .get(moment.record)
                .is_some_and(|r| r.actor == crate::trace::Actor::NodeLifecycle);
            let rule = if timeout {
                format!(
                    "--pod-eviction-timeout={}: there are no NoExecute taints in this mode",
                    short(plan.flags.pod_eviction_timeout)
                )
            } else {
                untolerated(moment)
            };
            found.steps.push(say(moment, record(moment), Some(rule)));
            remedies(question, pod, moment, moment, found);
        }
    }
    lost_countdowns(question, pod, seen, moment, found);
    if let (Some(story), Some(node)) = (&story, moment.node) {
        found
            .remedies
            .extend(story.grace_remedy(question, node).filter(|_| {
                found
                    .steps
                    .iter()
                    .any(|s| s.text.ends_with("Ready is Unknown"))
            }));
    }
    aftermath(question, pod, seen, moment, found);
}

/// The countdowns before an eviction that began and died with the controllers' process.
fn lost_countdowns(
    question: Question<'_>,
    pod: PodId,
    seen: &Seen<'_>,
    evicted: &Moment<'_>,
    found: &mut Explanation,
) {
    let analysis = question.analysis;
    let begins = found.steps.first().map_or(evicted.at, |s| s.at);
    for lost in seen
        .lost
        .iter()
        .filter(|m| m.at >= begins && m.at < evicted.at)
    {
        let Some((set, seconds)) = seen.timers.iter().rfind(|(m, _)| m.record < lost.record) else {
            continue;
        };
        let due = set.at.saturating_add(Dur::from_secs((*seconds).into()));
        let died = format!(
            "the countdown died with the process; it would have ended at {}",
            absolute(due)
        );
        let text = |m: &Moment<'_>| {
            analysis
                .trace
                .get(m.record)
                .map_or(String::new(), |r| words::record(analysis, r))
        };
        match found
            .steps
            .iter_mut()
            .find(|s| s.record == Some(lost.record))
        {
            Some(step) => step.rule = Some(died),
            None => found.steps.push(Step {
                at: lost.at,
                text: text(lost),
                rule: Some(died),
                record: Some(lost.record),
            }),
        }
        if found.steps.iter().all(|s| s.record != Some(set.record)) {
            let rule = deciding(question, set).flatten().map(|t| {
                format!(
                    "{}{}",
                    rules::toleration(t),
                    rules::source(question, pod, t)
                )
            });
            found.steps.push(Step {
                at: set.at,
                text: text(set),
                rule,
                record: Some(set.record),
            });
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

/// What would have kept it: seconds that outlast the taint, or a toleration where there is none.
fn remedies(
    question: Question<'_>,
    pod: PodId,
    evicted: &Moment<'_>,
    set: &Moment<'_>,
    found: &mut Explanation,
) {
    let analysis = question.analysis;
    let Some(node) = evicted.node else { return };
    let name = analysis.node_name(node);
    let gone = analysis.trace.iter().find(|r| {
        r.at > evicted.at
            && r.node() == Some(node)
            && matches!(r.what, What::Noted(Note::TaintsGone, _))
    });
    match deciding(question, set) {
        Some(Some(t)) => {
            let Some(gone) = gone else {
                let text = format!(
                    "only a toleration for ever would have kept it: {name} was still tainted at the end of the run"
                );
                found.remedies.push(Remedy {
                    text,
                    set: rules::seconds_path(question, pod, &t.key, "none"),
                });
                return;
            };
            let seconds = gone.at.since(set.at).as_nanos().div_ceil(1_000_000_000);
            let text = format!(
                "with tolerationSeconds >= {seconds} this pod would have stayed: {name} was free of NoExecute taints at {}",
                absolute(gone.at)
            );
            found.remedies.push(Remedy {
                text,
                set: rules::seconds_path(question, pod, &t.key, &seconds.to_string()),
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
                    set: rules::seconds_path(question, pod, &one.key, "none"),
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

/// What came after an eviction: the end of the pod, its replacement, other evictions of its name.
fn aftermath(
    question: Question<'_>,
    pod: PodId,
    seen: &Seen<'_>,
    moment: &Moment<'_>,
    found: &mut Explanation,
) {
    let analysis = question.analysis;
    let gone = analysis
        .trace
        .iter()
        .enumerate()
        .skip(moment.record as usize)
        .find(|(_, r)| r.what == What::PodGone && r.pod() == Some(pod));
    match gone {
        // Without a grace period the eviction itself was the end.
        Some((id, _)) if id == moment.record as usize => {}
        Some((id, r)) => {
            found.steps.push(Step {
                at: r.at,
                text: words::record(analysis, r),
                rule: None,
                record: Some(id as RecordId),
            });
        }
        None => found.notes.push(
            "it is Terminating to the end of the run: no kubelet is left to stop its containers"
                .to_owned(),
        ),
    }
    if let Some(next) = workloads(analysis).replacements.get(&moment.record) {
        let on = next
            .node
            .map_or(String::new(), |n| format!(", on {}", analysis.node_name(n)));
        let ready = next.ready_at.map_or(", never Ready".to_owned(), |at| {
            format!(", Ready at {}", absolute(at))
        });
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

fn deleted(question: Question<'_>, moment: &Moment<'_>, found: &mut Explanation) {
    let analysis = question.analysis;
    let Some(r) = analysis.trace.get(moment.record) else {
        return;
    };
    let from = moment
        .node
        .map_or(String::new(), |n| format!(" on {}", analysis.node_name(n)));
    found.verdict = format!(
        "not evicted: deleted at {} by {}{from}",
        absolute(moment.at),
        by(r.actor)
    );
    let mut steps: Vec<Step> = chain(analysis.trace, moment.record)
        .filter(|(id, r)| *id == moment.record || r.at > Time::ZERO)
        .map(|(id, r)| Step {
            at: r.at,
            text: words::record(analysis, r),
            rule: None,
            record: Some(id),
        })
        .collect();
    steps.reverse();
    found.steps = steps;
}

/// Explains a pod that was evicted, or was being deleted, before the run began, as an export shows
/// it; whether it is such a pod.
fn before(question: Question<'_>, pod: PodId, seen: &Seen<'_>, found: &mut Explanation) -> bool {
    let analysis = question.analysis;
    let name = analysis.pod_name(pod);
    let Some(plan) = analysis.plan.pods.iter().find(|p| &*p.name == name) else {
        return false;
    };
    let PodStart::Imported {
        disruption_target,
        deletion,
        phase,
        ..
    } = plan.start
    else {
        return false;
    };
    let target = disruption_target.filter(|c| c.status == ConditionStatus::True);
    if deletion.is_none() && target.is_none() {
        return false;
    }
    let ago = |seconds: i64| match u64::try_from(-seconds) {
        Ok(s) if s > 0 => format!("{} before the run began", short(Dur::from_secs(s))),
        _ => "when the run began".to_owned(),
    };
    let node = (0..)
        .zip(&analysis.plan.nodes)
        .find(|(i, _)| plan.node == Some(*i))
        .map(|(i, _)| analysis.node_id(i));
    let from = node.map_or(String::new(), |n| {
        format!(" from {}", analysis.node_name(n))
    });
    let who = target.map(|c| c.reason);
    let did = match who {
        Some(PodReason::DeletionByTaintManager) => {
            format!("evicted{from} by the taint eviction controller")
        }
        Some(PodReason::DeletionByPodGc) => format!("deleted{from} by the pod garbage collector"),
        Some(PodReason::EvictionByEvictionApi) => format!("evicted{from} through the eviction API"),
        Some(PodReason::PreemptionByScheduler | PodReason::PreemptionByKubeScheduler) => {
            format!("preempted{from} by the scheduler")
        }
        Some(PodReason::None) => format!("disrupted{from}, by whom is not known here"),
        None => format!("deleted{from}, by whom the export does not say"),
    };
    let when = target.map_or_else(String::new, |c| {
        format!(", {}", ago(c.last_transition_time.0))
    });
    let state = &seen.state;
    let gone = analysis
        .trace
        .iter()
        .enumerate()
        .take_while(|(_, r)| r.at <= question.until)
        .find(|(_, r)| r.what == What::PodGone && r.pod() == Some(pod));
    let now = match gone {
        Some((_, r)) => format!("it is gone at {}", absolute(r.at)),
        None if deletion.is_some() => {
            format!("it is Terminating still at {}", absolute(question.until))
        }
        None => format!(
            "it is {} at {}",
            state.phase.as_str(),
            absolute(question.until)
        ),
    };
    found.verdict = format!(
        "{did} before the run began{}; {now}",
        if when.is_empty() {
            String::new()
        } else {
            format!(" ({})", when.trim_start_matches(", "))
        }
    );
    if let Some(n) = node {
        let was = node::at_start(question, n).said;
        if !was.is_empty() {
            let text = format!(
                "when the run began, {} was {}",
                analysis.node_name(n),
                was.join("; ")
            );
            found.steps.push(Step {
                at: Time::ZERO,
                text,
                rule: None,
                record: None,
            });
        }
    }
    let mut said = Vec::new();
    if let Some(c) = target {
        let reason = c.reason.as_str();
        let reason = if reason.is_empty() {
            String::new()
        } else {
            format!(", reason {reason}")
        };
        said.push(format!(
            "its condition DisruptionTarget is True since {}{reason}",
            ago(c.last_transition_time.0)
        ));
    }
    if let Some(d) = deletion {
        let asked = d.timestamp.0.saturating_sub(d.grace_period_seconds);
        said.push(format!(
            "its deletion was asked for {} with a grace period of {} s",
            ago(asked),
            d.grace_period_seconds
        ));
    }
    if phase.is_terminal() {
        said.push(format!("it had ended, {}", phase.as_str()));
    }
    found.steps.push(Step {
        at: Time::ZERO,
        text: said.join("; "),
        rule: Some("as the export shows it".to_owned()),
        record: None,
    });
    match gone {
        Some((id, r)) => {
            found.steps.push(Step {
                at: r.at,
                text: words::record(analysis, r),
                rule: None,
                record: Some(id as RecordId),
            });
        }
        None if deletion.is_some() => {
            found
                .notes
                .push("a pod stays Terminating until its kubelet says that it has ended, or somebody deletes it by force".to_owned());
        }
        None => {}
    }
    true
}

fn stayed(question: Question<'_>, pod: PodId, seen: &Seen<'_>, found: &mut Explanation) {
    let analysis = question.analysis;
    let record = |m: &Moment<'_>| {
        analysis
            .trace
            .get(m.record)
            .map_or(String::new(), |r| words::record(analysis, r))
    };
    let step = |m: &Moment<'_>, rule| Step {
        at: m.at,
        text: record(m),
        rule,
        record: Some(m.record),
    };
    let came = seen
        .created
        .last()
        .into_iter()
        .chain(seen.bound.last())
        .map(|m| step(m, None));
    let state = &seen.state;
    if !state.exists {
        found.verdict = format!("there is no such pod at {}", absolute(question.until));
        found.steps = came.collect();
        return;
    }
    let Some(node) = state.node_id() else {
        found.verdict = pending::verdict(&seen.told, question.until);
        found.steps = came.chain(pending::steps(&seen.told)).collect();
        return;
    };
    let name = analysis.node_name(node);
    let timer = seen.timers.last();
    let later = |list: &[Moment<'_>]| list.last().map_or(Time::ZERO, |m| m.at);
    let since = timer.map_or(Time::ZERO, |(m, _)| m.at);
    if seen.refused.last().is_some_and(|last| last >= since) {
        return drain::held_up(question, &seen.refused, pod, found);
    }
    let chain_to = |m: &Moment<'_>| {
        m.node
            .map_or(Vec::new(), |n| taint_steps(question, n, m.record).0)
    };
    if let Some((set, seconds)) =
        timer.filter(|_| later(&seen.cancelled) >= since && !seen.cancelled.is_empty())
    {
        let cancelled = &seen.cancelled[seen.cancelled.len() - 1];
        let due = set.at.saturating_add(Dur::from_secs((*seconds).into()));
        let spare = Dur::from_millis(due.since(cancelled.at).as_millis());
        let why = if cancelled.taints.is_empty() {
            format!(
                "{name} was free of NoExecute taints with {} to spare",
                short(spare)
            )
        } else {
            format!(
                "the taints that were left are tolerated; {} were to spare",
                short(spare)
            )
        };
        found.verdict = format!(
            "not evicted: its timer of {seconds} s was cancelled at {}: {why}",
            absolute(cancelled.at)
        );
        found.steps = chain_to(set);
        let rule = deciding(question, set).flatten().map(|t| {
            format!(
                "{}{}",
                rules::toleration(t),
                rules::source(question, pod, t)
            )
        });
        found.steps.push(step(set, rule));
        found.steps.push(step(
            cancelled,
            Some(format!("it would have run out at {}", absolute(due))),
        ));
        let most = cancelled
            .at
            .since(set.at)
            .as_nanos()
            .div_ceil(1_000_000_000)
            .saturating_sub(1);
        if let Some(Some(t)) = deciding(question, set) {
            let text = format!(
                "with tolerationSeconds <= {most} this pod would have been evicted: it waited for {}",
                short(Dur::from_millis(cancelled.at.since(set.at).as_millis()))
            );
            found.remedies.push(Remedy {
                text,
                set: rules::seconds_path(question, pod, &t.key, &most.to_string()),
            });
        }
    } else if let Some(lost) = seen
        .lost
        .last()
        .filter(|m| m.at >= since && timer.is_some())
    {
        found.verdict = format!(
            "not evicted: its timer died with the controllers' process at {}",
            absolute(lost.at)
        );
        found.steps = timer.map_or(Vec::new(), |(m, _)| chain_to(m));
        found.steps.extend(timer.map(|(m, _)| step(m, None)));
        found
            .steps
            .push(step(lost, Some("timers are kept in memory only; a new process sets them anew, if the taint is still there".to_owned())));
    } else if let Some(failed) = seen.failed.last().filter(|m| m.at >= since) {
        found.verdict = format!(
            "not evicted: five tries to delete it failed, the last at {}",
            absolute(failed.at)
        );
        found.steps = chain_to(failed);
        found.steps.push(step(
            failed,
            Some("after five tries nothing happens until the pod or its node changes".to_owned()),
        ));
    } else if let Some(exists) = seen.exists.last().filter(|m| m.at > since) {
        found.verdict = format!(
            "not evicted: at {} it was to be, but an entry of an earlier eviction of this name was in the way",
            absolute(exists.at)
        );
        let nil = analysis.plan.profile.taint_eviction.finished_entry == FinishedEntry::Nil;
        let rule = if nil {
            "switch taint_eviction.finished_entry=Nil: an eviction that ended well leaves an entry behind, and no other is scheduled under the name (up to 1.32)"
        } else {
            "an eviction of this name was under way"
        };
        found.steps = chain_to(exists);
        found.steps.push(step(exists, Some(rule.to_owned())));
    } else if let Some((set, seconds)) = timer {
        let due = set.at.saturating_add(Dur::from_secs((*seconds).into()));
        let rule = deciding(question, set).flatten().map(|t| {
            format!(
                "{}{}",
                rules::toleration(t),
                rules::source(question, pod, t)
            )
        });
        found.verdict = format!(
            "not evicted by {}: its timer of {seconds} s runs until {}",
            absolute(question.until),
            absolute(due)
        );
        found.steps = chain_to(set);
        found.steps.push(step(set, rule));
    } else if let Some(forever) = seen.forever.last() {
        let tolerations = matching_tolerations(
            &forever
                .taints
                .iter()
                .map(|t| (*t).clone())
                .collect::<Vec<_>>(),
            forever.tolerations,
            false,
        );
        let said: Vec<String> = tolerations
            .unwrap_or_default()
            .iter()
            .map(|t| rules::toleration(t))
            .collect();
        found.verdict =
            format!("not evicted: it tolerates the NoExecute taints of {name} for ever");
        found.steps = chain_to(forever);
        found.steps.push(step(
            forever,
            Some(said.join(", ")).filter(|s| !s.is_empty()),
        ));
    } else if state.phase.is_terminal() {
        found.verdict = format!(
            "not evicted: it is {}",
            if state.phase == PodPhase::Failed {
                "Failed"
            } else {
                "Succeeded"
            }
        );
        found.steps = came.collect();
    } else {
        untainted(question, node, found);
        if !seen.told.is_empty() {
            // It waited before it was placed there.
            let waited: Vec<Step> = came.chain(pending::steps(&seen.told)).collect();
            found.steps.splice(0..0, waited);
            found.steps.sort_by_key(|s| s.at);
        }
    }
}

/// Why the pod of a node was in no danger: no NoExecute taint of the node reached the taint
/// eviction controller.
fn untainted(question: Question<'_>, node: NodeId, found: &mut Explanation) {
    let analysis = question.analysis;
    let name = analysis.node_name(node);
    let flags = &analysis.plan.flags;
    let story = node::story(question, node, question.until);
    let has = |end: &str| story.steps.iter().any(|(s, _)| s.text.ends_with(end));
    let master = story
        .steps
        .iter()
        .any(|(s, _)| s.text.starts_with("master disruption:"));
    let before = node::at_start(question, node);
    let tainted = story
        .steps
        .iter()
        .any(|(s, _)| s.text.contains("tainted") && s.text.contains("NoExecute"));
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
                absolute(question.until)
            )
        } else {
            format!("{name} was not Ready, but not for long enough to be tainted")
        }
    } else if story
        .steps
        .iter()
        .any(|(s, _)| s.text.contains("falls silent"))
    {
        format!(
            "{name} was silent, but not for longer than --node-monitor-grace-period={}",
            short(flags.node_monitor_grace_period)
        )
    } else if story.steps.is_empty() {
        format!("its node {name} was healthy all the time")
    } else {
        format!("its node {name} never had a NoExecute taint")
    };
    found.verdict = format!("not evicted: {why}");
    found.steps = story.steps.into_iter().map(|(s, _)| s).collect();
}
