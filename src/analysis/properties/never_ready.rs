//! `never-ready`: a node is healthy again, and a pod on it that was Ready stays NotReady.
//!
//! The default bound is what a kubelet may take that does look again. Its watch of pods pauses for
//! 30 s at the longest and by jitter for twice that; a server that has forgotten where the watch was
//! makes that two pauses; and pod statuses are looked at every 10 s: 2 × 60 s + 10 s. The rest of
//! the 150 s is for requests. A run that ends before the bound is over says nothing.

use super::super::setting::Analysis;
use super::overdue::overdue;
use super::property::Property;
use super::violation::Violation;
use super::walk::Walk;
use crate::api::names::PodId;
use crate::api::pod::PodPhase;
use crate::kernel::{Dur, Time};
use crate::plan::KubeletMode;

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let start = match analysis.plan.timing.kubelet {
        KubeletMode::Imitated(kubelet) => kubelet.start,
        KubeletMode::Real(kubelet) => kubelet.pod_start,
    };
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
        let (name, node, lost) = (walk.pod_name(id), walk.node_of(&pod), walk.life(id).ready_at);
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
