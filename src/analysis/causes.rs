//! Walks along the causes of records, and finds the entry of the timeline that led to each.

use super::setting::Analysis;
use crate::api::names::NodeId;
use crate::kernel::Time;
use crate::plan::Phase;
use crate::trace::{Record, RecordId, Trace};

pub(crate) use super::marks::Since;

/// A record and those that led to it, latest first.
///
/// A cause always comes before its effect in a trace; a link that does not is left out, so
/// that the walk ends.
pub(crate) fn chain(trace: &Trace, id: RecordId) -> impl Iterator<Item = (RecordId, &Record)> {
    std::iter::successors(trace.get(id).map(|r| (id, r)), move |&(id, r)| {
        if r.cause < id { trace.get(r.cause).map(|c| (r.cause, c)) } else { None }
    })
}

impl Analysis<'_> {
    /// What the time of a record is given relative to: the nearest beginning or end of an entry of
    /// the timeline among its causes; where there is none, the latest fault that hit `node`, or its
    /// end. A change of a node's Ready condition, and all that follows from it, is counted from
    /// the latest fault of the node if that is later.
    pub(crate) fn since_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        self.marks.since(self.trace, id, node)
    }

    /// What a latency is counted from: the nearest beginning of a fault among the causes that
    /// [`Analysis::since_of`] goes by; where there is none, the nearest beginning of another entry
    /// that changes nodes or pods, a user's taint say; where there is none either, the latest fault
    /// that began and hit `node`.
    pub(crate) fn fault_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        self.marks.fault(self.trace, id, node)
    }

    /// The first moment from a time on, and before another, at which the timeline may take pods
    /// away: a fault, or something that a user does to nodes or pods.
    pub(crate) fn first_harm(&self, from: Time, until: Time) -> Option<Since> {
        let harms = self.plan.actions.iter().filter(|a| {
            let fault = self.plan.timeline.get(a.entry as usize);
            a.phase != Phase::End
                && (a.act.takes_pods() || fault.is_some_and(|entry| entry.is_fault))
        });
        harms.filter(|a| a.at >= from && a.at < until).min_by_key(|a| a.at).map(|a| Since {
            at: a.at,
            entry: a.entry,
            ended: false,
        })
    }
}
