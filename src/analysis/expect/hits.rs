//! The records that expectations look for.

use super::super::setting::{short_key, zone_name};
use super::super::state::{Follow, NO_NODE, Step};
use super::objects::selected;
use super::run::Run;
use super::verdict::Wrong;
use crate::api::names::{NodeId, PodId, TextId};
use crate::api::taint::Taint;
use crate::kernel::Time;
use crate::scenario::expectations::{Expectation, Expected, Kind, Sought, TaintSought, glob};
use crate::trace::{EvictionCause, Record, RecordId, Trace, What};
use std::collections::BTreeSet;

/// A record that was looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) at: Time,
    pub(super) record: RecordId,
    pub(super) object: u32,
}

/// A search under way.
struct Search<'a> {
    sought: &'a Sought,
    pods: Option<Vec<bool>>,
    nodes: Option<BTreeSet<NodeId>>,
    hits: Vec<Hit>,
}

/// The records that each expectation looks for, in one walk through the trace: a list for each that
/// is about records, and for each part of an order.
pub(super) fn find(run: &Run<'_>, expectations: &[Expectation]) -> Vec<Result<Vec<Hit>, Wrong>> {
    let all = expectations.iter().flat_map(|e| match &e.what {
        Expected::Seen(sought) => vec![sought],
        Expected::Order(parts) => parts.iter().collect(),
        _ => Vec::new(),
    });
    let mut searches: Vec<Result<Search<'_>, Wrong>> = all
        .map(|sought| {
            let pods = sought.pods.as_ref().map(|p| selected(run, p)).transpose()?;
            let nodes =
                sought.nodes.as_ref().map(|n| n.iter().map(|&i| run.analysis.node_id(i)).collect());
            Ok(Search { sought, pods, nodes, hits: Vec::new() })
        })
        .collect();
    if searches.iter().any(Result::is_ok) {
        let mut follow = Follow::new(run.analysis);
        for (id, r) in (0..).zip(run.analysis.trace.iter()) {
            let step = follow.apply(id, r);
            for search in searches.iter_mut().flatten() {
                if search.finds(run, r, &step) {
                    search.hits.push(Hit { at: r.at, record: id, object: r.object });
                }
            }
        }
    }
    searches.into_iter().map(|s| s.map(|s| s.hits)).collect()
}

impl Search<'_> {
    fn finds(&self, run: &Run<'_>, r: &Record, step: &Step) -> bool {
        let during = self.sought.times.during;
        if r.at < during.0 || r.at > during.1 || !self.is_sought(run, r, step) {
            return false;
        }
        let on = match step.pod {
            Some((_, before, after)) => {
                Some(if after.node == NO_NODE { before.node } else { after.node })
            }
            None => r.node().map(|n| n.0),
        };
        let pod =
            |p: PodId| self.pods.as_ref().is_none_or(|pods| pods.get(p.index()) == Some(&true));
        // An expectation about pods means no events of other objects.
        (r.pod().map_or(self.pods.is_none(), pod))
            && self.nodes.as_ref().is_none_or(|n| on.is_some_and(|on| n.contains(&NodeId(on))))
    }

    fn is_sought(&self, run: &Run<'_>, r: &Record, step: &Step) -> bool {
        let trace = run.analysis.trace;
        let created = || step.pod.is_some_and(|(_, before, after)| !before.exists && after.exists);
        match &self.sought.what {
            Kind::Evicted { by } => {
                let cause =
                    step.eviction(r).and_then(|(_, before)| EvictionCause::of(r, before.asked));
                cause.is_some_and(|c| by.is_none_or(|by| by == c))
            }
            Kind::Deleted { by } => {
                step.deletion_begins().is_some()
                    && by.as_ref().is_none_or(|by| r.actor.as_str() == by)
            }
            Kind::Gone => r.what == What::PodGone,
            Kind::Created => matches!(r.what, What::PodCreated(_)) && created(),
            Kind::Bound => matches!(r.what, What::PodBound(_)),
            Kind::Phase(phase) => r.what == What::PodPhase(*phase),
            Kind::PodCondition(kind, status) => {
                matches!(r.what, What::PodCondition(k, s, _) if k == *kind && s == *status)
            }
            Kind::TimerSet => matches!(r.what, What::TimerSet(_)),
            Kind::TimerCancelled => r.what == What::TimerCancelled,
            Kind::EvictionFailed => r.what == What::EvictionFailed,
            Kind::Tainted(t) => {
                trace.taint_change(r).is_some_and(|c| c.added.iter().any(|x| is(t, x)))
            }
            Kind::Untainted(t) => {
                trace.taint_change(r).is_some_and(|c| c.removed.iter().any(|x| is(t, x)))
            }
            Kind::Condition(kind, status) => {
                matches!(r.what, What::NodeCondition(k, s, _) if k == *kind && s == *status)
            }
            Kind::Unschedulable(value) => r.what == What::NodeUnschedulable(*value),
            Kind::Zone(state, zone) => {
                r.what == What::Zone(*state)
                    && zone
                        .as_ref()
                        .is_none_or(|z| zone_name(trace.names.text_of(TextId(r.object))) == *z)
            }
            Kind::MasterDisruption { entered: true } => r.what == What::MasterDisruptionEntered,
            Kind::MasterDisruption { entered: false } => r.what == What::MasterDisruptionLeft,
            Kind::Event { reason, message, object } => {
                is_event(trace, r, reason, message.as_ref(), object.as_ref())
            }
        }
    }
}

/// Whether a record is an event of this reason, with this part of a message, about an object whose
/// name fits this pattern.
fn is_event(
    trace: &Trace,
    r: &Record,
    reason: &str,
    message: Option<&String>,
    object: Option<&String>,
) -> bool {
    let text = match r.what {
        What::NodeEvent(text, ..) | What::PodEvent(text, ..) => text,
        What::PodMessage(m) | What::WorkloadMessage(m) => trace.messages[m as usize].body.text,
        _ => return false,
    };
    if text.reason() != reason {
        return false;
    }
    let fields = trace.fields(r);
    let has = |part: &String| fields.message.as_ref().is_some_and(|m| m.contains(part.as_str()));
    let about = |pattern: &String| fields.object.as_ref().is_some_and(|o| glob(pattern, o));
    message.is_none_or(has) && object.is_none_or(about)
}

fn is(sought: &TaintSought, taint: &Taint) -> bool {
    (sought.key == taint.key || sought.key == short_key(&taint.key))
        && sought.value.as_ref().is_none_or(|v| *v == taint.value)
        && sought.effect.is_none_or(|e| e == taint.effect)
}
