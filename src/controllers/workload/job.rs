//! Jobs (`pkg/controller/job/job_controller.go`, v1.34).
//!
//! Left out: indexed completion and per-index back-off, success policies, deadlines, suspension,
//! restarts of containers (a pod of a Job with restartPolicy OnFailure counts as one), and pod
//! failure rules on exit codes.

use super::job_backoff::BackoffRecord;
use super::job_sync::JobSync;
use crate::controllers::workload::prelude::*;
use crate::plan::FailedBefore;

/// `--concurrent-job-syncs`
const WORKERS: usize = 5;

/// In how many of a thousand starts its workers get going after all others: Go goes on with the goroutine that
/// was started last, which is one for orphans (`Run`), and another processor takes the workers now and then.
const WORKERS_LAST: u32 = 900;

/// The Job controller.
pub(crate) struct JobController {
    core: Rc<Core>,
    switches: JobSwitches,
    memory: Rc<Shared<JobMemory>>,
    sync: JobSync,
    /// Pods that hold the finalizer of a Job that is gone, or has ended (`orphanQueue`).
    orphans: WorkQueue<PodId>,
}

impl JobController {
    /// A controller that hears of Jobs and pods but does not run yet.
    pub(crate) fn new(switches: JobSwitches, context: ControllerContext) -> Rc<Self> {
        let (base, max) = switches.retry;
        let limiter = RateLimiter::exponential(base, max);
        let core = Core::new(context, switches.waits_for_own_writes, limiter);
        let memory = Rc::new(Shared::new(JobMemory::default()));
        let controller = Rc::new(JobController {
            sync: JobSync::new(&core, switches, &memory),
            orphans: WorkQueue::with_limiter(
                &core.ctx,
                core.group,
                RateLimiter::exponential(base, max),
            ),
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
        let may_wait = ctx.draws_turns() && self.switches.tracking_finalizers;
        let (c, d) = (self.clone(), self.clone());
        if may_wait && ctx.yields(ctx.point("job-start-order"), Object::NONE, WORKERS_LAST) {
            ctx.spawn(self.core.group, async move {
                c.core.ctx.after_others().await;
                c.start_workers();
            });
        } else {
            self.start_workers();
        }
        ctx.spawn(self.core.group, async move {
            d.orphans.work(async |pod| d.sync.pods.sync_orphan_pod(pod).await).await;
        });
    }

    fn start_workers(self: &Rc<Self>) {
        for _ in 0..WORKERS {
            self.core.start_worker(self, async |c: &Rc<Self>, id| c.sync.sync_job(id).await);
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
}

impl ResourceEventHandler<Workload> for JobController {
    /// `addJob`, `updateJob`, `deleteJob`
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(job) = new.or(old) else { return };
        if let (Some(gone), None) = (old, new) {
            let its = |p: &&Rc<Pod>| p.controller() == Some((gone.id, gone.uid));
            let pods = self.core.informers.pods_of(gone.id);
            pods.iter().filter(its).for_each(|p| self.release_orphan(p));
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
