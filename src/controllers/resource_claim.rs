//! The resourceclaim controller: makes the claims of new pods from their templates, and takes their devices back
//! once they have ended.
//!
//! Models `pkg/controller/resourceclaim/controller.go`, v1.37. Left out: templates that come later than their pods, claims
//! that are deleted by hand, the deletion of claims, which nobody waits for, and finalizers of those that each pod has for
//! itself.

use crate::api::device::Allocation;
use crate::api::names::stable_hash;
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
    /// A claim that pods share, by its name: for whom it is still to be reserved.
    Shared(TextId),
}

impl QueueKey for Key {
    fn slot(self) -> usize {
        match self {
            Self::Pod(pod) | Self::Claim(pod, ..) => pod.index() + 1,
            Self::Shared(_) => 0,
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
    /// Lives of pods that it has seen deleted (`deletedObjects`).
    deleted: Shared<BTreeSet<Uid>>,
}

impl Controller {
    /// A controller that hears of pods and claims but does not work yet.
    pub(crate) fn new(context: ControllerContext<()>) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, .. } = context;
        let (queue, deleted) = (WorkQueue::new(&ctx, group), Shared::default());
        let controller = Rc::new(Self { queue, deleted, ctx, group, client, informers });
        controller.informers.on_pod(controller.clone());
        controller.informers.on_claim(controller.clone());
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
                if self.keeps(pod, uid).await? {
                    return Ok(());
                }
                let about = self.client.pod_object(pod);
                let update = move |api: &ApiServer, by| api.deallocate(by, (uid, claim), None);
                self.client.call(about, update).await
            }
            Key::Shared(name) => self.sync_shared(name).await,
        }
    }

    /// `syncClaim` of one that pods share: it is reserved no longer for those that are gone or done. With the last of them it
    /// is deallocated, and loses its finalizer. All that is written holds for the version in the cache.
    async fn sync_shared(&self, name: TextId) -> ApiResult {
        let text: Rc<str> = self.client.api().names(|n| n.text_of(name).into());
        let read = self.informers.shared_claim(&text);
        let mut gone = Vec::new();
        for reserved in self.informers.reserved_for(&text) {
            if !self.keeps(reserved.pod, reserved.uid).await? {
                gone.push(reserved.uid);
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        let about = Object { id: name.0, hash: stable_hash(&text) };
        let update = move |api: &ApiServer, actor| api.release_claim(actor, &read, &gone);
        let left = self.client.call(about, update).await?;
        if left.has_finalizer && !left.is_allocated {
            let update = move |api: &ApiServer, _| api.finalize_claim(&left, false);
            self.client.call(about, update).await?;
        }
        Ok(())
    }

    /// Whether a claim stays reserved for a life of a pod. Of one that it has not seen yet it asks the API server.
    async fn keeps(&self, pod: PodId, uid: Uid) -> ApiResult<bool> {
        if self.deleted.with(|d| d.contains(&uid)) {
            return Ok(false);
        }
        match self.informers.pod(pod) {
            Some(pod) => Ok(pod.uid == uid && !is_over(&pod)),
            None => match self.client.get_pod(pod).await {
                Ok(pod) => Ok(pod.uid == uid),
                Err(ApiError::NotFound) => Ok(false),
                Err(error) => Err(error),
            },
        }
    }

    /// `syncPod`: one POST for each claim, and then a PATCH of the pod's status with their names.
    async fn sync_pod(&self, id: PodId) -> ApiResult {
        let Some(pod) = self.informers.pod(id).filter(|p| !p.is_terminating()) else {
            return Ok(());
        };
        let (about, uid) = (self.client.pod_object(id), pod.uid);
        let claims = pod.template.devices.iter().enumerate();
        for (claim, _) in claims.filter(|(_, c)| c.shared.is_none()) {
            self.client.call(about, move |api, _| api.create_claim(id, claim)).await?;
        }
        let patch = move |api: &ApiServer, actor| api.apply_claims(actor, (id, uid));
        match self.client.call(about, patch).await {
            Err(ApiError::NotFound) => Ok(()),
            result => result,
        }
    }
}

impl ResourceEventHandler<Allocation> for Controller {
    /// `enqueueResourceClaim`: a pod for which a claim is reserved may be gone already. Of a pod's own claims that need only
    /// be asked when they are heard of first, as after a start: else its end was seen.
    fn on_change(&self, old: Option<&Rc<Allocation>>, new: Option<&Rc<Allocation>>) {
        let Some(of) = new.or(old) else { return };
        let is_there = || self.informers.pod(of.pod).is_some_and(|pod| pod.uid == of.uid);
        let has = |of: Option<&Rc<Allocation>>, i: u32| {
            of.is_some_and(|of| !of.devices[i as usize].is_empty())
        };
        for (i, shared) in (0..).zip(&of.shared) {
            match shared {
                Some(claim) => {
                    self.queue.add(Key::Shared(self.client.api().names(|n| n.text(&claim.name))));
                }
                None if has(new, i) && !has(old, i) && !is_there() => {
                    self.queue.add(Key::Claim(of.pod, of.uid, i));
                }
                None => {}
            }
        }
    }
}

/// Whether a pod needs its claims no more (`isPodDone`).
fn is_over(pod: &Pod) -> bool {
    pod.phase.is_terminal() || pod.is_terminating() && pod.node.is_none()
}

impl ResourceEventHandler<Pod> for Controller {
    /// `enqueuePod`
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old).filter(|p| !p.template.devices.is_empty()) else { return };
        // One that follows another under its name, unseen.
        let gone = old.filter(|o| new.is_none_or(|n| n.uid != o.uid));
        let over = gone.or(new.filter(|n| is_over(n)));
        self.deleted.with(|d| d.extend(gone.map(|pod| pod.uid)));
        if let Some(over) = over.filter(|o| o.has_claims) {
            for (i, claim) in (0..).zip(&over.template.devices) {
                self.queue.add(match &claim.shared {
                    None => Key::Claim(over.id, over.uid, i),
                    Some(name) => Key::Shared(self.client.api().names(|n| n.text(name))),
                });
            }
        }
        if new.is_some_and(|n| !n.has_claims && !is_over(n)) {
            self.queue.add(Key::Pod(pod.id));
        }
    }
}
