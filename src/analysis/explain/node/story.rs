//! The steps of a node, what follows from them, and what was wrong with it before the run began.

use super::super::drain::Refusals;
use super::super::prelude::*;
use crate::api::meta::Timestamp;
use crate::api::node::NodeCondition;

/// What a step means for the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It was heard, or is Ready, or lost its taints.
    Recovery,
    /// It fell silent, or is not Ready.
    Harm,
    /// Anything else.
    Other,
}

/// A node's steps.
#[derive(Default)]
pub(crate) struct Story {
    pub(super) steps: Vec<(Step, Kind)>,
    /// The latest expiry: how long before it the last pass with news was, and when a pass found the
    /// node expired.
    pub(super) expired: Option<(Dur, Time)>,
    /// When it was heard and Ready again after that.
    pub(super) heard_at: Option<Time>,
    pub(super) ready_at: Option<Time>,
    /// How long the longest of its silences was, where it stayed Ready in all of them.
    pub(super) unnoticed: Option<Dur>,
    /// Pods that were evicted from it.
    pub(super) evicted: u64,
    /// Evictions from it that budgets refused.
    pub(super) refused: Refusals,
    pub(crate) health: Health,
}

impl Story {
    /// What would have kept the node from becoming Unknown, if it was heard again.
    pub(crate) fn grace_remedy(&self, question: Question<'_>, node: NodeId) -> Option<Remedy> {
        let ((silent, expired), heard, ready) = (self.expired?, self.heard_at?, self.ready_at?);
        if heard < expired {
            return None;
        }
        // Whichever pass comes next finds it so, once the cache has that: a second is enough.
        let news = ready.saturating_add(Dur::from_secs(1));
        let grace = news.since(expired).saturating_add(silent).as_nanos();
        let grace = short(Dur::from_secs(grace.div_ceil(1_000_000_000)));
        let name = question.analysis.node_name(node);
        let text = format!(
            "with a --node-monitor-grace-period of {grace} or more {name} would not have become Unknown: it was Ready again at {}",
            absolute(ready)
        );
        let set = format!("flags.kube-controller-manager.node-monitor-grace-period={grace}");
        Some(Remedy { text, set: Some(set) })
    }

    /// Its steps, in their order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|(step, _)| step)
    }

    /// The steps that led to a record: from the last recovery on that was before the harm that led
    /// to it.
    pub(crate) fn until(&self, record: RecordId) -> Vec<Step> {
        let Some(end) = self.steps.iter().rposition(|(s, _)| s.record == Some(record)) else {
            return Vec::new();
        };
        let last = |to: usize, of: Kind| self.steps[..to].iter().rposition(|(_, kind)| *kind == of);
        let harm = last(end, Kind::Harm).unwrap_or(end);
        let from = last(harm, Kind::Recovery).map_or(0, |i| i + 1);
        self.steps[from..=end].iter().map(|(s, _)| s.clone()).collect()
    }
}

/// What an export shows of a node, or a scenario of its taints, at the start of the run.
#[derive(Default)]
pub(crate) struct AtStart {
    /// In words; empty where there is nothing to tell.
    said: Vec<String>,
    /// It was not Ready.
    pub(crate) unready: bool,
    /// It was, but nobody heard it.
    pub(crate) silent: bool,
    /// It had a NoExecute taint.
    pub(crate) no_execute: bool,
}

impl AtStart {
    /// The step that tells it, if there is anything to tell.
    pub(crate) fn step(&self, question: Question<'_>, node: NodeId) -> Option<Step> {
        let (name, said) = (question.analysis.node_name(node), self.said.join("; "));
        let text = format!("when the run began, {name} was {said}");
        (!said.is_empty()).then(|| Step::without_record(Time::ZERO, text))
    }
}

/// What was wrong with a node before anything happened in the run.
pub(crate) fn at_start(question: Question<'_>, node: NodeId) -> AtStart {
    let mut found = AtStart::default();
    let Some(plan) = question.analysis.planned(node) else { return found };
    if let NodeStart::Imported { conditions, cut, .. } = &plan.start {
        found.said.extend(amiss(conditions));
        found.unready = !found.said.is_empty();
        found.silent = *cut && !found.unready;
        found.said.extend(found.silent.then(|| "silent".to_owned()));
    }
    if plan.start == NodeStart::Absent {
        return found;
    }
    if plan.unschedulable {
        found.said.push("cordoned".to_owned());
    }
    for taint in plan.taints.iter().filter(|t| t.effect == Effect::NoExecute) {
        found.no_execute = true;
        let since = taint.time_added.and_then(ago).unwrap_or_default();
        found.said.push(format!("tainted {}{since}", short_taint(taint)));
    }
    found
}

/// How long before the run that was.
fn ago(at: Timestamp) -> Option<String> {
    let seconds = u64::try_from(-at.0).ok().filter(|s| *s > 0)?;
    Some(format!(", since {} before", short(Dur::from_secs(seconds))))
}

/// Why a node was not Ready, if so.
fn amiss(conditions: &[NodeCondition]) -> Option<String> {
    let ready = conditions.iter().find(|c| c.kind == NodeConditionType::Ready);
    match ready {
        Some(c) if c.status != ConditionStatus::True => {
            let said = if c.status == ConditionStatus::Unknown { "Unknown" } else { "NotReady" };
            let since = ago(c.last_transition_time).unwrap_or_default();
            Some(format!("{said}{since}"))
        }
        None => Some("without a Ready condition".to_owned()),
        Some(_) => None,
    }
}
