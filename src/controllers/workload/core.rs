//! What the controllers of all kinds of workload have in common: their client, their caches, a queue
//! of workloads with its workers, how they write what they found, and how they create and delete pods
//! (`pkg/controller/controller_utils.go: RealPodControl`), in batches of growing size
//! (`pkg/controller/replicaset/replica_set.go: slowStartBatch`).

use crate::api::workload::WorkloadStatus;
use crate::client::{RateLimiter, go_all_but};
use crate::controllers::prelude::*;
use std::future::Future;

/// The largest batch (`stateful_set_control.go: MaxBatchSize`); ReplicaSets and Jobs never have as
/// much to do.
const MAX_BATCH_SIZE: usize = 500;

/// The newest version of each resource that was written for a workload, by its life.
type Writes = BTreeMap<WorkloadId, (Uid, Vec<(Resource, u64)>)>;

/// What a controller has written for workloads and its caches may not have yet
/// (`pkg/controller/util/consistency`, 1.36): a sync that runs ahead of its own writes gives up and is
/// tried again. Nothing is kept where the release does not wait for it. Left out: volume claims.
pub(super) struct Written(Option<Shared<Writes>>);

impl Written {
    /// Nothing was written yet. `waits`: syncs wait for what they wrote.
    pub(super) fn new(waits: bool) -> Self {
        Written(waits.then(Shared::default))
    }

    /// Notes the version that a write for a workload made (`WroteAt`).
    pub(super) fn wrote_at(&self, owner: &Workload, resource: Resource, version: u64) {
        let Some(writes) = &self.0 else { return };
        writes.with(|w| {
            let entry = w.entry(owner.id).or_insert((owner.uid, Vec::new()));
            if entry.0 != owner.uid {
                *entry = (owner.uid, Vec::new());
            }
            match entry.1.iter_mut().find(|(r, _)| *r == resource) {
                Some((_, newest)) => *newest = version.max(*newest),
                None => entry.1.push((resource, version)),
            }
        });
    }

    /// Whether the caches have everything that was written for a workload; what they have is
    /// forgotten (`EnsureReady`).
    fn is_seen(&self, owner: WorkloadId, informers: &InformerFactory) -> bool {
        let Some(writes) = &self.0 else { return true };
        writes.with(|w| {
            let seen = w.get(&owner).is_none_or(|(_, writes)| {
                writes.iter().all(|(r, v)| informers.delivered(*r) >= *v)
            });
            if seen {
                w.remove(&owner);
            }
            seen
        })
    }

    /// The workload is gone (`Clear`).
    pub(super) fn forget(&self, owner: WorkloadId) {
        if let Some(writes) = &self.0 {
            writes.with(|w| w.remove(&owner));
        }
    }
}

/// A controller's client, caches and queue.
pub(super) struct Core {
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) client: Client,
    pub(super) recorder: EventRecorder,
    /// What was written and was not seen yet (`OnWrite`).
    pub(super) written: Written,
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
        Rc::new(Core {
            queue: WorkQueue::with_limiter(&ctx, group, limiter),
            written: Written::new(waits_for_own_writes),
            client,
            recorder,
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

    /// The pods of this life of a workload in the cache, by id.
    pub(super) fn pods_of(&self, w: &Workload) -> Vec<Rc<Pod>> {
        let mut pods = self.informers.pods_of(w.id);
        pods.retain(|p| p.controller().is_some_and(|(_, uid)| uid == w.uid));
        pods
    }

    /// Puts pods into the order of the cache's index, which is none.
    pub(super) fn order_as_index(&self, pods: &mut [Rc<Pod>]) {
        let point = self.ctx.point("pod-index-order");
        self.ctx.order(point, pods, |p| self.client.pod_object(p.id));
    }

    /// The workload that a sync is about; none if it is gone.
    ///
    /// # Errors
    /// The caches lack something that the controller wrote for it (`EnsureReady`).
    pub(super) fn to_sync(&self, id: WorkloadId) -> ApiResult<Option<Rc<Workload>>> {
        if !self.written.is_seen(id, &self.informers) {
            return Err(ApiError::Conflict);
        }
        let found = self.informers.workload(id);
        if found.is_none() {
            self.written.forget(id);
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

    /// Creates the revision of a workload, if it has none; whether it had none.
    pub(super) async fn ensure_revision(&self, w: &Workload) -> ApiResult<bool> {
        let (id, uid) = (w.id, w.uid);
        if self.client.api().has_revision(id, uid) {
            return Ok(false);
        }
        let object = self.client.workload_object(id);
        self.client.get(object, move |api, _| api.create_revision(id, uid)).await?;
        Ok(true)
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
        let update = move |api: &ApiServer, actor| api.update_workload_status(actor, &old, status);
        let new = self.client.call(object, update).await?;
        self.written.wrote_at(w, w.kind.into(), new.resource_version);
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

    /// POST of a pod with a generated name, then an event (`CreatePods`). `tracked`: it carries the
    /// finalizer of jobs.
    pub(super) async fn create_pod(&self, owner: &Workload, tracked: bool) -> ApiResult {
        self.create_pod_from(owner, owner.template.clone(), owner.pinned, tracked).await
    }

    /// As [`Self::create_pod`], from a template that is not quite the owner's.
    pub(super) async fn create_pod_from(
        &self,
        owner: &Workload,
        template: Rc<PodTemplate>,
        node: Option<NodeId>,
        tracked: bool,
    ) -> ApiResult {
        let id = owner.id;
        let create = move |api: &ApiServer, actor| {
            let new = Pod::pending(api.generate_pod_name(id), template, node);
            api.create_pod(actor, Pod { job_finalizer: tracked, ..new }, false)
        };
        let created = self.client.call(self.client.workload_object(id), create).await;
        match &created {
            Ok(pod) => {
                self.written.wrote_at(owner, Resource::Pods, pod.resource_version);
                self.tell(owner, EventBody::of_pod(EventText::CreatedPod, pod.id));
            }
            Err(e) => {
                let words = format!("Error creating: {}", e.of("post pods"));
                self.tell_words(owner, EventText::FailedCreate, &words);
            }
        }
        created.map(|_| ())
    }

    /// DELETE of a pod by name, then an event (`DeletePod`).
    pub(super) async fn delete_pod(&self, owner: &Workload, pod: &Pod) -> ApiResult {
        let id = pod.id;
        match self.client.delete_pod(id, None, None).await {
            Ok(()) => {
                self.tell(owner, EventBody::of_pod(EventText::DeletedPod, id));
                Ok(())
            }
            Err(ApiError::NotFound) => Err(ApiError::NotFound),
            Err(e) => {
                let name = self.client.api().names(|n| short_name(n.pod_name(id)).to_owned());
                let why = e.of(&format!("delete pods {name}"));
                self.tell_words(owner, EventText::FailedDelete, &format!("Error deleting: {why}"));
                Err(e)
            }
        }
    }

    /// An event about a workload.
    pub(super) fn tell(&self, about: &Workload, body: EventBody) {
        self.recorder.event(About::Workload(about.id, about.uid), body);
    }

    /// An event about a workload in free words.
    pub(super) fn tell_words(&self, about: &Workload, text: EventText, words: &str) {
        let words = self.client.api().names(|n| n.text(words));
        self.tell(about, EventBody::of_words(text, words));
    }
}

/// A number of seconds as the API has it.
pub(super) fn seconds(count: i32) -> Dur {
    Dur::from_secs(u64::try_from(count).unwrap_or_default())
}

/// Does `count` pieces of work in batches of 1, 2, 4, 8 and so on, those of a batch side by side;
/// after a failure no further batch begins. Where a piece is `idle`, there is nothing to do about
/// it. Gives how many went well, and the first error.
pub(super) async fn slow_start_batch<F: Future<Output = ApiResult> + 'static>(
    core: &Core,
    count: usize,
    idle: impl Fn(usize) -> bool,
    work: impl Fn(usize) -> F + 'static,
) -> (usize, ApiResult) {
    let work = Rc::new(work);
    let (mut done, mut size) = (0, 1.min(count));
    while size > 0 {
        let errors = Rc::new(Shared::new(Vec::new()));
        let (work, failed) = (work.clone(), errors.clone());
        let first = done;
        let start = move |i| {
            let (one, failed) = (work(first + i), failed.clone());
            async move {
                if let Err(e) = one.await {
                    failed.with(|f| f.push(e));
                }
            }
        };
        go_all_but(&core.ctx, core.group, size, |i| idle(first + i), start).await;
        let errors = errors.with(std::mem::take);
        done += size - errors.len();
        if let Some(first) = errors.into_iter().next() {
            return (done, Err(first));
        }
        size = (2 * size).min(count - done).min(MAX_BATCH_SIZE);
    }
    (done, Ok(()))
}

/// Creates that many pods of a workload; gives how many there are, and the first error. `tracked`:
/// they carry the finalizer of jobs.
pub(super) async fn create_pods(
    core: &Rc<Core>,
    owner: &Rc<Workload>,
    count: usize,
    tracked: bool,
) -> (usize, ApiResult) {
    let (c, owner) = (core.clone(), owner.clone());
    let work = move |_| {
        let (c, owner) = (c.clone(), owner.clone());
        async move { c.create_pod(&owner, tracked).await }
    };
    slow_start_batch(core, count, |_| false, work).await
}
