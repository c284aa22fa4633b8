//! One sync of a Job (`syncJob`).

use super::job::JobController;
use super::job_backoff::BackoffRecord;
use crate::api::meta::Uid;
use crate::api::names::WorkloadId;
use crate::api::pod::{Pod, PodPhase};
use crate::api::workload::{JobEnd, JobSpec, Workload, WorkloadSpec, WorkloadStatus};
use crate::apiserver::ApiError;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A sync of one Job (`syncJobCtx`).
pub(super) struct Sync {
    pub(super) job: Rc<Workload>,
    pub(super) spec: JobSpec,
    pub(super) status: WorkloadStatus,
    pub(super) pods: Vec<Rc<Pod>>,
    pub(super) active: Vec<Rc<Pod>>,
    /// The pods whose finalizer has been taken off as far as the controller knows.
    pub(super) released: BTreeSet<Uid>,
    pub(super) succeeded: i32,
    pub(super) terminating: i32,
    pub(super) ready: i32,
    pub(super) backoff: BackoffRecord,
    /// How the Job ends, if it does.
    pub(super) end: Option<JobEnd>,
}

impl Sync {
    /// The pod waits to be counted.
    pub(super) fn holds(&self, pod: &Pod) -> bool {
        pod.job_finalizer && !self.released.contains(&pod.uid)
    }
}

impl JobController {
    /// `syncJob`
    pub(super) async fn sync_job(&self, id: WorkloadId) -> Result<(), ApiError> {
        if !self.core.pods.written.is_seen(id, &self.core.informers) {
            return Err(ApiError::Conflict);
        }
        let Some(job) = self.core.informers.workload(id) else {
            self.forget(id);
            return Ok(());
        };
        let WorkloadSpec::Job(spec) = job.spec.clone() else {
            return Ok(());
        };
        if self.is_over(&job) {
            return Ok(());
        }
        self.core.ctx.set_saw(job.record);
        let satisfied = self
            .memory
            .with(|m| m.expectations.satisfied(id, self.core.ctx.now()));
        let (mut s, new_failure) = self.assess(job, spec);
        let (active, result) = self.end_or_manage(&mut s, satisfied).await;
        let terminating = if self.switches.pod_replacement_policy {
            s.terminating
        } else {
            0
        };
        let old = &s.job.status;
        let changed = (active, s.ready, terminating) != (old.replicas, old.ready, old.terminating)
            || old.observed_generation == 0;
        (s.status.replicas, s.status.ready, s.status.terminating) = (active, s.ready, terminating);
        s.status.observed_generation = s.job.generation;
        if self.switches.tracking_finalizers {
            self.track(&mut s, changed).await?;
        } else {
            self.count(&mut s, changed).await?;
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

    /// Forgets a Job that is gone.
    fn forget(&self, id: WorkloadId) {
        self.core.pods.written.forget(id);
        self.memory.with(|m| {
            m.expectations.forget(id);
            m.finalizers.remove(&id);
            m.backoff.remove(&id);
        });
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
    async fn end_or_manage(&self, s: &mut Sync, satisfied: bool) -> (i32, Result<(), ApiError>) {
        let mut result = Ok(());
        let mut active = s.active.len() as i32;
        if s.end.is_some() {
            let deleted;
            (deleted, result) = self.delete_pods(s, s.active.clone(), false).await;
            if deleted != active || !satisfied {
                // There may be finalizers left, or pods that are not in the cache yet.
                s.end = None;
            }
            active -= deleted;
            s.terminating += deleted;
        } else {
            if satisfied && !s.job.is_terminating() {
                (active, result) = self.manage_job(s).await;
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
    fn assess(&self, job: Rc<Workload>, spec: JobSpec) -> (Sync, bool) {
        let mut s = self.read(job, spec);
        let old = &s.job.status;
        let counted = |uncounted: &[Uid], p: &Pod| {
            self.switches.tracking_finalizers && (!s.holds(p) || uncounted.contains(&p.uid))
        };
        let newly = |f: &dyn Fn(&Pod) -> bool, uncounted: &[Uid]| -> Vec<Rc<Pod>> {
            s.pods
                .iter()
                .filter(|p| f(p) && !counted(uncounted, p))
                .cloned()
                .collect()
        };
        let succeeded = newly(
            &|p| p.phase == PodPhase::Succeeded,
            &old.job.uncounted_succeeded,
        );
        let failed = newly(&|p| self.is_failed(p, &s.spec), &old.job.uncounted_failed);
        let counting = failed.iter().filter(|p| self.counts(&s.spec, p)).count() as i32;
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
            s.end = self
                .fail_job_message(&s.spec, &s.pods)
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
    fn read(&self, job: Rc<Workload>, spec: JobSpec) -> Sync {
        let mut pods = self.core.informers.pods_of(job.id);
        pods.retain(|p| p.controller().is_some_and(|(_, uid)| uid == job.uid));
        self.core.ctx.order(self.order_point, &mut pods, |p| {
            self.core.pods.pod_object(p.id)
        });
        let released = self
            .memory
            .with(|m| m.finalizers.get(&job.id).cloned().unwrap_or_default());
        let active: Vec<Rc<Pod>> = pods.iter().filter(|p| p.is_active()).cloned().collect();
        Sync {
            ready: active.iter().filter(|p| p.is_ready()).count() as i32,
            terminating: pods
                .iter()
                .filter(|p| p.is_terminating() && !p.phase.is_terminal())
                .count() as i32,
            status: job.status.clone(),
            backoff: self
                .memory
                .with(|m| m.backoff.get(&job.id).copied().unwrap_or_default()),
            succeeded: 0,
            end: None,
            released,
            active,
            pods,
            spec,
            job,
        }
    }
}
