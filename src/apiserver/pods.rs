//! Writes to pods, graceful deletion among them, and to their status, by controllers and by kubelets.

use super::store::put;
use super::{ApiError, ApiResult, ApiServer, Stored};
use crate::api::container::Restarts;
use crate::api::names::{Names, generated_letters, stable_hash};
use crate::api::pod::{Deletion, PodReason, Stuck};
use crate::api::toleration::Toleration;
use crate::apiserver::prelude::*;
use crate::kernel::slot;

impl ApiServer {
    /// A name for the next pod of a workload that has its names generated: `namespace/base-xxxxx`,
    /// where the suffix depends on the base and on how many there were before, and on nothing else
    /// (`apiserver/pkg/storage/names/generate.go`).
    pub(crate) fn generate_pod_name(&self, owner: WorkloadId) -> PodId {
        let number = self.store.with(|s| {
            let number = slot(&mut s.generated, owner.index());
            *number += 1;
            *number
        });
        self.names(|names| {
            for attempt in 0.. {
                let name = generated_name(names, owner, number, attempt);
                if let Some(id) = names.new_pod(&name) {
                    names.set_number(id, owner, number);
                    return id;
                }
            }
            unreachable!("some name is free")
        })
    }

    /// Creates a pod, of a uid and a time of its own, after admission. One that was `admitted` exists
    /// since before the run: whitelists are not asked again.
    pub(crate) fn create_pod(&self, actor: Actor, mut new: Pod, admitted: bool) -> Stored<Pod> {
        if self.pod(new.id).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        if !self.is_workloads(&new.template) || self.admission.restricts() {
            let namespace = self.namespace(new.id);
            let changed = self.admission.new_pod(&new.template, &namespace, admitted)?;
            new.template = changed.map_or(new.template, Rc::new);
        }
        // Claims that pods share are there, and those of a template are made for it.
        let claims = &new.template.devices;
        new.has_claims = !claims.is_empty() && claims.iter().all(|c| c.shared.is_some());
        new.uid = self.store.with(|s| s.next_uid());
        // One of before the run may have times of its own.
        if new.creation_timestamp >= Timestamp::default() {
            (new.creation_timestamp, new.start_time) = (self.timestamp(), Some(self.timestamp()));
        }
        new.start_time = new.start_time.filter(|_| new.phase != PodPhase::Pending);
        Ok(self.commit_pod(actor, None, new))
    }

    /// The template with what admission adds to every pod. One that has it already is shared as it
    /// is.
    pub(crate) fn admit(&self, template: &Rc<PodTemplate>) -> Rc<PodTemplate> {
        self.admission.template(template).map_or_else(|| template.clone(), Rc::new)
    }

    /// The namespace of a pod, where admission asks for it.
    fn namespace(&self, pod: PodId) -> String {
        if self.admission.restricts() {
            self.names(|n| namespace_of(n.pod_name(pod)).to_owned())
        } else {
            String::new()
        }
    }

    /// Whether it is the template of the workload that it names as its owner: that has been through
    /// admission.
    fn is_workloads(&self, template: &Rc<PodTemplate>) -> bool {
        let Some((owner, _)) = template.owner.as_ref().and_then(|o| o.object) else { return false };
        self.store.with(|s| {
            let workload = s.workloads.get(owner.index()).and_then(Option::as_ref);
            workload.is_some_and(|w| Rc::ptr_eq(&w.template, template))
        })
    }

    /// A pod, where the uid that a request asks for is a precondition.
    pub(super) fn pod_with_uid(&self, id: PodId, uid: Option<Uid>) -> Stored<Pod> {
        let pod = self.pod(id).ok_or(ApiError::NotFound)?;
        if uid.is_some_and(|uid| uid != pod.uid) {
            return Err(ApiError::Conflict);
        }
        Ok(pod)
    }

    /// One life of a pod, for whoever knows of no other.
    pub(super) fn life_of_pod(&self, id: PodId, uid: Uid) -> Stored<Pod> {
        self.pod(id).filter(|p| p.uid == uid).ok_or(ApiError::NotFound)
    }

    /// Binds a pod to a node: refused if it is bound, being deleted, or held back by scheduling
    /// gates, or has another uid than the one given. The condition PodScheduled becomes True with
    /// it.
    pub(crate) fn bind_pod(
        &self,
        actor: Actor,
        id: PodId,
        uid: Option<Uid>,
        node: NodeId,
    ) -> Stored<Pod> {
        let old = self.pod(id).ok_or(ApiError::NotFound)?;
        let gated = old.template.scheduling.as_ref().is_some_and(|s| !s.gates.is_empty());
        if old.node.is_some() || old.is_terminating() || gated || uid.is_some_and(|u| u != old.uid)
        {
            return Err(ApiError::Conflict);
        }
        Ok(self.change_pod(actor, &old, |p| {
            p.node = Some(node);
            p.unscheduled = None;
        }))
    }

    /// Server-side apply of the names of a pod's claims on devices.
    pub(crate) fn apply_claims(&self, actor: Actor, of: (PodId, Uid)) -> ApiResult {
        self.change_pod(actor, &self.life_of_pod(of.0, of.1)?, |p| p.has_claims = true);
        Ok(())
    }

    /// Replaces a pod's tolerations; admission adds the default ones.
    pub(crate) fn set_tolerations(
        &self,
        actor: Actor,
        id: PodId,
        tolerations: Vec<Toleration>,
    ) -> Stored<Pod> {
        let old = self.pod(id).ok_or(ApiError::NotFound)?;
        let template = PodTemplate { tolerations, ..(*old.template).clone() };
        let template = self.admission.changed_pod(template, &self.namespace(id))?;
        if template == *old.template {
            return Ok(old);
        }
        Ok(self.change_pod(actor, &old, |p| p.template = Rc::new(template)))
    }

    /// DELETE of a pod (`pkg/registry/core/pod/strategy.go: CheckGracefulDelete`,
    /// `registry/rest/delete.go: BeforeDelete`): grace is what is asked for, or the pod's own; none
    /// for a pod without node or with a terminal phase; a negative one is 1. A pod that is being
    /// deleted is changed only by a shorter grace period.
    pub(crate) fn delete_pod(
        &self,
        actor: Actor,
        id: PodId,
        grace: Option<i64>,
        uid: Option<Uid>,
    ) -> ApiResult {
        let old = self.pod_with_uid(id, uid)?;
        let asked = grace.unwrap_or_else(|| old.termination_grace_period_seconds());
        let mut seconds = if asked < 0 { 1 } else { asked };
        if old.node.is_none() || old.phase.is_terminal() {
            seconds = 0;
        }
        let held = old.stuck == Some(Stuck::Finalizer);
        let has_finalizer = held || old.job_finalizer;
        match old.deletion.map(|d| d.grace_period_seconds) {
            // What keeps it are its finalizers alone.
            Some(0) if has_finalizer => return Ok(()),
            Some(0) => seconds = 0,
            Some(pending) if grace.is_none() || seconds >= pending => return Ok(()),
            _ => {}
        }
        if seconds == 0 && !has_finalizer {
            self.drop_pod(actor, &old);
            return Ok(());
        }
        let timestamp = Timestamp(self.timestamp().0.saturating_add(seconds));
        self.change_pod(actor, &old, |p| {
            p.deletion = Some(Deletion { timestamp, grace_period_seconds: seconds });
            p.stuck = p.stuck.filter(|_| held || old.deletion.is_some());
        });
        Ok(())
    }

    /// PATCH of the finalizers of a pod: takes that of jobs off. Of a pod whose deletion waits for nothing else it is not
    /// written, but the pod deleted, which watches hear of alone (`registry/store.go: Update`, `errEmptiedFinalizers`).
    pub(crate) fn remove_job_finalizer(&self, actor: Actor, id: PodId, uid: Uid) -> Stored<Pod> {
        let old = self.life_of_pod(id, uid)?;
        let held = old.stuck == Some(Stuck::Finalizer);
        if !held && old.deletion.is_some_and(|d| d.grace_period_seconds == 0) {
            self.drop_pod(actor, &old);
            return Ok(old);
        }
        Ok(self.change_pod(actor, &old, |p| p.job_finalizer = false))
    }

    /// PATCH of the owner references of a pod: it has none from now on.
    pub(crate) fn orphan_pod(&self, actor: Actor, id: PodId, uid: Uid) -> ApiResult {
        let old = self.life_of_pod(id, uid)?;
        if old.template.owner.is_some() {
            let template = PodTemplate { owner: None, ..(*old.template).clone() };
            self.change_pod(actor, &old, |p| p.template = Rc::new(template));
        }
        Ok(())
    }

    pub(super) fn has_outdated_pod(&self, actor: Actor, read: u64, old: &Rc<Pod>) -> bool {
        let touch = || drop(self.commit_pod(actor, Some(old), (**old).clone()));
        self.is_outdated(read, old.resource_version, touch)
    }

    /// Takes a pod out of the store.
    fn drop_pod(&self, actor: Actor, old: &Rc<Pod>) {
        self.take_out(self.keys.pods, old.id.index(), |s| &mut s.pods);
        let record = self.record_gone(actor, old.id.0, What::PodGone);
        self.with_cause(record, || self.tell(|w| w.pod(Some(old), None)));
    }

    pub(super) fn change_pod(
        &self,
        actor: Actor,
        old: &Rc<Pod>,
        f: impl FnOnce(&mut Pod),
    ) -> Rc<Pod> {
        let mut new = (**old).clone();
        f(&mut new);
        let same = Rc::ptr_eq(&new.template, &old.template)
            && new.node == old.node
            && new.deletion == old.deletion
            && new.phase == old.phase
            && new.restarts == old.restarts
            && new.start_time == old.start_time
            && new.job_finalizer == old.job_finalizer
            && new.has_claims == old.has_claims
            && new.unscheduled == old.unscheduled
            && new.ready == old.ready
            && new.disruption_target == old.disruption_target;
        if same { old.clone() } else { self.commit_pod(actor, Some(old), new) }
    }

    fn commit_pod(&self, actor: Actor, old: Option<&Rc<Pod>>, mut new: Pod) -> Rc<Pod> {
        self.writes(self.keys.pods, new.id.index());
        new.resource_version = self.store.with(|s| s.next_version());
        new.record = self.record_pod_change(actor, old.map(|o| &**o), &new);
        if old.is_none() {
            self.create_volume_claims(&new);
        }
        if old.is_none_or(|o| o.node.is_none()) {
            self.provision(&new, new.node);
        }
        let new = Rc::new(new);
        self.store.with(|s| put(&mut s.pods, new.id.index(), new.clone()));
        self.with_cause(new.record, || self.tell(|w| w.pod(old, Some(&new))));
        new
    }

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
            (p.phase, p.evicted) = (with.phase, with.evicted);
            p.start_time = with.start_time;
            p.unscheduled = with.unscheduled.clone();
            p.restarts = with.restarts;
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

    /// A kubelet's report of a pod, for that life of the pod only.
    fn report(&self, (id, uid): (PodId, Uid), f: impl FnOnce(&mut Pod, Timestamp)) {
        if let Ok(old) = self.life_of_pod(id, uid) {
            let now = self.timestamp();
            self.change_pod(Actor::Kubelet, &old, |p| f(p, now));
        }
    }

    /// A kubelet's report that a pod runs, whether it is ready, and how often its containers were started again, while it is
    /// Pending.
    pub(crate) fn start_pod(&self, of: (PodId, Uid), ready: bool, restarts: Restarts) {
        let status = if ready { ConditionStatus::True } else { ConditionStatus::False };
        self.report(of, |p, now| {
            if p.phase == PodPhase::Pending {
                (p.phase, p.start_time) = (PodPhase::Running, Some(now));
                p.restarts = restarts;
                p.ready = Some(readiness(status, now));
            }
        });
    }

    /// A kubelet's report of a pod's readiness and of how often its containers were started again.
    pub(crate) fn set_pod_ready(
        &self,
        of: (PodId, Uid),
        status: ConditionStatus,
        restarts: Restarts,
    ) {
        self.report(of, |p, now| {
            p.restarts = restarts;
            if p.ready.is_none_or(|c| c.status != status) {
                p.ready = Some(readiness(status, now));
            }
        });
    }

    /// A kubelet's report of how often containers were started again of a pod that is still Pending.
    pub(crate) fn set_restarts(&self, of: (PodId, Uid), restarts: Restarts) {
        self.report(of, |p, _| p.restarts = restarts);
    }

    /// A kubelet's report of a pod that it evicts.
    pub(crate) fn set_pod_evicted(&self, of: (PodId, Uid), target: Option<PodCondition>) {
        self.end_pod(of, PodPhase::Failed, target, true);
    }

    /// A kubelet's report of a pod's phase, with a condition DisruptionTarget if one is given.
    pub(crate) fn set_pod_phase(
        &self,
        of: (PodId, Uid),
        phase: PodPhase,
        target: Option<PodCondition>,
    ) {
        self.end_pod(of, phase, target, false);
    }

    fn end_pod(
        &self,
        of: (PodId, Uid),
        phase: PodPhase,
        target: Option<PodCondition>,
        evicted: bool,
    ) {
        self.report(of, |p, now| {
            (p.phase, p.evicted) = (phase, evicted);
            p.disruption_target = target.or(p.disruption_target);
            // A pod that has never been ready has no such condition.
            if phase.is_terminal() && p.ready.is_some() {
                let failed = phase == PodPhase::Failed;
                let reason = if failed { PodReason::PodFailed } else { PodReason::PodCompleted };
                p.ready = Some(PodCondition::new(ConditionStatus::False, reason, now));
            }
        });
    }

    /// A kubelet's report of a pod that it does not admit: none of the conditions that are a
    /// kubelet's, and the phase Failed, where that can be told already.
    pub(crate) fn reject_pod(&self, of: (PodId, Uid), failed: bool) {
        self.report(of, |p, _| {
            p.ready = None;
            if failed {
                p.phase = PodPhase::Failed;
            }
        });
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

/// A name that the next pod of a workload may get.
fn generated_name(names: &Names, owner: WorkloadId, number: u32, attempt: u32) -> String {
    let full = names.workload_name(owner);
    let (namespace, base) = (namespace_of(full), short_name(full));
    let suffix = generated_letters(stable_hash(&format!("{full}#{number}#{attempt}")), 5);
    [namespace, "/", base.get(..58 - 1).unwrap_or(base), "-", &suffix].concat()
}

/// The condition Ready of a pod that runs.
fn readiness(status: ConditionStatus, at: Timestamp) -> PodCondition {
    let ready = status == ConditionStatus::True;
    let reason = if ready { PodReason::None } else { PodReason::ContainersNotReady };
    PodCondition::new(status, reason, at)
}
