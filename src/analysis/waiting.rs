//! How many nodes wait in the queues of their zones for the NoExecute taint.

use super::setting::Analysis;
use super::state::{Follow, Health};
use crate::api::names::NodeId;
use crate::kernel::Time;
use crate::trace::What;
use std::collections::BTreeSet;

/// How many nodes wait in the queues of their zones. A node leaves its queue with the taint, when
/// it is Ready again, when it is deleted; all do in master disruption, and with their process.
pub(crate) fn waiting(analysis: &Analysis<'_>) -> Vec<(Time, u32)> {
    let mut follow = Follow::new(analysis);
    let mut inside: BTreeSet<NodeId> = BTreeSet::new();
    let mut steps = vec![(Time::ZERO, 0)];
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let step = follow.apply(id, r);
        match r.what {
            What::NodeQueued => {
                inside.insert(NodeId(r.object));
            }
            What::MasterDisruptionEntered | What::ControllersStopped => inside.clear(),
            _ => {}
        }
        if let Some((node, _, after)) = step.node
            && (after.no_execute > 0
                || matches!(after.health(), Health::Ready | Health::Silent | Health::Absent))
        {
            inside.remove(&node);
        }
        // Without taints it is the pods' deletion that the queue is for.
        if let Some((_, pod)) = step.eviction(r)
            && let Some(node) = pod.node_id()
        {
            inside.remove(&node);
        }
        set(&mut steps, r.at, inside.len() as u32);
    }
    steps
}

/// Sets the value from a time on, over another one of the same instant.
pub(crate) fn set(steps: &mut Vec<(Time, u32)>, at: Time, value: u32) {
    match steps.as_mut_slice() {
        [.., before, last] if last.0 == at && before.1 == value => {
            steps.pop();
        }
        [.., last] if last.0 == at => last.1 = value,
        [.., last] if last.1 == value => {}
        _ => steps.push((at, value)),
    }
}
