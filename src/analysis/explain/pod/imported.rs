//! A pod that was evicted, or was being deleted, before the run began: as an export shows it.

use super::prelude::*;
use crate::api::pod::{Deletion, PodCondition, PodReason};

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
    /// Explains a pod that was evicted, or was being deleted, before the run began; whether it is
    /// such a pod.
    pub(super) fn imported(&mut self) -> bool {
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
        if let Some(made) = &self.seen.created {
            let on = self.place("on", self.seen.state.node_id());
            let (at, by) = (absolute(made.at), made.r.actor.by());
            self.found.verdict += &format!("; it was made anew at {at} by {by}{on}");
            self.found.add(self.came());
        }
        true
    }

    /// What the export shows of the pod, if it was evicted or was being deleted.
    fn shown(&self) -> Option<Shown> {
        let plan = self.of.origins().planned(self.pod)?;
        let PodStart::Imported { disruption_target, deletion, phase, .. } = plan.start else {
            return None;
        };
        let target = disruption_target.filter(|c| c.status == ConditionStatus::True);
        if deletion.is_none() && target.is_none() {
            return None;
        }
        Some(Shown { target, deletion, phase, node: plan.node.map(NodeId) })
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
