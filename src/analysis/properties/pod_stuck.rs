//! `pod-stuck`: a pod has to go, and nobody deletes it.
//!
//! A pod has to go when a NoExecute taint of its node is not tolerated, or was tolerated for a time
//! that is over; a time that new tolerations shorten is over when they come at the earliest. Left
//! out: pods that have ended, which hold nothing.

use super::super::setting::Analysis;
use super::overdue::overdue;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, records, short};
use crate::api::names::PodId;
use crate::kernel::{Dur, Time};

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, within: Dur) -> Vec<Violation> {
    let deadline = |walk: &Walk<'a>, id: PodId| {
        let pod = walk.follow.pod(id);
        if !pod.exists || pod.deleting || pod.phase.is_terminal() {
            return None;
        }
        analysis.due(walk.due(id, &pod, false)?.at.max(walk.life(id).tolerations_at), within)
    };
    let tell = |walk: &Walk<'a>, id: PodId, at: Time| {
        let pod = walk.follow.pod(id);
        let (name, node) = (walk.pod_name(id), walk.node_of(&pod));
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
