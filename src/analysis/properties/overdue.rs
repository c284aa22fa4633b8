//! Pods for which something is overdue: a deadline for each pod, reckoned anew when it, its node or
//! its node's taints change.

use super::super::setting::Analysis;
use super::violation::Violation;
use super::walk::Walk;
use crate::api::names::PodId;
use crate::kernel::Time;
use crate::trace::{Record, What};

/// The violations of those pods whose deadline passes without anything happening that moves it;
/// each life of a pod at most once. `deadline` says when that is, `tell` what is wrong with a pod
/// whose deadline has come.
pub(super) fn overdue<'a>(
    analysis: &'a Analysis<'a>,
    deadline: impl Fn(&Walk<'a>, PodId) -> Option<Time>,
    tell: impl Fn(&Walk<'a>, PodId, Time) -> Violation,
) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    // Before a pod's first record nothing is known of what it tolerates.
    let mut deadlines: Vec<Option<Time>> = vec![None; analysis.pods.len()];
    let mut told = vec![false; deadlines.len()];
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let node = if concerns_pods(r) { r.node() } else { None };
        let mut overdue = |walk: &Walk<'a>, pod: PodId| {
            if let Some(at) = deadlines.get(pod.index()).copied().flatten()
                && at < r.at
                && !std::mem::replace(&mut told[pod.index()], true)
            {
                found.push(tell(walk, pod, at));
            }
        };
        match node {
            Some(node) => walk.pods_on(node).for_each(|pod| overdue(&walk, pod)),
            None => r.pod().into_iter().for_each(|pod| overdue(&walk, pod)),
        }
        let step = walk.apply(id, r);
        match (node, step.pod) {
            (Some(node), _) => {
                walk.pods_on(node).for_each(|pod| deadlines[pod.index()] = deadline(&walk, pod))
            }
            // What a pod tolerates comes with its creation, also with that of one from the start, by
            // which nothing else changes.
            (_, Some((pod, before, after)))
                if before != after
                    || matches!(r.what, What::PodCreated(_) | What::PodTolerations) =>
            {
                told[pod.index()] &= !matches!(r.what, What::PodCreated(_));
                deadlines[pod.index()] = deadline(&walk, pod);
            }
            _ => {}
        }
    }
    let horizon = analysis.horizon();
    for (pod, at) in deadlines.iter().enumerate() {
        if let Some(at) = at.filter(|at| *at <= horizon && !told[pod]) {
            found.push(tell(&walk, PodId(pod as u32), at));
        }
    }
    found
}

/// Whether a record about a node may change the deadlines of its pods.
fn concerns_pods(r: &Record) -> bool {
    matches!(
        r.what,
        What::NodeTaints(_)
            | What::NodeDeleted
            | What::NodeCreated
            | What::NodeCondition(..)
            | What::NodeSilent
            | What::NodeHeard
    )
}
