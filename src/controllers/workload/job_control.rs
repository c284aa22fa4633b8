//! The pods of a Job: how many there are to be (`manageJob`), and how they go; and the
//! status of the Job, which they are counted in (`trackJobStatusAndRemoveFinalizers`).

use super::job_memory::SyncJobCtx;
use super::job_policy::JobPolicy;
use super::ranking::{Ranked, Rules, sorted};
use crate::api::workload::JobEnd;
use crate::client::parallelize;
use crate::controllers::workload::prelude::*;

/// Pods that one sync creates or deletes at the most (`MaxPodCreateDeletePerSync`).
const MAX_POD_CREATE_DELETE_PER_SYNC: usize = 500;

/// Pods that wait to be counted in a Job's status at the most (`MaxUncountedPods`).
const MAX_UNCOUNTED_PODS: usize = 500;

/// How often a status is read and written anew where that failed (`statusUpdateRetries`, up to
/// 1.22).
const STATUS_UPDATE_RETRIES: u32 = 3;

/// Creates and deletes the pods of Jobs, writes the status of Jobs, and lets their pods go once they
/// are in it.
pub(super) struct JobControl {
    core: Rc<Core>,
    switches: JobSwitches,
    memory: Rc<Shared<JobMemory>>,
}

impl JobControl {
    /// That of a release with these switches.
    pub(super) fn new(
        core: &Rc<Core>,
        switches: JobSwitches,
        memory: &Rc<Shared<JobMemory>>,
    ) -> Rc<Self> {
        Rc::new(JobControl { core: core.clone(), switches, memory: memory.clone() })
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
            let ranked = s.active.iter().map(|p| Ranked { pod: p.clone(), rank: 0, uid: 0 });
            let sidecar_restarts = self.switches.sidecar_restarts;
            let rules = Rules { sidecar_restarts, ..Rules::default() };
            let ranked = sorted(ranked.collect(), now, rules);
            let count = ((active - wanted) as usize).min(MAX_POD_CREATE_DELETE_PER_SYNC);
            let doomed: Vec<Rc<Pod>> = ranked.into_iter().take(count).map(|r| r.pod).collect();
            let uids = doomed.iter().map(|p| p.uid).collect();
            self.memory.with(|m| m.expectations.expect(s.job.id, 0, uids, now));
            let (deleted, result) = self.delete_pods(s, doomed, true).await;
            return (active - deleted, result);
        }
        self.create_missing(s, active, wanted).await
    }

    /// The part of `manageJob` that creates pods.
    async fn create_missing(&self, s: &SyncJobCtx, active: i32, wanted: i32) -> (i32, ApiResult) {
        let now = self.core.ctx.now();
        let terminating =
            if self.switches.only_replaces_failed(&s.spec) { s.terminating } else { 0 };
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
    /// (`deleteJobPods`, `deleteActivePods`): how many, which are terminating from then on.
    pub(super) async fn delete_pods(
        self: &Rc<Self>,
        s: &mut SyncJobCtx,
        doomed: Vec<Rc<Pod>>,
        release: bool,
    ) -> (i32, ApiResult) {
        let count = doomed.len();
        // How many of them were ready, and errors.
        let told = Rc::new(Shared::new((0, Vec::new())));
        let (me, owner, outcome) = (self.clone(), s.job.clone(), told.clone());
        parallelize(&self.core.ctx, self.core.group, count, count, move |i| {
            let (c, owner, pod, outcome) =
                (me.clone(), owner.clone(), doomed[i].clone(), outcome.clone());
            Some(async move {
                let mut result = Ok(());
                if release && pod.job_finalizer {
                    result = c.remove_finalizer(&owner, &pod).await;
                }
                if result.is_ok() {
                    result = c.core.delete_pod(&owner, &pod).await;
                    // Whatever came of that.
                    outcome.with(|(ready, _)| *ready += i32::from(pod.is_ready()));
                }
                if let Err(e) = result {
                    c.memory.with(|m| m.expectations.deletion_observed(owner.id, pod.uid));
                    if e != ApiError::NotFound {
                        outcome.with(|(_, errors)| errors.push(e));
                    }
                }
            })
        })
        .await;
        let (ready, errors) = told.with(std::mem::take);
        let deleted = (count - errors.len()) as i32;
        s.terminating += deleted;
        if self.switches.deleted_are_unready {
            s.ready -= ready;
        }
        (deleted, errors.first().map_or(Ok(()), |e| Err(*e)))
    }

    /// `removeTrackingFinalizerFromPods`
    async fn release(
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

    /// `trackJobStatusAndRemoveFinalizers`: pods that ended go into the status by their uid, then
    /// lose their finalizer, then are counted.
    pub(super) async fn track(self: &Rc<Self>, s: &mut SyncJobCtx, mut flush: bool) -> ApiResult {
        let held: Vec<Rc<Pod>> = s.pods.iter().filter(|p| s.holds(p)).cloned().collect();
        let mut holding: BTreeSet<Uid> = held.iter().map(|p| p.uid).collect();
        flush |= settle(&mut s.status, &holding);
        let (release, full, noted) = self.note_ended(s, &held);
        flush |= noted;
        if self.switches.delays_terminal_condition
            && s.end.is_some()
            && s.status.job.ending != s.end
        {
            s.status.job.ending.clone_from(&s.end);
            flush = true;
        }
        let mut read = s.job.clone();
        if flush {
            read = self.put_status(&read, s.status.clone()).await?;
            self.memory.with(|m| m.backoff.insert(s.job.id, s.backoff));
            flush = false;
        }
        let result = self.release(s, &release, &mut holding).await;
        flush |= settle(&mut s.status, &holding);
        if let Err(e) = result {
            if flush {
                self.put_status(&read, s.status.clone()).await?;
            }
            return Err(e);
        }
        let waits = self.switches.delays_terminal_condition && s.terminating > 0;
        let finished = s.end.clone().filter(|_| !full && !waits && uncounted(&s.status) == 0);
        if finished.is_some() {
            s.status.job.finished.clone_from(&finished);
            flush = true;
        }
        if flush {
            self.put_last_status(&read, s).await?;
        }
        Ok(())
    }

    /// The status without finalizers: pods are counted as long as they exist, up to 1.24. Whether there was something to write.
    pub(super) async fn count(&self, s: &mut SyncJobCtx, changed: bool) -> Result<bool, ApiError> {
        let old = &s.job.status;
        let mut flush = changed
            || (s.status.job.succeeded, s.status.job.failed) != (old.job.succeeded, old.job.failed);
        if s.end.is_some() {
            s.status.job.finished.clone_from(&s.end);
            flush = true;
        }
        if flush {
            self.put_last_status(&s.job, s).await?;
        }
        Ok(flush)
    }

    /// Writes the status at the end of a sync. The event of a Job's end comes before that or, once
    /// it is written, after it.
    async fn put_last_status(&self, read: &Rc<Workload>, s: &SyncJobCtx) -> ApiResult {
        let first = self.switches.tells_end_before_status;
        if first {
            self.tell_finished(s);
        }
        self.put_status(read, s.status.clone()).await?;
        if !first {
            self.tell_finished(s);
        }
        if s.status.job.finished.is_some() {
            self.memory.with(|m| m.finished.insert(s.job.uid));
        }
        Ok(())
    }

    /// `updateJobStatus`
    async fn put_status(
        &self,
        read: &Rc<Workload>,
        status: WorkloadStatus,
    ) -> ApiResult<Rc<Workload>> {
        let mut old = read.clone();
        let mut retries = if self.switches.gets_before_status { STATUS_UPDATE_RETRIES } else { 0 };
        loop {
            if self.switches.gets_before_status {
                old = self.core.read(read.id).await?;
            }
            match self.core.write_status(read, &old, status.clone()).await {
                Err(_) if retries > 0 => retries -= 1,
                done => return done,
            }
        }
    }

    /// `recordJobFinished`
    fn tell_finished(&self, s: &SyncJobCtx) {
        let Some(end) = &s.status.job.finished else { return };
        let text = match end {
            JobEnd::Complete => EventText::JobCompleted,
            JobEnd::BackoffLimitExceeded => EventText::BackoffLimitExceeded,
            JobEnd::PodFailurePolicy(_) => EventText::PodFailurePolicy,
        };
        self.core.tell_words(&s.job, text, end.message());
    }

    /// Notes the pods that ended in the status: those that are to lose their finalizer, whether the
    /// status is full, and whether it changed.
    fn note_ended(&self, s: &mut SyncJobCtx, held: &[Rc<Pod>]) -> (Vec<Rc<Pod>>, bool, bool) {
        let mut flush = false;
        let mut release = Vec::new();
        for pod in held {
            let failed = JobPolicy(self.switches).is_failed(pod, &s.spec);
            let succeeded = pod.phase == PodPhase::Succeeded;
            if !(s.job.is_terminating() || s.end.is_some() || succeeded || failed) {
                continue;
            }
            release.push(pod.clone());
            if succeeded && !s.status.job.uncounted_failed.contains(&pod.uid) {
                if !s.status.job.uncounted_succeeded.contains(&pod.uid) {
                    flush = true;
                    s.status.job.uncounted_succeeded.push(pod.uid);
                }
            } else if (failed || s.end.as_ref().is_some_and(|e| *e != JobEnd::Complete))
                && !s.status.job.uncounted_failed.contains(&pod.uid)
                && JobPolicy(self.switches).counts(&s.spec, pod)
            {
                flush = true;
                s.status.job.uncounted_failed.push(pod.uid);
            }
            if uncounted(&s.status) >= MAX_UNCOUNTED_PODS {
                return (release, true, flush);
            }
        }
        (release, false, flush)
    }
}

/// How many pods that have ended are not counted yet.
fn uncounted(status: &WorkloadStatus) -> usize {
    status.job.uncounted_succeeded.len() + status.job.uncounted_failed.len()
}

/// Counts the pods that no longer hold their finalizer (`cleanUncountedPodsWithoutFinalizers`).
/// True if that changed anything.
fn settle(status: &mut WorkloadStatus, holding: &BTreeSet<Uid>) -> bool {
    let before = (status.job.uncounted_succeeded.len(), status.job.uncounted_failed.len());
    status.job.uncounted_succeeded.retain(|u| holding.contains(u));
    status.job.uncounted_failed.retain(|u| holding.contains(u));
    let now = (status.job.uncounted_succeeded.len(), status.job.uncounted_failed.len());
    status.job.succeeded += (before.0 - now.0) as i32;
    status.job.failed += (before.1 - now.1) as i32;
    before != now
}
