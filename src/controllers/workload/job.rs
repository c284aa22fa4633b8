//! Jobs (`pkg/controller/job/job_controller.go`, v1.34).
//!
//! Left out: indexed completion and per-index back-off, success policies, deadlines, suspension, and
//! pod failure rules on exit codes; and that up to 1.9 restarts of containers do not count, and in 1.10
//! and 1.11 those of pods that run alone, which with a limit of 0 end a Job at once.

use super::job_control::JobControl;
use super::job_memory::{BackoffRecord, SyncJobCtx};
use super::job_policy::JobPolicy;
use crate::api::workload::{JobEnd, JobSpec, WorkloadSpec};
use crate::controllers::workload::prelude::*;
use crate::plan::FailedBefore;
use crate::plan::switches::workload::BackoffLimit;

/// `--concurrent-job-syncs`
const WORKERS: usize = 5;

/// Steps that others take before its workers get going, where turns are drawn: Go goes on with the goroutine that was
/// started last, which is one for orphans (`Run`), and those that are ready already come before the workers.
const STEPS_OF_OTHERS: u32 = 3;

/// The Job controller.
pub(crate) struct JobController {
    core: Rc<Core>,
    switches: JobSwitches,
    memory: Rc<Shared<JobMemory>>,
    control: Rc<JobControl>,
    /// Pods that hold the finalizer of a Job that is gone, or has ended (`orphanQueue`).
    orphans: WorkQueue<PodId>,
}

impl JobController {
    /// A controller that hears of Jobs and pods but does not run yet.
    pub(crate) fn new(switches: JobSwitches, context: ControllerContext) -> Rc<Self> {
        let (base, max) = switches.retry;
        let limiter = RateLimiter::exponential(base, max);
        let core = Core::new(context, switches.waits_for_own_writes, limiter);
        let limiter = RateLimiter::exponential(base, max);
        let memory = Rc::new(Shared::new(JobMemory::default()));
        let controller = Rc::new(JobController {
            control: JobControl::new(&core, switches, &memory),
            orphans: WorkQueue::with_limiter(&core.ctx, core.group, limiter),
            core,
            memory,
            switches,
        });
        controller.core.informers.on_workload(WorkloadKind::Job, controller.clone());
        controller.core.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers.
    pub(crate) fn run(self: &Rc<Self>) {
        let ctx = &self.core.ctx;
        let (c, d) = (self.clone(), self.clone());
        if ctx.draws_turns() && self.switches.tracking_finalizers {
            ctx.spawn(self.core.group, async move {
                c.core.ctx.after_steps(STEPS_OF_OTHERS).await;
                c.start_workers();
            });
        } else {
            self.start_workers();
        }
        ctx.spawn(self.core.group, async move {
            d.orphans.work(async |pod| d.control.sync_orphan_pod(pod).await).await;
        });
    }

    fn start_workers(self: &Rc<Self>) {
        for _ in 0..WORKERS {
            let (ctx, c) = (&self.core.ctx, self.clone());
            ctx.spawn_alike(ctx.name(), self.core.group, async move {
                c.core.queue.work_once(async |id| c.process_next_work_item(id).await).await;
            });
        }
    }

    /// Remembers failures of before the start, when it has been running for long and its objects
    /// come from an export: from those of a Job's pods since their last success follows how long
    /// it backs off.
    pub(crate) fn recall(&self, failures: BTreeMap<WorkloadId, FailedBefore>) {
        if failures.is_empty() {
            return;
        }
        let ctx = &self.core.ctx;
        let point = ctx.point("job-recalled");
        for (id, failed) in failures {
            let object = self.core.client.workload_object(id);
            let record = BackoffRecord::drawn(ctx, point, object, &failed);
            self.memory.with(|m| m.backoff.insert(id, record));
        }
    }

    /// A sync some time after the change, so that many changes make one (`enqueueSyncJobBatched`).
    fn enqueue_batched(&self, id: WorkloadId) {
        self.core.queue.add_after(self.switches.batch_period, id);
    }

    /// Sees to it that a pod that no Job will count loses its finalizer (`enqueueOrphanPod`).
    fn release_orphan(&self, pod: &Pod) {
        if pod.job_finalizer {
            self.orphans.add(pod.id);
        }
    }

    /// `deletePod`: the start of a deletion counts as the deletion.
    fn pod_deleted(&self, pod: &Pod, gone: bool) {
        let job = self.core.resolve(pod.controller(), WorkloadKind::Job);
        let Some(job) = job.filter(|j| j.status.job.finished.is_none()) else {
            return self.release_orphan(pod);
        };
        self.memory.with(|m| m.expectations.deletion_observed(job.id, pod.uid));
        if gone || !pod.job_finalizer {
            self.memory.with(|m| m.finalizer_gone(job.id, pod.uid));
        }
        self.enqueue_batched(job.id);
    }

    /// `processNextWorkItem`
    async fn process_next_work_item(&self, id: WorkloadId) {
        match self.sync_job(id).await {
            Ok(true) => self.core.queue.forget(id),
            Ok(false) => {}
            Err(_) => self.core.queue.add_rate_limited(id),
        }
    }

    /// `syncJob`: whether earlier failures are forgotten.
    async fn sync_job(&self, id: WorkloadId) -> Result<bool, ApiError> {
        let Some(job) = self.core.to_sync(id)? else {
            self.memory.with(|m| m.forget(id));
            return Ok(true);
        };
        let WorkloadSpec::Job(spec) = job.spec.clone() else { return Ok(true) };
        if self.is_over(&job) {
            return Ok(true);
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
        let written = if self.switches.tracking_finalizers {
            self.control.track(&mut s, changed).await?;
            true
        } else {
            self.control.count(&mut s, changed).await?
        };
        result?;
        // Until Jobs had a record of their own, a new failure made the whole Job wait as an error
        // does.
        if new_failure && self.switches.failure_backoff.is_none() && s.status.job.finished.is_none()
        {
            Err(ApiError::Unavailable)
        } else {
            let more = s.succeeded > s.job.status.job.succeeded;
            Ok(written || more || self.switches.failure_backoff.is_some())
        }
    }

    /// Whether a Job has finished, as the cache or this controller knows.
    fn is_over(&self, job: &Workload) -> bool {
        if job.status.job.finished.is_some() {
            self.core.written.forget(job.id);
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
            let doomed = s.active.clone();
            (deleted, result) = self.control.delete_pods(s, doomed, false).await;
            if deleted != active || !satisfied {
                // There may be finalizers left, or pods that are not in the cache yet.
                s.end = None;
            }
            active -= deleted;
        } else {
            if satisfied && !s.job.is_terminating() {
                (active, result) = self.control.manage_job(s).await;
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
        let (old, policy) = (&s.job.status, JobPolicy(self.switches));
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
        let limit = s.spec.backoff_limit;
        let exceeds = match self.switches.backoff_limit {
            BackoffLimit::Absent => false,
            BackoffLimit::Requeues => {
                let found = self.core.queue.failures(s.job.id).saturating_add(1);
                new_failure
                    && s.active.len() as i32 != s.spec.parallelism
                    && i64::from(found) > i64::from(limit)
                    || past_backoff_limit_on_failure(&s.spec, &s.pods)
            }
            BackoffLimit::Failures => {
                all_failed > limit || past_backoff_limit_on_failure(&s.spec, &s.pods)
            }
        };
        if s.end.is_none() && exceeds {
            s.end = Some(JobEnd::BackoffLimitExceeded);
        }
        if !self.switches.tracking_finalizers {
            (s.status.job.succeeded, s.status.job.failed) = (all_succeeded, all_failed);
        }
        (s, new_failure)
    }

    /// What the caches say of a Job and its pods.
    fn read(&self, job: Rc<Workload>, spec: JobSpec) -> SyncJobCtx {
        let mut pods = self.core.pods_of(&job);
        self.core.order_as_index(&mut pods);
        let (released, backoff) = self.memory.with(|m| {
            let released = m.finalizers.get(&job.id).cloned();
            let backoff = m.backoff.get(&job.id).copied();
            (released.unwrap_or_default(), backoff.unwrap_or_default())
        });
        SyncJobCtx::new(job, spec, pods, released, backoff)
    }
}

/// `pastBackoffLimitOnFailure`: whether the containers of pods that may still run were started again as often as a Job with
/// restartPolicy OnFailure allows failures, all of them together.
fn past_backoff_limit_on_failure(spec: &JobSpec, pods: &[Rc<Pod>]) -> bool {
    let running = pods.iter().filter(|p| !p.phase.is_terminal());
    let restarts: i64 = running.map(|p| i64::from(p.restarts.all)).sum();
    !spec.restart_never && restarts >= i64::from(spec.backoff_limit.max(1))
}

impl ResourceEventHandler<Workload> for JobController {
    /// `addJob`, `updateJob`, `deleteJob`
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(job) = new.or(old) else { return };
        if let (Some(gone), None) = (old, new) {
            self.core.pods_of(gone).iter().for_each(|p| self.release_orphan(p));
        }
        if old.zip(new).is_some_and(|(o, n)| o.generation == n.generation) {
            self.enqueue_batched(job.id);
        } else {
            self.core.queue.add(job.id);
        }
    }
}

impl ResourceEventHandler<Pod> for JobController {
    /// `addPod`, `updatePod`, `deletePod`
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (before, now) = match (old, new) {
            (Some(old), None) => return self.pod_deleted(old, true),
            (_, Some(new)) if new.is_terminating() => return self.pod_deleted(new, false),
            (old, Some(new)) => (old, new),
            (None, None) => return,
        };
        if now.template.owner.is_none() {
            return self.release_orphan(now);
        }
        let Some(job) = self.core.resolve(now.controller(), WorkloadKind::Job) else { return };
        if before.is_none_or(|b| b.uid != now.uid) {
            self.memory.with(|m| m.expectations.creation_observed(job.id));
        } else if !now.job_finalizer {
            self.memory.with(|m| m.finalizer_gone(job.id, now.uid));
        }
        if self.switches.failure_backoff.is_none() && now.phase == PodPhase::Failed {
            // A failed pod makes the Job wait as long as its last failures say (`getBackoff`).
            self.core.queue.add_after(self.core.queue.backoff(job.id), job.id);
        } else {
            self.enqueue_batched(job.id);
        }
    }
}
