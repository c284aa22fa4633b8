//! What the controllers of all kinds of workload have in common: their client, their caches, and a
//! queue of workloads with its workers.

use super::item::Item;
use super::pod_control::PodControl;
use super::written::Written;
use crate::api::meta::Uid;
use crate::api::names::WorkloadId;
use crate::api::workload::{Workload, WorkloadKind};
use crate::apiserver::ApiError;
use crate::client::{Client, EventRecorder, InformerFactory, RateLimiter, WorkQueue};
use crate::kernel::{Ctx, Group, Shared};
use std::rc::Rc;

/// A controller's client, caches and queue.
pub(super) struct Core {
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) pods: PodControl,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) queue: WorkQueue<Item>,
    pub(super) limiter: Shared<RateLimiter<Item>>,
}

impl Core {
    /// Those of a controller that has done nothing yet.
    pub(super) fn new(
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
        waits_for_own_writes: bool,
        limiter: RateLimiter<Item>,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        Rc::new(Core {
            queue: WorkQueue::new(&ctx),
            limiter: Shared::new(limiter),
            pods: PodControl { client, recorder, written: Written::new(waits_for_own_writes) },
            informers: informers.clone(),
            group,
            ctx,
        })
    }

    /// Starts a worker, which syncs one workload of the queue after the other.
    pub(super) fn start_worker<C: 'static>(
        self: &Rc<Self>,
        controller: &Rc<C>,
        sync: impl AsyncFn(&Rc<C>, WorkloadId) -> Result<(), ApiError> + 'static,
    ) {
        let (core, controller) = (self.clone(), controller.clone());
        self.ctx.spawn_alike(self.ctx.name(), self.group, async move {
            core.queue
                .work(core.group, &core.limiter, async |item: Item| sync(&controller, item.0).await)
                .await;
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
}
