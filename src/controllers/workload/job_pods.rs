//! The pods of a Job: how many there are to be (`manageJob`), and how they go.

use super::job_memory::SyncJobCtx;
use super::job_policy::JobPolicy;
use super::ranking::{Ranked, Rules, sort};
use super::slow_start::create_pods;
use crate::client::parallelize;
use crate::controllers::workload::prelude::*;

/// Pods that one sync creates or deletes at the most (`MaxPodCreateDeletePerSync`).
const MAX_POD_CREATE_DELETE_PER_SYNC: usize = 500;

/// Creates and deletes the pods of Jobs, and lets go of them.
pub(super) struct JobPods {
    core: Rc<Core>,
    switches: JobSwitches,
    memory: Rc<Shared<JobMemory>>,
}

impl JobPods {
    /// That of a release with these switches.
    pub(super) fn new(
        core: &Rc<Core>,
        switches: JobSwitches,
        memory: &Rc<Shared<JobMemory>>,
    ) -> Rc<Self> {
        Rc::new(JobPods { core: core.clone(), switches, memory: memory.clone() })
    }

    /// `manageJob`: how many pods are active afterwards.
    pub(super) async fn manage_job(self: &Rc<Self>, s: &mut SyncJobCtx) -> (i32, ApiResult) {
        let active = s.active.len() as i32;
        let wanted = match s.spec.completions {
            None if s.succeeded > 0 => active,
            None => s.spec.parallelism,
            Some(completions) => (completions - s.succeeded).min(s.spec.parallelism).max(0),
        };
        let now = self.core.ctx.now();
        if active > wanted {
            let mut ranked: Vec<Ranked> =
                s.active.iter().map(|p| Ranked { pod: p.clone(), rank: 0 }).collect();
            sort(&mut ranked, now, Rules::default());
            let count = ((active - wanted) as usize).min(MAX_POD_CREATE_DELETE_PER_SYNC);
            let doomed: Vec<Rc<Pod>> = ranked.into_iter().take(count).map(|r| r.pod).collect();
            let uids = doomed.iter().map(|p| p.uid);
            self.memory.with(|m| m.expectations.expect_deletions(s.job.id, uids, now));
            let (deleted, result) = self.delete_pods(s, doomed, true).await;
            s.terminating += deleted;
            return (active - deleted, result);
        }
        self.create_missing(s, active, wanted).await
    }

    /// The part of `manageJob` that creates pods.
    async fn create_missing(&self, s: &SyncJobCtx, active: i32, wanted: i32) -> (i32, ApiResult) {
        let now = self.core.ctx.now();
        let terminating =
            if JobPolicy(self.switches).only_replaces_failed(&s.spec) { s.terminating } else { 0 };
        let missing = wanted - terminating - active;
        if missing <= 0 {
            return (active, Ok(()));
        }
        let remaining =
            self.switches.failure_backoff.map_or(Dur::ZERO, |max| s.backoff.remaining(now, max));
        if !remaining.is_zero() {
            let batch = self.switches.batch_period;
            let least = if self.switches.batches_backoff { batch } else { Dur::ZERO };
            self.core.queue.add_after(remaining.max(least), s.job.id);
            let counted = if self.switches.counts_active_in_backoff { active } else { 0 };
            return (counted, Ok(()));
        }
        let missing = (missing as usize).min(MAX_POD_CREATE_DELETE_PER_SYNC);
        self.memory.with(|m| m.expectations.expect_creations(s.job.id, missing, now));
        let tracked = self.switches.tracking_finalizers;
        let (created, result) = create_pods(&self.core, &s.job, missing, tracked).await;
        for _ in created..missing {
            self.memory.with(|m| m.expectations.creation_observed(s.job.id));
        }
        (active + created as i32, result)
    }

    /// Deletes pods side by side, without their finalizer if they need not be counted
    /// (`deleteJobPods`, `deleteActivePods`).
    pub(super) async fn delete_pods(
        self: &Rc<Self>,
        s: &SyncJobCtx,
        doomed: Vec<Rc<Pod>>,
        release: bool,
    ) -> (i32, ApiResult) {
        let count = doomed.len();
        let errors = Rc::new(Shared::new(Vec::new()));
        let (me, owner, failed) = (self.clone(), s.job.clone(), errors.clone());
        parallelize(&self.core.ctx, self.core.group, count, count, move |i| {
            let (c, owner, pod, failed) =
                (me.clone(), owner.clone(), doomed[i].clone(), failed.clone());
            Some(async move {
                let mut result = Ok(());
                if release && pod.job_finalizer {
                    result = c.remove_finalizer(&owner, &pod).await;
                }
                if result.is_ok() {
                    result = c.core.delete_pod(&owner, &pod).await;
                }
                if let Err(e) = result {
                    c.memory.with(|m| m.expectations.deletion_observed(owner.id, pod.uid));
                    if e != ApiError::NotFound {
                        failed.with(|f| f.push(e));
                    }
                }
            })
        })
        .await;
        let errors = errors.with(std::mem::take);
        ((count - errors.len()) as i32, errors.first().map_or(Ok(()), |e| Err(*e)))
    }

    /// `removeTrackingFinalizerFromPods`
    pub(super) async fn release(
        self: &Rc<Self>,
        s: &SyncJobCtx,
        pods: &[Rc<Pod>],
        holding: &mut BTreeSet<Uid>,
    ) -> ApiResult {
        let (id, uids) = (s.job.id, pods.iter().map(|p| p.uid));
        self.memory.with(|m| m.finalizers.entry(id).or_default().extend(uids));
        let outcome = Rc::new(Shared::new((Vec::new(), None)));
        let (me, job, all, told) = (self.clone(), s.job.clone(), pods.to_vec(), outcome.clone());
        parallelize(&self.core.ctx, self.core.group, pods.len(), pods.len(), move |i| {
            let (c, job, pod, told) = (me.clone(), job.clone(), all[i].clone(), told.clone());
            Some(async move {
                let result = c.remove_finalizer(&job, &pod).await;
                if result.is_err() {
                    c.memory.with(|m| m.finalizer_gone(id, pod.uid));
                }
                told.with(|(released, failed)| match result {
                    Ok(()) | Err(ApiError::NotFound) => released.push(pod.uid),
                    Err(e) => *failed = Some(e),
                });
            })
        })
        .await;
        let (released, failed) = outcome.with(std::mem::take);
        for uid in released {
            holding.remove(&uid);
        }
        failed.map_or(Ok(()), Err)
    }

    /// `syncOrphanPod`: takes the finalizer off a pod, unless a Job counts it after all.
    pub(super) async fn sync_orphan_pod(&self, id: PodId) -> ApiResult {
        let Some(pod) = self.core.informers.pod(id).filter(|p| p.job_finalizer) else {
            return Ok(());
        };
        let job = self.core.resolve(pod.controller(), WorkloadKind::Job);
        if job.is_some_and(|j| j.status.job.finished.is_none()) {
            return Ok(());
        }
        self.core.ctx.set_saw(pod.record);
        match self.core.client.remove_job_finalizer(id, pod.uid).await {
            Ok(_) | Err(ApiError::NotFound) => Ok(()),
            Err(e) => Err(e),
        }
    }

    async fn remove_finalizer(&self, job: &Workload, pod: &Pod) -> ApiResult {
        let new = self.core.client.remove_job_finalizer(pod.id, pod.uid).await?;
        self.core.written.wrote_at(job, Resource::Pods, new.resource_version);
        Ok(())
    }
}
