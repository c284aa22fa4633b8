//! Jobs (`pkg/controller/job/job_controller.go`, v1.34).
//!
//! Left out: indexed completion and per-index back-off, success policies, deadlines, suspension,
//! restarts of containers (a pod of a Job with restartPolicy OnFailure counts as one), and pod
//! failure rules on exit codes.

use super::core::Core;
use super::expectations::Expectations;
use super::item::{Item, PodItem};
use super::job_backoff::BackoffRecord;
use crate::api::meta::Uid;
use crate::api::names::WorkloadId;
use crate::api::pod::{Pod, PodPhase};
use crate::api::workload::{Workload, WorkloadKind};
use crate::client::{
    Client, EventRecorder, InformerFactory, PodHandler, RateLimiter, WorkQueue, WorkloadHandler,
};
use crate::kernel::{Group, PointId, Shared};
use crate::plan::switches::workload::JobSwitches;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::{Rc, Weak};

/// `--concurrent-job-syncs`
const WORKERS: usize = 5;

/// What the controller remembers of its Jobs, by name.
pub(super) struct Memory {
    pub(super) expectations: Expectations,
    /// Pods whose finalizer was taken off and that were not seen without it yet
    /// (`uidTrackingExpectations`).
    pub(super) finalizers: BTreeMap<WorkloadId, BTreeSet<Uid>>,
    pub(super) backoff: BTreeMap<WorkloadId, BackoffRecord>,
    /// Jobs that were marked as finished (`finishedJobExpectations`).
    pub(super) finished: BTreeSet<Uid>,
}

/// The Job controller.
pub(crate) struct JobController {
    pub(super) me: Weak<JobController>,
    pub(super) core: Rc<Core>,
    pub(super) switches: JobSwitches,
    pub(super) memory: Shared<Memory>,
    /// Pods that hold the finalizer of a Job that is gone, or has ended (`orphanQueue`).
    pub(super) orphans: WorkQueue<PodItem>,
    orphan_limiter: Shared<RateLimiter<PodItem>>,
    pub(super) order_point: PointId,
}

impl JobController {
    /// A controller that hears of Jobs and pods but does not run yet.
    pub(crate) fn new(
        switches: JobSwitches,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let core = Core::new(
            client,
            informers,
            group,
            recorder,
            switches.waits_for_own_writes,
            RateLimiter::exponential(switches.retry.0, switches.retry.1),
        );
        let memory = Memory {
            expectations: Expectations::default(),
            finalizers: BTreeMap::new(),
            backoff: BTreeMap::new(),
            finished: BTreeSet::new(),
        };
        let controller = Rc::new_cyclic(|me| JobController {
            me: me.clone(),
            core,
            memory: Shared::new(memory),
            orphans: WorkQueue::new(&ctx),
            orphan_limiter: Shared::new(RateLimiter::exponential(
                switches.retry.0,
                switches.retry.1,
            )),
            order_point: ctx.point("pod-index-order"),
            switches,
        });
        informers.on_workload(controller.clone());
        informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers.
    pub(crate) fn run(&self) {
        for _ in 0..WORKERS {
            self.core
                .start_worker(&self.me, async |c: &Self, id| c.sync_job(id).await);
        }
        let Some(c) = self.me.upgrade() else { return };
        self.core.ctx.spawn(self.core.group, async move {
            c.orphans
                .work(c.core.group, &c.orphan_limiter, async |item: PodItem| {
                    c.sync_orphan_pod(item.0).await
                })
                .await;
        });
    }

    /// A sync some time after the change, so that many changes make one (`enqueueSyncJobBatched`).
    fn enqueue_batched(&self, id: WorkloadId) {
        self.core
            .queue
            .add_after(self.core.group, self.switches.batch_period, Item(id));
    }

    /// A pod was seen without its finalizer, or keeps it.
    pub(super) fn finalizer_gone(&self, job: WorkloadId, pod: Uid) {
        self.memory.with(|m| {
            if let Some(expected) = m.finalizers.get_mut(&job) {
                expected.remove(&pod);
            }
        });
    }

    /// Sees to it that a pod that no Job will count loses its finalizer (`enqueueOrphanPod`).
    fn release_orphan(&self, pod: &Pod) {
        if pod.job_finalizer {
            self.orphans.add(PodItem(pod.id));
        }
    }

    /// `deletePod`: the start of a deletion counts as the deletion.
    fn pod_deleted(&self, pod: &Pod, gone: bool) {
        let job = self.core.resolve(pod.controller(), WorkloadKind::Job);
        let Some(job) = job.filter(|j| j.status.job.finished.is_none()) else {
            return self.release_orphan(pod);
        };
        self.memory
            .with(|m| m.expectations.deletion_observed(job.id, pod.uid));
        if gone || !pod.job_finalizer {
            self.finalizer_gone(job.id, pod.uid);
        }
        self.enqueue_batched(job.id);
    }
}

impl WorkloadHandler for JobController {
    /// `addJob`, `updateJob`, `deleteJob`
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(job) = new.or(old).filter(|w| w.kind == WorkloadKind::Job) else {
            return;
        };
        if let (Some(gone), None) = (old, new) {
            let its = |p: &&Rc<Pod>| p.controller() == Some((gone.id, gone.uid));
            let pods = self.core.informers.pods_of(gone.id);
            pods.iter().filter(its).for_each(|p| self.release_orphan(p));
        }
        if old
            .zip(new)
            .is_some_and(|(o, n)| o.generation == n.generation)
        {
            self.enqueue_batched(job.id);
        } else {
            self.core.queue.add(Item(job.id));
        }
    }
}

impl PodHandler for JobController {
    /// `addPod`, `updatePod`, `deletePod`
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (before, now) = match (old, new) {
            (Some(old), None) => return self.pod_deleted(old, true),
            (_, Some(new)) if new.is_terminating() => return self.pod_deleted(new, false),
            (old, Some(new)) => (old, new),
            (None, None) => return,
        };
        if now.template.owner.is_none() {
            return self.release_orphan(now);
        }
        let Some(job) = self.core.resolve(now.controller(), WorkloadKind::Job) else {
            return;
        };
        if before.is_none_or(|b| b.uid != now.uid) {
            self.memory
                .with(|m| m.expectations.creation_observed(job.id));
        } else if !now.job_finalizer {
            self.finalizer_gone(job.id, now.uid);
        }
        if self.switches.failure_backoff.is_none() && now.phase == PodPhase::Failed {
            // A failed pod makes the Job wait as long as its last failures say (`getBackoff`).
            let wait = self.core.limiter.with(|l| l.current(Item(job.id)));
            self.core
                .queue
                .add_after(self.core.group, wait, Item(job.id));
        } else {
            self.enqueue_batched(job.id);
        }
    }
}
