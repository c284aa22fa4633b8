//! `never-ready`: a node is healthy again, and a pod on it that was Ready stays NotReady.

use super::super::setting::Analysis;
use super::overdue::overdue;
use super::property::Property;
use super::violation::Violation;
use super::walk::Walk;
use crate::api::names::PodId;
use crate::api::pod::PodPhase;
use crate::kernel::{Dur, Time};

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let since = |walk: &Walk<'a>, id: PodId| {
        let pod = walk.follow.pod(id);
        let life = walk.life(id);
        let node = pod.node_id().filter(|n| walk.follow.node(*n).is_back())?;
        let lost = pod.exists
            && pod.phase == PodPhase::Running
            && !pod.ready
            && !pod.deleting
            && life.was_ready;
        lost.then(|| walk.healthy_at(node).max(life.ready_at))
    };
    let tell = |walk: &Walk<'a>, id: PodId, at: Time| {
        let pod = walk.follow.pod(id);
        let (name, node, lost) = (
            walk.pod_name(id),
            walk.node_of(&pod),
            walk.life(id).ready_at,
        );
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
    overdue(
        analysis,
        |walk, id| analysis.due(since(walk, id)?, within),
        tell,
    )
}
