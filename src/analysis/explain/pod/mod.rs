//! What became of a pod: evicted, and by which rule; not evicted, and why not; deleted by somebody
//! else; pending. One that was evicted, or was being deleted, before the run began is as an export
//! shows it.

mod case;
mod evicted;
mod inquiry;
mod ordered;
mod seen;
mod stayed;
mod volumes;

use super::node::{self, Stories};
use super::prelude::*;
use crate::analysis::causes::is_of_shutdown;
use crate::api::pod::{Deletion, PodCondition, PodReason};
use crate::plan::PodStart;
use case::Case;
use inquiry::Inquiry;
use seen::{Moment, Seen, gather};

/// Explains several pods at once, which takes a few walks through the trace in all; `stories` are
/// those of nodes that were told already.
pub(crate) fn explain_pods<'a>(
    question: Question<'a>,
    pods: &[PodId],
    stories: &'a Stories,
) -> Vec<Explanation> {
    let all = gather(question, pods);
    let of = Inquiry::new(question, &all, stories);
    let one = |(pod, seen): (&PodId, &Seen<'a>)| told(&of, *pod, seen);
    question.with_troubles(pods.iter().zip(&all).map(one))
}

/// What became of a pod to which this happened.
fn told<'a>(of: &Inquiry<'a>, pod: PodId, seen: &Seen<'a>) -> Explanation {
    let object = format!("pod {}", of.question.analysis.pod_name(pod));
    let mut case = Case { of, pod, seen, found: Explanation { object, ..Explanation::default() } };
    let by_other = seen.deleted.last();
    match seen.evicted.last() {
        Some((moment, timer)) if by_other.is_none_or(|m| m.at < moment.at) => {
            case.evicted(moment, timer.map(|i| &seen.timers[i]));
        }
        _ => match by_other {
            Some(moment) => case.deleted(moment),
            None if seen.created.is_empty() && case.imported() => {}
            None => case.stayed(),
        },
    }
    case.in_order();
    case.lives_again();
    case.found
}

/// What the export shows of such a pod.
struct Shown {
    /// Its condition DisruptionTarget, if that is True.
    target: Option<PodCondition>,
    deletion: Option<Deletion>,
    phase: PodPhase,
    /// The node that it is bound to.
    node: Option<NodeId>,
}

impl Case<'_, '_> {
    /// Explains a pod that somebody else deleted.
    fn deleted(&mut self, moment: &Moment<'_>) {
        let (at, by, on) =
            (absolute(moment.at), moment.r.actor.by(), self.place("on", moment.node));
        let made = self.seen.created.iter().rfind(|m| m.record < moment.record);
        let ended = self.seen.ended.iter().rfind(|m| m.record < moment.record);
        let ended = ended.filter(|m| made.is_none_or(|made| made.record < m.record));
        let (plan, trace) = (self.analysis().plan, self.analysis().trace);
        let ended = ended.filter(|m| is_of_shutdown(plan, trace, m.record));
        let mut first = String::new();
        if let (Some(ended), Some(node)) = (ended, moment.node) {
            let name = self.analysis().node_name(node);
            let ended_at = absolute(ended.at);
            first =
                format!("ended at {ended_at} by its kubelet, as {name} was told to go off, and ");
            self.found.steps = self.of.question.led_to(ended.record);
        }
        self.found.add(self.of.question.led_to(moment.record));
        let failed = self.of.failed_job(self.pod);
        let why = failed.map(|(_, r)| format!(", as {}", words::record(self.analysis(), r)));
        let why = why.unwrap_or_default();
        self.found.add(failed.map(|found| self.of.question.step(found, None)));
        self.found.verdict = format!("not evicted: {first}deleted at {at} by {by}{on}{why}");
    }

    /// Adds to what became of a pod what one of its name that came after it waits for.
    fn lives_again(&mut self) {
        let seen = self.seen;
        let ended = seen.evicted.iter().map(|(m, _)| m).chain(&seen.deleted);
        let last = ended.map(|m| m.record).max();
        let again = seen.created.last().filter(|made| last.is_some_and(|last| made.record > last));
        if again.is_none() || !seen.state.exists || seen.state.ready {
            return;
        }
        let (of, pod, object) = (self.of, self.pod, self.found.object.clone());
        let mut now =
            Case { of, pod, seen, found: Explanation { object, ..Explanation::default() } };
        match seen.state.node_id() {
            None => now.stayed(),
            Some(node) if now.waits_for_a_volume(node) || now.is_not_ready_by_itself() => {}
            Some(_) => return,
        }
        let found = now.found;
        self.found.verdict += &format!("; the one of its name after it: {}", found.verdict);
        self.found.add(found.steps);
        self.found.sort();
        self.found.notes.extend(found.notes);
        self.found.remedies.extend(found.remedies);
    }

    /// Explains a pod that was evicted, or was being deleted, before the run began; whether it is
    /// such a pod.
    fn imported(&mut self) -> bool {
        let question = self.of.question;
        let Some(shown) = self.shown() else { return false };
        let gone = self.of.gone(self.pod, 0).filter(|(_, r)| r.at <= question.until);
        self.found.verdict = self.verdict_of_import(&shown, gone.map(|(_, r)| r));
        let was = shown.node.and_then(|n| node::at_start(question, n).step(question, n));
        self.found.steps.extend(was);
        self.found.steps.push(Step {
            rule: Some("as the export shows it".to_owned()),
            ..Step::without_record(Time::ZERO, in_words(&shown))
        });
        match gone {
            Some(gone) => self.found.steps.push(question.step(gone, None)),
            None if shown.deletion.is_some() => {
                self.found.notes.push("a pod stays Terminating until its kubelet says that it has ended, or somebody deletes it by force".to_owned());
            }
            None => {}
        }
        true
    }

    /// What the export shows of the pod, if it was evicted or was being deleted.
    fn shown(&self) -> Option<Shown> {
        let analysis = self.analysis();
        let plan = self.of.origins().planned(self.pod)?;
        let PodStart::Imported { disruption_target, deletion, phase, .. } = plan.start else {
            return None;
        };
        let target = disruption_target.filter(|c| c.status == ConditionStatus::True);
        if deletion.is_none() && target.is_none() {
            return None;
        }
        let node = plan.node.map(|node| analysis.node_id(node));
        Some(Shown { target, deletion, phase, node })
    }

    /// Who did it, when, and what the pod is now; `gone` is the record of its end.
    fn verdict_of_import(&self, shown: &Shown, gone: Option<&Record>) -> String {
        use PodReason as By;
        let from = self.place("from", shown.node);
        let (did, by) = match shown.target.map(|c| c.reason) {
            Some(By::DeletionByTaintManager) => ("evicted", " by the taint eviction controller"),
            Some(By::DeletionByDeviceTaintManager) => {
                ("evicted", " by the device taint eviction controller")
            }
            Some(By::DeletionByPodGc) => ("deleted", " by the pod garbage collector"),
            Some(By::EvictionByEvictionApi) => ("evicted", " through the eviction API"),
            Some(By::PreemptionByScheduler | By::PreemptionByKubeScheduler) => {
                ("preempted", " by the scheduler")
            }
            Some(By::TerminationByKubelet) => ("ended", " by its kubelet"),
            Some(By::None) => ("disrupted", ", by whom is not known here"),
            None | Some(By::ContainersNotReady | By::PodCompleted | By::PodFailed) => {
                ("deleted", ", by whom the export does not say")
            }
        };
        let when = |c: PodCondition| format!(" ({})", ago(c.last_transition_time.0));
        let when = shown.target.map(when).unwrap_or_default();
        let until = absolute(self.of.question.until);
        let now = match gone {
            Some(r) => format!("it is gone at {}", absolute(r.at)),
            None if shown.deletion.is_some() => format!("it is Terminating still at {until}"),
            None => format!("it is {} at {until}", self.seen.state.phase.as_str()),
        };
        format!("{did}{from}{by} before the run began{when}; {now}")
    }
}

/// A time before the run, in seconds from its start.
fn ago(seconds: i64) -> String {
    match u64::try_from(-seconds) {
        Ok(s) if s > 0 => format!("{} before the run began", short(Dur::from_secs(s))),
        _ => "when the run began".to_owned(),
    }
}

/// What the export shows, in words.
fn in_words(shown: &Shown) -> String {
    let mut said = Vec::new();
    if let Some(c) = shown.target {
        let reason = c.reason.as_str();
        let reason = if reason.is_empty() { String::new() } else { format!(", reason {reason}") };
        let since = ago(c.last_transition_time.0);
        said.push(format!("its condition DisruptionTarget is True since {since}{reason}"));
    }
    if let Some(d) = shown.deletion {
        let grace = d.grace_period_seconds;
        let asked = ago(d.timestamp.0.saturating_sub(grace));
        said.push(format!("its deletion was asked for {asked} with a grace period of {grace} s"));
    }
    if shown.phase.is_terminal() {
        said.push(format!("it had ended, {}", shown.phase.as_str()));
    }
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::tests::synthetic_runs::{one_node_lost, outage};
    use crate::api::names::NodeId;
    use crate::kernel::Time;

    /// Told together, every pod has the story that it has alone. p2 of the lost node was tainted
    /// at 105.1 s and tolerates 300 s: 6:45.1.
    #[test]
    fn several_pods_are_told_as_each_alone() {
        for (plan, trace) in [one_node_lost(), outage(4, 3, 1)] {
            let analysis = Analysis::new(&plan, &trace);
            let pods: Vec<PodId> = (0..analysis.pod_count() as u32).map(PodId).collect();
            for until in [Time::from_secs(120), analysis.horizon()] {
                let question = Question { analysis: &analysis, until, groups: &[] };
                let alone: Vec<_> = pods
                    .iter()
                    .flat_map(|p| explain_pods(question, &[*p], &Stories::default()))
                    .collect();
                let nodes: Vec<NodeId> = (0..analysis.node_count() as u32).map(NodeId).collect();
                for stories in [Stories::default(), Stories::new(question, &nodes)] {
                    assert_eq!(explain_pods(question, &pods, &stories), alone);
                }
                let evicted = alone.iter().filter(|e| {
                    e.verdict.starts_with("evicted at 6:45.1") && e.object.ends_with("p2")
                });
                let lost = plan.name == "cut-one-of-three" && until == analysis.horizon();
                assert_eq!(evicted.count(), usize::from(lost));
            }
        }
    }
}
