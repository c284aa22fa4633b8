//! The status of a Job (`trackJobStatusAndRemoveFinalizers`).

use super::job_memory::SyncJobCtx;
use super::job_pods::JobPods;
use super::job_policy::JobPolicy;
use crate::api::workload::JobEnd;
use crate::controllers::workload::prelude::*;

/// Pods that wait to be counted in a Job's status at the most (`MaxUncountedPods`).
const MAX_UNCOUNTED_PODS: usize = 500;

/// How often a status is read and written anew where that failed (`statusUpdateRetries`, up to
/// 1.22).
const STATUS_UPDATE_RETRIES: u32 = 3;

/// Writes the status of Jobs, and lets their pods go once they are in it.
pub(super) struct JobStatus {
    core: Rc<Core>,
    switches: JobSwitches,
    memory: Rc<Shared<JobMemory>>,
    pods: Rc<JobPods>,
}

impl JobStatus {
    /// That of a release with these switches.
    pub(super) fn new(
        core: &Rc<Core>,
        switches: JobSwitches,
        memory: &Rc<Shared<JobMemory>>,
        pods: &Rc<JobPods>,
    ) -> Self {
        JobStatus { core: core.clone(), switches, memory: memory.clone(), pods: pods.clone() }
    }

    /// `trackJobStatusAndRemoveFinalizers`: pods that ended go into the status by their uid, then
    /// lose their finalizer, then are counted.
    pub(super) async fn track(&self, s: &mut SyncJobCtx, mut flush: bool) -> ApiResult {
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
        let result = self.pods.release(s, &release, &mut holding).await;
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

    /// The status without finalizers: pods are counted as long as they exist, up to 1.24.
    pub(super) async fn count(&self, s: &mut SyncJobCtx, changed: bool) -> ApiResult {
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
        Ok(())
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
        let (text, words) = match &s.status.job.finished {
            None => return,
            Some(JobEnd::Complete) => (EventText::JobCompleted, "Job completed"),
            Some(JobEnd::BackoffLimitExceeded) => {
                (EventText::BackoffLimitExceeded, "Job has reached the specified backoff limit")
            }
            Some(JobEnd::PodFailurePolicy(message)) => {
                (EventText::PodFailurePolicy, message.as_str())
            }
        };
        self.core.tell_words(&s.job, text, words);
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
