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
            let mut read = |c: &Option<spec::PodCondition>, field: &str| {
                let c = c.as_ref()?;
                let time = with(&with(&place, field), "lastTransitionTime");
                Some(PodCondition {
                    status: status(c.status),
                    reason: match c.reason {
                        None => PodReason::None,
                        Some(spec::PodReason::DeletionByTaintManager) => {
                            PodReason::DeletionByTaintManager
                        }
                        Some(spec::PodReason::DeletionByPodGC) => PodReason::DeletionByPodGc,
                        Some(spec::PodReason::EvictionByEvictionAPI) => {
                            PodReason::EvictionByEvictionApi
                        }
                        Some(spec::PodReason::PreemptionByScheduler) => {
                            PodReason::PreemptionByScheduler
                        }
                    },
                    last_transition_time: Timestamp(complaints.take(
                        time,
                        values::stored_seconds(c.last_transition_time.as_str()),
                    )?),
                })
            };
            let (ready, disruption_target) = (
                read(ready, "ready"),
                read(disruption_target, "disruptionTarget"),
            );
            let deletion = deletion.as_ref().and_then(|d| {
                let at = with(&with(&place, "deletion"), "timestamp");
                if d.grace_period_seconds < 0 {
                    complaints.say(
                        with(&with(&place, "deletion"), "gracePeriodSeconds"),
                        "must be greater than or equal to 0",
                    );
                }
                let timestamp =
                    Timestamp(complaints.take(at, values::stored_seconds(d.timestamp.as_str()))?);
                Some(Deletion {
                    timestamp,
                    grace_period_seconds: d.grace_period_seconds,
                })
            });
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
