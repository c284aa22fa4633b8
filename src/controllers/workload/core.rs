//! What the controllers of all kinds of workload have in common: their client, their caches, a queue
//! of workloads with its workers, and how they write what they found.

use super::pod_control::PodControl;
use super::written::Written;
use crate::api::workload::WorkloadStatus;
use crate::client::RateLimiter;
use crate::controllers::prelude::*;

/// A controller's client, caches and queue.
pub(super) struct Core {
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) client: Client,
    pub(super) pods: PodControl,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) queue: WorkQueue<WorkloadId>,
}

impl Core {
    /// Those of a controller that has done nothing yet.
    pub(super) fn new(
        context: ControllerContext,
        waits_for_own_writes: bool,
        limiter: RateLimiter<WorkloadId>,
    ) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        let written = Written::new(waits_for_own_writes);
        Rc::new(Core {
            queue: WorkQueue::with_limiter(&ctx, group, limiter),
            pods: PodControl { client: client.clone(), recorder, written },
            client,
            informers,
            group,
            ctx,
        })
    }

    /// Starts a worker, which syncs one workload of the queue after the other.
    pub(super) fn start_worker<C: 'static>(
        self: &Rc<Self>,
        controller: &Rc<C>,
        sync: impl AsyncFn(&Rc<C>, WorkloadId) -> ApiResult + 'static,
    ) {
        let (core, controller) = (self.clone(), controller.clone());
        self.ctx.spawn_alike(self.ctx.name(), self.group, async move {
            core.queue.work(async |id| sync(&controller, id).await).await;
        });
    }

    /// The workload of that kind that a reference means, if it is still that one
    /// (`resolveControllerRef`).
    pub(super) fn resolve(
        &self,
        owner: Option<(WorkloadId, Uid)>,
        kind: WorkloadKind,
    ) -> Option<Rc<Workload>> {
        let (id, uid) = owner?;
        self.informers.workload(id).filter(|w| w.uid == uid && w.kind == kind)
    }

    /// The workload that a sync is about; none if it is gone.
    ///
    /// # Errors
    /// The caches lack something that the controller wrote for it (`EnsureReady`).
    pub(super) fn to_sync(&self, id: WorkloadId) -> ApiResult<Option<Rc<Workload>>> {
        if !self.pods.written.is_seen(id, &self.informers) {
            return Err(ApiError::Conflict);
        }
        let found = self.informers.workload(id);
        if found.is_none() {
            self.pods.written.forget(id);
        }
        Ok(found)
    }

    /// The workloads of a controller that has been running for long have their revisions.
    pub(super) fn assume_revisions(&self, kind: WorkloadKind) {
        for w in self.informers.workloads(kind) {
            // Creating a revision in the store cannot fail.
            let _ = self.client.api().create_revision(w.id, w.uid);
        }
    }

    /// Creates the revision of a workload, if it has none.
    pub(super) async fn ensure_revision(&self, w: &Workload) -> ApiResult {
        let (id, uid) = (w.id, w.uid);
        if self.client.api().has_revision(id, uid) {
            return Ok(());
        }
        let object = self.client.workload_object(id);
        self.client.get(object, move |api, _| api.create_revision(id, uid)).await
    }

    /// GET of a workload.
    pub(super) async fn read(&self, id: WorkloadId) -> ApiResult<Rc<Workload>> {
        let object = self.client.workload_object(id);
        self.client.get(object, move |api, _| api.workload(id).ok_or(ApiError::NotFound)).await
    }

    /// UPDATE of a workload's status, on a version of it that was read.
    pub(super) async fn write_status(
        &self,
        w: &Workload,
        read: &Rc<Workload>,
        status: WorkloadStatus,
    ) -> ApiResult<Rc<Workload>> {
        let (object, old) = (self.client.workload_object(w.id), read.clone());
        let update = self
            .client
            .call(object, move |api, actor| api.update_workload_status(actor, &old, status));
        let new = update.await?;
        self.pods.written.wrote_at(w, w.kind.into(), new.resource_version);
        Ok(new)
    }

    /// The same; one that fails is tried once more, on the version that there is by then
    /// (`statusUpdateRetries` of ReplicaSets, `StatusUpdateRetries` of DaemonSets).
    pub(super) async fn write_status_again(
        &self,
        w: &Rc<Workload>,
        status: WorkloadStatus,
    ) -> ApiResult {
        if self.write_status(w, w, status.clone()).await.is_err() {
            let now = self.read(w.id).await?;
            self.write_status(w, &now, status).await?;
        }
        Ok(())
    }
}

/// A number of seconds as the API has it.
pub(super) fn seconds(count: i32) -> Dur {
    Dur::from_secs(u64::try_from(count).unwrap_or_default())
}
