//! What the controller hears of pods, and its work (`enqueuePod`, `syncPod`, `syncClaim`).

use crate::client::QueueKey;
use crate::controllers::prelude::*;

/// `ConcurrentSyncs` (`config/v1alpha1/defaults.go`).
const CONCURRENT_SYNCS: usize = 50;

/// What is to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    /// A pod: whether it has its claims.
    Pod(PodId),
    /// A claim of a life of a pod, by its place in the template: whether it is still in use.
    Claim(PodId, Uid, u32),
}

impl QueueKey for Key {
    fn slot(self) -> usize {
        match self {
            Self::Pod(pod) | Self::Claim(pod, ..) => pod.index(),
        }
    }
}

/// The resourceclaim controller.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    client: Client,
    informers: Rc<InformerFactory>,
    queue: WorkQueue<Key>,
}

impl Controller {
    /// A controller that hears of pods but does not work yet.
    pub(crate) fn new(context: ControllerContext<()>) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, .. } = context;
        let controller =
            Rc::new(Self { queue: WorkQueue::new(&ctx, group), ctx, group, client, informers });
        controller.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers (`Run`); the caches are filled.
    pub(crate) fn run(self: &Rc<Self>) {
        for _ in 0..CONCURRENT_SYNCS {
            let c = self.clone();
            self.ctx.spawn(self.group, async move {
                c.queue.work(async |key| c.sync(key).await).await;
            });
        }
    }

    async fn sync(&self, key: Key) -> ApiResult {
        match key {
            Key::Pod(pod) => self.sync_pod(pod).await,
            Key::Claim(pod, uid, claim) => {
                let about = self.client.pod_object(pod);
                let update = move |api: &crate::apiserver::ApiServer, actor| {
                    api.deallocate_claim(actor, uid, claim)
                };
                self.client.call(about, update).await
            }
        }
    }

    /// `syncPod`: one POST for each claim, and then a PATCH of the pod's status with their names.
    async fn sync_pod(&self, id: PodId) -> ApiResult {
        let Some(pod) = self.informers.pod(id).filter(|p| !p.is_terminating()) else {
            return Ok(());
        };
        let (about, uid) = (self.client.pod_object(id), pod.uid);
        for _ in &pod.template.devices {
            self.client.call(about, |_, _| Ok(())).await?;
        }
        let patch =
            move |api: &crate::apiserver::ApiServer, actor| api.apply_claims(actor, (id, uid));
        match self.client.call(about, patch).await {
            Err(ApiError::NotFound) => Ok(()),
            result => result,
        }
    }
}

impl ResourceEventHandler<Pod> for Controller {
    /// `enqueuePod`
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old).filter(|p| !p.template.devices.is_empty()) else { return };
        let is_over = |p: &Pod| p.phase.is_terminal() || p.is_terminating() && p.node.is_none();
        // One that follows another under its name, unseen.
        let gone = old.filter(|o| new.is_none_or(|n| n.uid != o.uid));
        let over = gone.or(new.filter(|n| is_over(n)));
        if let Some(over) = over.filter(|o| o.has_claims) {
            for claim in 0..over.template.devices.len() as u32 {
                self.queue.add(Key::Claim(over.id, over.uid, claim));
            }
        }
        if new.is_some_and(|n| !n.has_claims && !is_over(n)) {
            self.queue.add(Key::Pod(pod.id));
        }
    }
}
