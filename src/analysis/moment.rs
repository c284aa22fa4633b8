//! How the workloads stand at one moment of a run: what waits for a node, what is stuck, what sits
//! on nodes that are away.
//!
//! Definitions:
//! * *pending*: pods that are Pending and not being deleted.
//! * *stuck*: pods that are still being deleted although their grace period is over.
//! * *left*: pods that are not being deleted and sit on a node that is away, so that nothing
//!   replaces them.

use super::setting::Analysis;
use super::state::{Follow, NO_NODE};
use super::workloads::Owners;
use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::api::pod::PodPhase;
use crate::kernel::{Dur, Time};
use crate::trace::{EventText, RecordId, What};
use std::collections::BTreeMap;

/// How a workload stands at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Moment {
    /// Pods that wait for a node.
    pub pending: u64,
    /// Why the last of its pods that the scheduler could not place could not be placed.
    pub why: Option<TextId>,
    /// Pods whose deletion does not come to an end.
    pub stuck: u64,
    /// Pods on nodes that are away, which nobody has evicted.
    pub left: u64,
}

/// How each workload stands just before a time; pods without a workload
/// are under none. Workloads of which nothing is to be said are left out.
pub(crate) fn moment(analysis: &Analysis<'_>, at: Time) -> BTreeMap<Option<WorkloadId>, Moment> {
    let owners = Owners::new(analysis);
    let mut follow = Follow::new(analysis);
    let mut over: BTreeMap<PodId, Time> = BTreeMap::new();
    let mut why: BTreeMap<Option<WorkloadId>, TextId> = BTreeMap::new();
    for (id, r) in analysis.trace.iter().enumerate() {
        if r.at >= at {
            break;
        }
        follow.apply(id as RecordId, r);
        let Some(pod) = r.pod() else { continue };
        match r.what {
            What::PodDeleting(grace) => {
                over.insert(pod, r.at.saturating_add(Dur::from_secs(grace.into())));
            }
            What::PodGone => drop(over.remove(&pod)),
            What::PodMessage(m) => {
                let message = analysis.trace.messages.get(m as usize);
                if let Some(m) = message.filter(|m| m.body.text == EventText::FailedScheduling) {
                    why.insert(owners.of(analysis, pod), TextId(m.body.arg));
                }
            }
            _ => {}
        }
    }
    let mut found: BTreeMap<Option<WorkloadId>, Moment> = BTreeMap::new();
    for (pod, state) in follow.pods().filter(|(_, p)| p.exists) {
        let is_over = over.get(&pod).is_some_and(|&t| t < at);
        let away = state.node != NO_NODE && !follow.node(NodeId(state.node)).is_back();
        let now = Moment {
            pending: u64::from(state.phase == PodPhase::Pending && !state.deleting),
            why: None,
            stuck: u64::from(state.deleting && is_over),
            left: u64::from(away && !state.deleting && !state.phase.is_terminal()),
        };
        if now != Moment::default() {
            let of = owners.of(analysis, pod);
            let sum = found.entry(of).or_default();
            sum.pending += now.pending;
            sum.stuck += now.stuck;
            sum.left += now.left;
        }
    }
    for (of, moment) in &mut found {
        moment.why = why.get(of).copied().filter(|_| moment.pending > 0);
    }
    found
}
