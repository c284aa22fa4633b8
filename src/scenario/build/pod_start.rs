//! How far a pod is when the run starts.

use super::super::complaints::Complaints;
use super::super::place::{Place, with};
use super::super::spec::{self, Placement, PodGroup, PodStart as Written};
use super::super::values;
use super::conditions::status;
use crate::api::meta::Timestamp;
use crate::api::pod::{Deletion, PodCondition, PodPhase, PodReason};
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
            complaints.say(
                place,
                "a pod that is created later starts when its kubelet starts it",
            );
            PodStart::Absent
        }
        Some(Written::Pending) => PodStart::Pending,
        Some(Written::Running) if !bound => {
            complaints.say(place, "a pod that is bound to no node cannot be running");
            PodStart::Pending
        }
        None if !bound => PodStart::Pending,
        None | Some(Written::Running) => PodStart::Running,
        Some(Written::Imported {
            phase,
            ready,
            disruption_target,
            deletion,
        }) => {
            let (ready, disruption_target) = (
                condition(ready, &with(&place, "ready"), complaints),
                condition(
                    disruption_target,
                    &with(&place, "disruptionTarget"),
                    complaints,
                ),
            );
            let deletion = deletion
                .as_ref()
                .and_then(|d| read_deletion(d, &with(&place, "deletion"), complaints));
            let phase = match phase {
                spec::Phase::Pending => PodPhase::Pending,
                spec::Phase::Running => PodPhase::Running,
                spec::Phase::Succeeded => PodPhase::Succeeded,
                spec::Phase::Failed => PodPhase::Failed,
            };
            PodStart::Imported {
                phase,
                ready,
                disruption_target,
                deletion,
            }
        }
    }
}

/// A condition that an imported pod has.
fn condition(
    written: &Option<spec::PodCondition>,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<PodCondition> {
    let c = written.as_ref()?;
    let time = values::stored_seconds(c.last_transition_time.as_str());
    Some(PodCondition {
        status: status(c.status),
        reason: match c.reason {
            None => PodReason::None,
            Some(spec::PodReason::DeletionByTaintManager) => PodReason::DeletionByTaintManager,
            Some(spec::PodReason::DeletionByPodGC) => PodReason::DeletionByPodGc,
            Some(spec::PodReason::EvictionByEvictionAPI) => PodReason::EvictionByEvictionApi,
            Some(spec::PodReason::PreemptionByScheduler) => PodReason::PreemptionByScheduler,
        },
        last_transition_time: Timestamp(complaints.take(with(place, "lastTransitionTime"), time)?),
    })
}

/// The deletion of an imported pod that has begun.
fn read_deletion(
    written: &spec::Deletion,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Deletion> {
    if written.grace_period_seconds < 0 {
        complaints.say(
            with(place, "gracePeriodSeconds"),
            "must be greater than or equal to 0",
        );
    }
    let time = values::stored_seconds(written.timestamp.as_str());
    Some(Deletion {
        timestamp: Timestamp(complaints.take(with(place, "timestamp"), time)?),
        grace_period_seconds: written.grace_period_seconds,
    })
}
