//! One sync of a Job (`syncJob`).

use super::job_pods::JobPods;
use super::job_policy::JobPolicy;
use super::job_status::JobStatus;
use super::job_sync_ctx::SyncJobCtx;
use crate::api::workload::{JobEnd, JobSpec, WorkloadSpec};
use crate::controllers::workload::prelude::*;

/// Syncs Jobs, one at a time.
pub(super) struct JobSync {
    core: Rc<Core>,
    switches: JobSwitches,
    memory: Rc<Shared<JobMemory>>,
    pub(super) pods: Rc<JobPods>,
    status: JobStatus,
    order_point: PointId,
}

impl JobSync {
    /// That of a release with these switches.
    pub(super) fn new(
        core: &Rc<Core>,
        switches: JobSwitches,
        memory: &Rc<Shared<JobMemory>>,
    ) -> Self {
        let pods = JobPods::new(core, switches, memory);
        JobSync {
            status: JobStatus::new(core, switches, memory, &pods),
            order_point: core.ctx.point("pod-index-order"),
            core: core.clone(),
            memory: memory.clone(),
            switches,
            pods,
        }
    }

    /// `syncJob`
    pub(super) async fn sync_job(&self, id: WorkloadId) -> ApiResult {
        let Some(job) = self.core.to_sync(id)? else {
            self.memory.with(|m| m.forget(id));
            return Ok(());
        };
        let WorkloadSpec::Job(spec) = job.spec.clone() else { return Ok(()) };
        if self.is_over(&job) {
            return Ok(());
        }
        self.core.ctx.set_saw(job.record);
        let satisfied = self.memory.with(|m| m.expectations.satisfied(id, self.core.ctx.now()));
        let (mut s, new_failure) = self.assess(job, spec);
        let (active, result) = self.end_or_manage(&mut s, satisfied).await;
        let terminating = if self.switches.pod_replacement_policy { s.terminating } else { 0 };
        let ready = if self.switches.ready_pods { s.ready } else { 0 };
        let old = &s.job.status;
        let changed = (active, ready, terminating) != (old.replicas, old.ready, old.terminating)
            || old.observed_generation == 0;
        (s.status.replicas, s.status.ready, s.status.terminating) = (active, ready, terminating);
        s.status.observed_generation = s.job.generation;
        if self.switches.tracking_finalizers {
            self.status.track(&mut s, changed).await?;
        } else {
            self.status.count(&mut s, changed).await?;
        }
        result?;
        // Until Jobs had a record of their own, a new failure made the whole Job wait as an error
        // does.
        if new_failure && self.switches.failure_backoff.is_none() && s.status.job.finished.is_none()
        {
            Err(ApiError::Unavailable)
        } else {
            Ok(())
        }
    }

    /// Whether a Job has finished, as the cache or this controller knows.
    fn is_over(&self, job: &Workload) -> bool {
        if job.status.job.finished.is_some() {
            self.core.pods.written.forget(job.id);
            self.memory.with(|m| {
                m.backoff.remove(&job.id);
                m.finished.remove(&job.uid);
            });
            return true;
        }
        self.memory.with(|m| m.finished.contains(&job.uid))
    }

    /// Deletes the pods of a Job that ends, or manages those of one that goes on: how many are
    /// active afterwards.
    async fn end_or_manage(&self, s: &mut SyncJobCtx, satisfied: bool) -> (i32, ApiResult) {
        let mut result = Ok(());
        let mut active = s.active.len() as i32;
        if s.end.is_some() {
            let deleted;
            (deleted, result) = self.pods.delete_pods(s, s.active.clone(), false).await;
            if deleted != active || !satisfied {
                // There may be finalizers left, or pods that are not in the cache yet.
                s.end = None;
            }
            active -= deleted;
            s.terminating += deleted;
        } else {
            if satisfied && !s.job.is_terminating() {
                (active, result) = self.pods.manage_job(s).await;
            }
            let complete = match s.spec.completions {
                None => s.succeeded > 0 && active == 0,
                Some(wanted) => s.succeeded >= wanted && active == 0,
            };
            if complete {
                s.end = Some(JobEnd::Complete);
            }
        }
        (active, result)
    }

    /// What the caches say of a Job, and whether a pod failed that was not counted before.
    fn assess(&self, job: Rc<Workload>, spec: JobSpec) -> (SyncJobCtx, bool) {
        let mut s = self.read(job, spec);
        let old = &s.job.status;
        let policy = JobPolicy(self.switches);
        let counted = |uncounted: &[Uid], p: &Pod| {
            self.switches.tracking_finalizers && (!s.holds(p) || uncounted.contains(&p.uid))
        };
        let newly = |f: &dyn Fn(&Pod) -> bool, uncounted: &[Uid]| -> Vec<Rc<Pod>> {
            s.pods.iter().filter(|p| f(p) && !counted(uncounted, p)).cloned().collect()
        };
        let succeeded = newly(&|p| p.phase == PodPhase::Succeeded, &old.job.uncounted_succeeded);
        let failed = newly(&|p| policy.is_failed(p, &s.spec), &old.job.uncounted_failed);
        let counting = failed.iter().filter(|p| policy.counts(&s.spec, p)).count() as i32;
        let (mut all_succeeded, mut all_failed) = (succeeded.len() as i32, counting);
        if self.switches.tracking_finalizers {
            all_succeeded += old.job.succeeded + old.job.uncounted_succeeded.len() as i32;
            all_failed += old.job.failed + old.job.uncounted_failed.len() as i32;
        }
        let new_failure = all_failed > old.job.failed + old.job.uncounted_failed.len() as i32;
        s.succeeded = all_succeeded;
        s.backoff = s.backoff.with(&succeeded, &failed);
        s.end = old.job.ending.clone();
        if s.end.is_none() {
            s.end = policy
                .fail_job_message(&self.core.client, &s.spec, &s.pods)
                .map(JobEnd::PodFailurePolicy);
        }
        if s.end.is_none() && all_failed > s.spec.backoff_limit {
            s.end = Some(JobEnd::BackoffLimitExceeded);
        }
        if !self.switches.tracking_finalizers {
            (s.status.job.succeeded, s.status.job.failed) = (all_succeeded, all_failed);
        }
        (s, new_failure)
    }

    /// What the caches say of a Job and its pods.
    fn read(&self, job: Rc<Workload>, spec: JobSpec) -> SyncJobCtx {
        let mut pods = self.core.informers.pods_of(job.id);
        pods.retain(|p| p.controller().is_some_and(|(_, uid)| uid == job.uid));
        self.core.ctx.order(self.order_point, &mut pods, |p| self.core.client.pod_object(p.id));
        let (released, backoff) = self.memory.with(|m| {
            let released = m.finalizers.get(&job.id).cloned();
            let backoff = m.backoff.get(&job.id).copied();
            (released.unwrap_or_default(), backoff.unwrap_or_default())
        });
        SyncJobCtx::new(job, spec, pods, released, backoff)
    }
}
