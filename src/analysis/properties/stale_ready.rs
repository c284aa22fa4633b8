//! `stale-ready`: a node is Unknown, and a pod on it stays Ready.
//!
//! A node whose kubelet itself says that it is not ready is another matter: its pods may well be.

use super::super::setting::Analysis;
use super::super::state::Health;
use super::overdue::overdue;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, records};
use crate::api::names::PodId;
use crate::kernel::{Dur, Time};

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let since = |walk: &Walk<'a>, id: PodId| {
        let pod = walk.follow.pod(id);
        let node = pod.node_id().filter(|n| walk.follow.node(*n).health() == Health::Unknown)?;
        pod.is_available().then(|| walk.healthy_at(node).max(walk.life(id).ready_at))
    };
    let tell = |walk: &Walk<'a>, id: PodId, at: Time| {
        let pod = walk.follow.pod(id);
        let (name, node) = (walk.pod_name(id), walk.node_of(&pod));
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
