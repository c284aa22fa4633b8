//! Pods for which something is overdue: a deadline for each pod, reckoned anew when it, its node or
//! its node's taints change.
//!
//! `pod-stuck`: a pod has to go, and nobody deletes it.
//!
//! A pod has to go when a NoExecute taint of its node is not tolerated, or was tolerated for a time
//! that is over; a time that new tolerations shorten is over when they come at the earliest. Left
//! out: pods that have ended, which hold nothing.
//!
//! `never-ready`: a node is healthy again, and a pod on it that was Ready stays NotReady.
//!
//! The default bound is what a kubelet may take that does look again. Its watch of pods pauses for
//! 30 s at the longest and by jitter for twice that; a server that has forgotten where the watch was
//! makes that two pauses; and pod statuses are looked at every 10 s: 2 × 60 s + 10 s. The rest of
//! the 150 s is for requests. A run that ends before the bound is over says nothing.
//!
//! `stale-ready`: a node is Unknown, and a pod on it stays Ready.
//!
//! A node whose kubelet itself says that it is not ready is another matter: its pods may well be.

use super::property::{Property, Violation};
use super::walk::{Walk, records, short};
use crate::analysis::prelude::*;
use crate::kernel::Spread;
use crate::plan::KubeletMode;

/// The violations of those pods whose deadline passes without anything happening that moves it;
/// each life of a pod at most once. `deadline` says when that is, `tell` what is wrong with a pod
/// whose deadline has come.
fn overdue<'a>(
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

pub(super) fn pod_stuck<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let deadline = |walk: &Walk<'a>, id: PodId| {
        let pod = walk.follow.pod(id);
        if !pod.exists || pod.deleting || pod.phase.is_terminal() {
            return None;
        }
        analysis.due(walk.due(id, &pod, false)?.at.max(walk.life(id).tolerations_at), within)
    };
    let tell = |walk: &Walk<'a>, id: PodId, at: Time| {
        let pod = walk.follow.pod(id);
        let (name, node) = (walk.analysis.pod_name(id), walk.node_of(&pod));
        let due = walk.due(id, &pod, false);
        let why = due.map_or(String::new(), |d| {
            let tolerated = if d.seconds > 0 {
                format!(", tolerated for {}s", d.seconds)
            } else {
                ", not tolerated".to_owned()
            };
            format!(": it has {} since {}{tolerated}", short(&d.taint), d.taint.since)
        });
        Violation {
            property: Property::PodStuck { within },
            at,
            pod: Some(id),
            node: pod.node_id(),
            text: format!("{name} is still on {node} at {at}{why}"),
            records: records(&[
                walk.life(id).created,
                due.map_or(crate::trace::NO_RECORD, |d| d.taint.record),
            ]),
        }
    };
    overdue(analysis, deadline, tell)
}

pub(super) fn never_ready<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let start = match analysis.plan.timing.kubelet {
        KubeletMode::Imitated(kubelet) => kubelet.start,
        KubeletMode::Real(kubelet) => kubelet.pod_start,
    };
    let own = analysis.plan.templates.iter().filter_map(|t| t.start.as_ref());
    let start = own.map(Spread::most).fold(start, Dur::max);
    let since = |walk: &Walk<'a>, id: PodId| {
        let pod = walk.follow.pod(id);
        let life = walk.life(id);
        let node = pod.node_id().filter(|n| walk.follow.node(*n).is_back())?;
        let lost = pod.exists
            && pod.phase == PodPhase::Running
            && !pod.ready
            && !pod.deleting
            && life.was_ready;
        // Containers that a boot starts anew take their time.
        lost.then(|| {
            let healthy = walk.healthy_at(node).max(life.ready_at);
            healthy.max(walk.booted_at(node).saturating_add(start))
        })
    };
    let tell = |walk: &Walk<'a>, id: PodId, at: Time| {
        let pod = walk.follow.pod(id);
        let (name, node, lost) =
            (walk.analysis.pod_name(id), walk.node_of(&pod), walk.life(id).ready_at);
        let back = pod.node_id().map_or(Time::ZERO, |n| walk.healthy_at(n));
        Violation {
            property: Property::NeverReady { within },
            at,
            pod: Some(id),
            node: pod.node_id(),
            text: format!(
                "{name} has been NotReady since {lost} and still is at {at} although {node} has been healthy since {back}"
            ),
            records: super::walk::records(&[walk.life(id).created]),
        }
    };
    overdue(analysis, |walk, id| analysis.due(since(walk, id)?, within), tell)
}

pub(super) fn stale_ready<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let since = |walk: &Walk<'a>, id: PodId| {
        let pod = walk.follow.pod(id);
        let node = pod.node_id().filter(|n| walk.follow.node(*n).health() == Health::Unknown)?;
        pod.is_available().then(|| walk.healthy_at(node).max(walk.life(id).ready_at))
    };
    let tell = |walk: &Walk<'a>, id: PodId, at: Time| {
        let pod = walk.follow.pod(id);
        let (name, node) = (walk.analysis.pod_name(id), walk.node_of(&pod));
        let unknown = pod.node_id().map_or(Time::ZERO, |n| walk.healthy_at(n));
        Violation {
            property: Property::StaleReady { within },
            at,
            pod: Some(id),
            node: pod.node_id(),
            text: format!(
                "{name} is still Ready at {at} although {node} has been Unknown since {unknown}"
            ),
            records: records(&[walk.life(id).created]),
        }
    };
    overdue(analysis, |walk, id| analysis.due(since(walk, id)?, within), tell)
}
