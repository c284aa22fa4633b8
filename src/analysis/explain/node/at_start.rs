//! What was wrong with a node before the run began.

use super::super::explanation::Question;
use crate::analysis::clock::short;
use crate::analysis::taint_kinds::is_no_execute;
use crate::analysis::words;
use crate::api::meta::{ConditionStatus, Timestamp};
use crate::api::names::NodeId;
use crate::api::node::{NodeCondition, NodeConditionType};
use crate::kernel::Dur;
use crate::plan::NodeStart;

/// What an export shows of a node, or a scenario of its taints, at the start of the run.
#[derive(Default)]
pub(crate) struct AtStart {
    /// In words; empty where there is nothing to tell.
    pub(crate) said: Vec<String>,
    /// It was not Ready, or nobody heard it.
    pub(crate) unready: bool,
    /// It had a NoExecute taint.
    pub(crate) no_execute: bool,
}

/// What was wrong with a node before anything happened in the run.
pub(crate) fn at_start(question: Question<'_>, node: NodeId) -> AtStart {
    let mut found = AtStart::default();
    let Some(plan) = question.analysis.planned(node) else {
        return found;
    };
    if let NodeStart::Imported { conditions, cut, .. } = &plan.start {
        found.said.extend(amiss(conditions, *cut));
        found.unready = !found.said.is_empty();
    }
    if plan.unschedulable && !matches!(plan.start, NodeStart::Absent) {
        found.said.push("cordoned".to_owned());
    }
    for taint in plan
        .taints
        .iter()
        .filter(|t| is_no_execute(t.effect) && !matches!(plan.start, NodeStart::Absent))
    {
        found.no_execute = true;
        found.said.push(format!(
            "tainted {}{}",
            words::short_taint(taint),
            taint.time_added.and_then(ago).unwrap_or_default()
        ));
    }
    found
}

/// How long before the run that was.
fn ago(at: Timestamp) -> Option<String> {
    u64::try_from(-at.0)
        .ok()
        .filter(|s| *s > 0)
        .map(|s| format!(", since {} before", short(Dur::from_secs(s))))
}

/// Why a node was not Ready, or not heard, if so.
fn amiss(conditions: &[NodeCondition], cut: bool) -> Option<String> {
    let ready = conditions.iter().find(|c| c.kind == NodeConditionType::Ready);
    match ready {
        Some(c) if c.status != ConditionStatus::True => {
            let said = if c.status == ConditionStatus::Unknown { "Unknown" } else { "NotReady" };
            let since = ago(c.last_transition_time).unwrap_or_default();
            Some(format!("{said}{since}"))
        }
        None => Some("without a Ready condition".to_owned()),
        Some(_) => cut.then(|| "silent".to_owned()),
    }
}
