//! Writes to the status of pods, by controllers and by kubelets.

use super::{ApiError, ApiResult, ApiServer, Stored};
use crate::api::pod::PodReason;
use crate::apiserver::prelude::*;

impl ApiServer {
    /// PUT of the status of a pod that was read before: refused if it has changed since.
    pub(crate) fn update_pod_status(&self, actor: Actor, pod: &Pod) -> Stored<Pod> {
        let old = self.pod(pod.id).ok_or(ApiError::NotFound)?;
        if old.uid != pod.uid || self.has_outdated_pod(actor, pod.resource_version, &old) {
            return Err(ApiError::Conflict);
        }
        Ok(self.change_pod(actor, &old, |p| {
            p.phase = pod.phase;
            p.ready = pod.ready;
            p.disruption_target = pod.disruption_target;
        }))
    }

    /// PATCH of the condition DisruptionTarget into a pod's status, with a precondition on the uid.
    pub(crate) fn patch_disruption_target(
        &self,
        actor: Actor,
        id: PodId,
        uid: Uid,
        condition: PodCondition,
    ) -> Stored<Pod> {
        let old = self.pod_with_uid(id, Some(uid))?;
        Ok(self.change_pod(actor, &old, |p| p.disruption_target = Some(condition)))
    }

    /// PATCH of a pod's status to that of another, with a condition DisruptionTarget, and a
    /// precondition on the uid.
    pub(crate) fn replace_status(
        &self,
        actor: Actor,
        id: PodId,
        uid: Uid,
        with: &Pod,
        target: PodCondition,
    ) -> Stored<Pod> {
        let old = self.pod_with_uid(id, Some(uid))?;
        Ok(self.change_pod(actor, &old, |p| {
            p.phase = with.phase;
            p.start_time = with.start_time;
            p.unscheduled = with.unscheduled.clone();
            p.ready = with.ready;
            p.disruption_target = Some(target);
        }))
    }

    /// PATCH of a pod's status to phase Failed, with a condition DisruptionTarget if one is given,
    /// and a precondition on the uid.
    pub(crate) fn mark_pod_failed(
        &self,
        actor: Actor,
        id: PodId,
        uid: Uid,
        target: Option<PodCondition>,
    ) -> Stored<Pod> {
        let old = self.pod_with_uid(id, Some(uid))?;
        Ok(self.change_pod(actor, &old, |p| {
            p.phase = PodPhase::Failed;
            p.disruption_target = target.or(p.disruption_target);
        }))
    }

    /// A kubelet's report that a pod runs and whether it is ready, for that life of the pod only and
    /// while it is Pending.
    pub(crate) fn start_pod(&self, id: PodId, uid: Uid, ready: bool) -> Stored<Pod> {
        let old = self.life_of_pod(id, uid)?;
        if old.phase != PodPhase::Pending {
            return Ok(old);
        }
        let status = if ready { ConditionStatus::True } else { ConditionStatus::False };
        let now = self.timestamp();
        Ok(self.change_pod(Actor::Kubelet, &old, |p| {
            p.phase = PodPhase::Running;
            p.start_time = Some(now);
            p.ready = Some(readiness(status, now));
        }))
    }

    /// A kubelet's report of a pod's readiness, for that life of the pod only.
    pub(crate) fn set_pod_ready(&self, id: PodId, uid: Uid, status: ConditionStatus) -> ApiResult {
        let old = self.life_of_pod(id, uid)?;
        let now = self.timestamp();
        if old.ready.is_none_or(|c| c.status != status) {
            self.change_pod(Actor::Kubelet, &old, |p| p.ready = Some(readiness(status, now)));
        }
        Ok(())
    }

    /// A kubelet's report of a pod's phase, with a condition DisruptionTarget if one is given, for
    /// that life of the pod only.
    pub(crate) fn set_pod_phase(
        &self,
        (id, uid): (PodId, Uid),
        phase: PodPhase,
        target: Option<PodCondition>,
    ) -> ApiResult {
        let old = self.life_of_pod(id, uid)?;
        let at = self.timestamp();
        self.change_pod(Actor::Kubelet, &old, |p| {
            p.phase = phase;
            p.disruption_target = target.or(p.disruption_target);
            // A pod that has never been ready has no such condition.
            if phase.is_terminal() && p.ready.is_some() {
                let failed = phase == PodPhase::Failed;
                let reason = if failed { PodReason::PodFailed } else { PodReason::PodCompleted };
                p.ready = Some(PodCondition::new(ConditionStatus::False, reason, at));
            }
        });
        Ok(())
    }

    /// A kubelet's report of a pod that it does not admit, for that life of the pod only: none of
    /// the conditions that are a kubelet's, and the phase Failed, where that can be told already.
    pub(crate) fn reject_pod(&self, id: PodId, uid: Uid, failed: bool) -> ApiResult {
        let old = self.life_of_pod(id, uid)?;
        self.change_pod(Actor::Kubelet, &old, |p| {
            p.ready = None;
            if failed {
                p.phase = PodPhase::Failed;
            }
        });
        Ok(())
    }

    /// The scheduler writes a pod's status: reason and message of the condition
    /// PodScheduled=False, and the nominated node, each where it is given. By PATCH, or by UPDATE of
    /// the pod as it was `read`, which is refused if it has changed since.
    pub(crate) fn write_unscheduled(
        &self,
        actor: Actor,
        id: PodId,
        read: Option<(Uid, u64)>,
        condition: Option<(&'static str, String)>,
        nominated: Option<Option<NodeId>>,
    ) -> Stored<Pod> {
        let old = self.pod(id).ok_or(ApiError::NotFound)?;
        if read
            .is_some_and(|(uid, read)| uid != old.uid || self.has_outdated_pod(actor, read, &old))
        {
            return Err(ApiError::Conflict);
        }
        let mut new = old.unscheduled.as_deref().cloned().unwrap_or_default();
        if let Some((reason, message)) = condition {
            (new.reason, new.message) = (reason, message);
        }
        new.nominated = nominated.unwrap_or(new.nominated);
        Ok(self.change_pod(actor, &old, |p| p.unscheduled = Some(Rc::new(new))))
    }
}

/// The condition Ready of a pod that runs.
fn readiness(status: ConditionStatus, at: Timestamp) -> PodCondition {
    let ready = status == ConditionStatus::True;
    let reason = if ready { PodReason::None } else { PodReason::ContainersNotReady };
    PodCondition::new(status, reason, at)
}
