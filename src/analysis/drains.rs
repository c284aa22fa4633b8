//! The drains of nodes: how long each took, and ended ones in words.

use super::clock::short;
use super::names::counted;
use super::setting::Analysis;
use crate::api::names::NodeId;
use crate::kernel::{Dur, Time};
use crate::plan::Do;
use crate::trace::{Actor, DrainEnd, DrainOutcome, Record, What};
use std::collections::BTreeMap;

/// A drain of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Drain {
    /// Whose.
    pub(crate) node: NodeId,
    /// From when.
    pub(crate) from: Time,
    /// Until when; the end of the run where it goes on.
    pub(crate) to: Time,
    /// How it ended; nothing where it goes on.
    pub(crate) outcome: Option<DrainOutcome>,
}

impl Drain {
    /// How it ended, and how long it took.
    pub(crate) fn words(&self) -> String {
        let took = short(whole(self.to.since(self.from)));
        match self.outcome {
            Some(DrainOutcome::Drained) => format!("drained in {took}"),
            Some(DrainOutcome::TimedOut) => format!("not drained in {took}"),
            Some(DrainOutcome::Refused) => format!("drain refused after {took}"),
            None => format!("drain goes on after {took}"),
        }
    }
}

/// The drains of a run, by when they ended. One that goes on began when it cordoned its node.
pub(crate) fn drains(analysis: &Analysis<'_>) -> Vec<Drain> {
    let (plan, trace) = (analysis.plan, analysis.trace);
    let is_drain = |r: &Record| {
        let cause = trace.get(r.cause).filter(|c| c.what == What::FaultBegan);
        let drains = |a: &Do| matches!(a, Do::Drain(..) | Do::Maintain(..));
        cause.is_some_and(|c| {
            let mut acts = plan.actions.iter().filter(|a| a.entry == c.object);
            acts.any(|a| drains(&a.act))
        })
    };
    let mut found = Vec::new();
    let mut open: BTreeMap<NodeId, Time> = BTreeMap::new();
    for r in trace.iter() {
        let Some(node) = r.node() else { continue };
        match r.what {
            What::NodeUnschedulable(true) if r.actor == Actor::User && is_drain(r) => {
                open.insert(node, r.at);
            }
            What::NodeUnschedulable(false) => _ = open.remove(&node),
            What::DrainEnded(end) => {
                open.remove(&node);
                found.extend(trace.drains.get(end as usize).map(|end| Drain {
                    node,
                    from: r.at.saturating_sub(end.took),
                    to: r.at,
                    outcome: Some(end.outcome),
                }));
            }
            _ => {}
        }
    }
    found.extend(open.into_iter().map(|(node, from)| Drain {
        node,
        from,
        to: analysis.horizon(),
        outcome: None,
    }));
    found
}

/// How the drain of a node ended.
pub(super) fn drain_ended(analysis: &Analysis<'_>, node: &str, end: &DrainEnd) -> String {
    let pods = |n: usize| counted(n as u64, "pod");
    let left = || {
        let names: Vec<&str> = end.left.iter().take(LEFT).map(|p| analysis.pod_name(*p)).collect();
        let more = if end.left.len() > LEFT { ", …" } else { "" };
        format!("{} left: {}{more}", pods(end.left.len()), names.join(", "))
    };
    match end.outcome {
        DrainOutcome::Drained => format!(
            "{node} drained, {} gone in {}",
            pods(end.gone as usize),
            short(whole(end.took))
        ),
        DrainOutcome::TimedOut => {
            format!("{node} not drained: timed out after {}, {}", short(whole(end.took)), left())
        }
        DrainOutcome::Refused => {
            let words = analysis.trace.names.text_of(end.words);
            let reason = words.split_once("due to error: ").map_or(words, |(_, why)| why);
            format!(
                "{node} not drained: {}",
                reason.strip_suffix(", continuing command...").unwrap_or(reason)
            )
        }
    }
}

/// A span without what is below a second, as people time drains; short ones to the millisecond.
fn whole(took: Dur) -> Dur {
    if took < Dur::from_secs(10) {
        Dur::from_millis(took.as_millis())
    } else {
        Dur::from_secs(took.as_millis() / 1_000)
    }
}

/// How many of the pods that a drain left behind are named.
const LEFT: usize = 4;
