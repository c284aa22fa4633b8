//! How far a pod is when the run starts.

use crate::api::meta::Timestamp;
use crate::api::pod::{Deletion, PodCondition, PodReason};
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::values;
use crate::language::{self, Placement, PodGroup, PodStart as Written};
use crate::plan::PodStart;

/// How the pods of a group start.
pub(super) fn start(
    group: &PodGroup,
    place: &Place,
    created_later: bool,
    complaints: &mut Complaints,
) -> PodStart {
    let place = with(place, "start");
    let bound = group.on != Placement::Unbound;
    match &group.start {
        None if created_later => PodStart::Absent,
        Some(_) if created_later => {
            complaints.say(place, "a pod that is created later starts when its kubelet starts it");
            PodStart::Absent
        }
        Some(Written::Pending) => PodStart::Pending,
        Some(Written::Running) if !bound => {
            complaints.say(place, "a pod that is bound to no node cannot be running");
            PodStart::Pending
        }
        None if !bound => PodStart::Pending,
        None | Some(Written::Running) => PodStart::Running,
        Some(Written::Imported { phase, ready, disruption_target, deletion }) => {
            let (ready, disruption_target) = (
                condition(ready, &with(&place, "ready"), complaints),
                condition(disruption_target, &with(&place, "disruptionTarget"), complaints),
            );
            let deletion = deletion
                .as_ref()
                .and_then(|d| read_deletion(d, &with(&place, "deletion"), complaints));
            PodStart::Imported { phase: *phase, ready, disruption_target, deletion }
        }
    }
}

/// A condition that an imported pod has.
fn condition(
    written: &Option<language::PodCondition>,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<PodCondition> {
    let c = written.as_ref()?;
    let time = values::stored_seconds(c.last_transition_time.as_str());
    Some(PodCondition {
        status: c.status,
        reason: match c.reason {
            None => PodReason::None,
            Some(language::PodReason::DeletionByTaintManager) => PodReason::DeletionByTaintManager,
            Some(language::PodReason::DeletionByPodGC) => PodReason::DeletionByPodGc,
            Some(language::PodReason::EvictionByEvictionAPI) => PodReason::EvictionByEvictionApi,
            Some(language::PodReason::PreemptionByScheduler) => PodReason::PreemptionByScheduler,
        },
        last_transition_time: Timestamp(complaints.take(with(place, "lastTransitionTime"), time)?),
    })
}

/// The deletion of an imported pod that has begun.
fn read_deletion(
    written: &language::Deletion,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Deletion> {
    if written.grace_period_seconds < 0 {
        complaints.say(with(place, "gracePeriodSeconds"), "must be greater than or equal to 0");
    }
    let time = values::stored_seconds(written.timestamp.as_str());
    Some(Deletion {
        timestamp: Timestamp(complaints.take(with(place, "timestamp"), time)?),
        grace_period_seconds: written.grace_period_seconds,
    })
}
