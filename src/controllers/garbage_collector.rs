//! The garbage collector of owner references (`pkg/controller/garbagecollector`: `garbagecollector.go`,
//! `graph_builder.go`, v1.34): deletes what a workload that is gone owned, in the background or while the
//! workload waits for it, or takes the reference off.
//!
//! Who owns whom the caches tell: upstream keeps a graph of its own, here their indexes by owner are that
//! graph.
//!
//! Left out: owners that are no workloads, objects with several owners, invalid references, the
//! resourceVersion that 1.34 sends with a DELETE, conflicts over a finalizer, and its
//! questions every 30 s which resources there are.

use crate::api::workload::Propagation;
use crate::client::{QueueKey, go_all};
use crate::controllers::prelude::*;

/// `--concurrent-gc-syncs`
const WORKERS: usize = 20;
/// How often the collector looks whether its caches are filled (`syncedPollPeriod` of client-go). The
/// first look always comes too early: what there is to watch, it has yet to ask for.
const SYNCED_POLL_PERIOD: Dur = Dur::from_millis(100);

/// What an object's owner is (`classifyReferences`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reference {
    /// It is there.
    Solid,
    /// It is gone.
    Dangling,
    /// It waits until what it owns is gone.
    WaitingForDependentsDeletion,
}

/// One life of a workload, as those that it owns refer to it.
type Owner = (WorkloadId, Uid);

/// One life of an object, which upstream has as a node of its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Item {
    Workload(WorkloadId, Uid),
    Pod(PodId, Uid),
}

impl QueueKey for Item {
    fn slot(self) -> usize {
        match self {
            Self::Workload(id, _) => id.index(),
            Self::Pod(id, _) => id.index(),
        }
    }
}

/// Whether a workload waits until what it owns is gone.
fn waits_for_dependents(w: &Workload) -> bool {
    w.deletion == Some(Propagation::Foreground)
}

/// The garbage collector.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    client: Client,
    informers: Rc<InformerFactory>,
    attempt_to_delete: WorkQueue<Item>,
    attempt_to_orphan: WorkQueue<Item>,
    /// Owners that are known to be gone (`absentOwnerCache`).
    absent: Shared<BTreeSet<Uid>>,
}

impl Controller {
    /// A collector that hears of workloads and pods but does not run yet.
    pub(crate) fn new(context: ControllerContext<()>) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, .. } = context;
        let controller = Rc::new(Self {
            attempt_to_delete: WorkQueue::new(&ctx, group),
            attempt_to_orphan: WorkQueue::new(&ctx, group),
            absent: Shared::default(),
            informers,
            client,
            group,
            ctx,
        });
        for kind in WorkloadKind::ALL {
            controller.informers.on_workload(kind, controller.clone());
        }
        controller.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers (`Run`). `warm`: they have been running for long.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        if warm {
            return self.start_workers();
        }
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            c.ctx.sleep(SYNCED_POLL_PERIOD).await;
            c.start_workers();
        });
    }

    fn start_workers(self: &Rc<Self>) {
        for _ in 0..WORKERS {
            let (c, d) = (self.clone(), self.clone());
            self.ctx.spawn_alike(self.ctx.name(), self.group, async move {
                c.attempt_to_delete.work(async |item| c.attempt_to_delete_item(item).await).await;
            });
            self.ctx.spawn_alike(self.ctx.name(), self.group, async move {
                d.attempt_to_orphan.work(async |item| d.orphan_dependents(item).await).await;
            });
        }
    }

    /// `attemptToDeleteItem`
    async fn attempt_to_delete_item(&self, item: Item) -> ApiResult {
        match item {
            Item::Pod(id, uid) => self.attempt_to_delete_pod(id, uid).await,
            Item::Workload(id, uid) => match self.observed((id, uid)) {
                Some(w) => self.attempt_to_delete_workload(&w).await,
                None => self.look_for_owner((id, uid)).await,
            },
        }
    }

    /// `attemptToDeleteItem` of a pod.
    async fn attempt_to_delete_pod(&self, id: PodId, uid: Uid) -> ApiResult {
        let known = self.informers.pod(id).filter(|p| p.uid == uid);
        let Some(known) = known.filter(|p| !p.is_terminating()) else { return Ok(()) };
        self.ctx.set_saw(known.record);
        let owner = match self.client.get_pod(id).await {
            Ok(pod) if pod.uid == uid => pod.controller(),
            Ok(_) | Err(ApiError::NotFound) => None,
            Err(e) => return Err(e),
        };
        let Some(owner) = owner else { return Ok(()) };
        if self.classify(owner).await? == Reference::Solid {
            return Ok(());
        }
        self.client.delete_pod(id, None, Some(uid)).await
    }

    /// `attemptToDeleteItem` of a workload.
    async fn attempt_to_delete_workload(&self, known: &Rc<Workload>) -> ApiResult {
        let (id, uid) = (known.id, known.uid);
        let deletes_dependents = waits_for_dependents(known);
        if known.is_terminating() && !deletes_dependents {
            return Ok(());
        }
        self.ctx.set_saw(known.record);
        let Some(live) = self.get((id, uid)).await? else { return Ok(()) };
        if deletes_dependents {
            return self.process_deleting_dependents(known).await;
        }
        let Some(owner) = live.owner else { return Ok(()) };
        let how = match self.classify(owner).await? {
            Reference::Solid => return Ok(()),
            Reference::WaitingForDependentsDeletion if !self.owned_by((id, uid)).is_empty() => {
                Propagation::Foreground
            }
            _ => Propagation::Background,
        };
        let about = self.client.workload_object(id);
        let delete = move |api: &ApiServer, actor| api.delete_workload(actor, id, how, Some(uid));
        self.client.call(about, delete).await
    }

    /// `processDeletingDependentsItem`
    async fn process_deleting_dependents(&self, known: &Workload) -> ApiResult {
        let owner = (known.id, known.uid);
        let blocking = self.dependents(owner);
        if blocking.is_empty() {
            return self.remove_finalizer(owner).await;
        }
        let waits = |item: &Item| match *item {
            Item::Workload(id, uid) => {
                self.observed((id, uid)).is_some_and(|w| waits_for_dependents(&w))
            }
            Item::Pod(..) => false,
        };
        for item in blocking.into_iter().filter(|item| !waits(item)) {
            self.attempt_to_delete.add(item);
        }
        Ok(())
    }

    /// An owner that is in no cache, because it is gone or was not heard of yet: where the API server
    /// does not have it, what it owned is looked at; otherwise it is looked for again.
    async fn look_for_owner(&self, owner: Owner) -> ApiResult {
        if self.get(owner).await?.is_some() {
            return Err(ApiError::Unavailable);
        }
        for item in self.dependents(owner) {
            self.absent.with(|a| a.insert(owner.1));
            self.attempt_to_delete.add(item);
        }
        Ok(())
    }

    /// What an object's owner is (`isDangling`, `classifyReferences`).
    async fn classify(&self, owner: Owner) -> ApiResult<Reference> {
        if self.absent.with(|a| a.contains(&owner.1)) {
            return Ok(Reference::Dangling);
        }
        Ok(match self.get(owner).await? {
            Some(w) if waits_for_dependents(&w) => Reference::WaitingForDependentsDeletion,
            Some(_) => Reference::Solid,
            None => {
                self.absent.with(|a| a.insert(owner.1));
                Reference::Dangling
            }
        })
    }

    /// `attemptToOrphanWorker`: takes the references to a workload off what it owns, and lets it go.
    async fn orphan_dependents(&self, item: Item) -> ApiResult {
        let Item::Workload(id, uid) = item else { return Ok(()) };
        let (client, failed) = (self.client.clone(), Rc::new(Shared::new(None)));
        let dependents: Vec<(Item, Object)> =
            self.dependents((id, uid)).into_iter().map(|d| (d, self.object(d))).collect();
        let (count, first) = (dependents.len(), failed.clone());
        go_all(&self.ctx, self.group, count, move |i| {
            let (client, failed, (item, object)) = (client.clone(), first.clone(), dependents[i]);
            async move {
                let patch = client.call(object, move |api, actor| match item {
                    Item::Workload(id, uid) => api.orphan_workload(actor, id, uid),
                    Item::Pod(id, uid) => api.orphan_pod(actor, id, uid),
                });
                if let Err(e) = patch.await
                    && e != ApiError::NotFound
                {
                    failed.with(|f| *f = Some(e));
                }
            }
        })
        .await;
        match failed.with(Option::take) {
            Some(e) => Err(e),
            None => self.remove_finalizer((id, uid)).await,
        }
    }

    /// `removeFinalizer`: GET and PATCH.
    async fn remove_finalizer(&self, (id, uid): Owner) -> ApiResult {
        if self.get((id, uid)).await?.is_none() {
            return Ok(());
        }
        let about = self.client.workload_object(id);
        self.client.call(about, move |api, actor| api.finalize_workload(actor, id, uid)).await
    }

    /// GET of that life of a workload; none if it is gone.
    async fn get(&self, (id, uid): Owner) -> ApiResult<Option<Rc<Workload>>> {
        let about = self.client.workload_object(id);
        let get = self.client.call(about, move |api, _| api.workload(id).ok_or(ApiError::NotFound));
        match get.await {
            Err(ApiError::NotFound) => Ok(None),
            found => found.map(|w| (w.uid == uid).then_some(w)),
        }
    }

    /// What that life of a workload owns, in the order of a walk over a map.
    fn dependents(&self, owner: Owner) -> Vec<Item> {
        let mut all = self.owned_by(owner);
        let point = self.ctx.point("garbage-collector-order");
        self.ctx.order(point, &mut all, |item| self.object(*item));
        all
    }

    /// What that life of a workload owns, by id.
    fn owned_by(&self, owner: Owner) -> Vec<Item> {
        let pods = self.informers.pods_of(owner.0);
        let of_it = pods.iter().filter(|p| p.controller() == Some(owner));
        let workloads = self.informers.workloads_of(owner);
        let mut all: Vec<Item> = of_it.map(|p| Item::Pod(p.id, p.uid)).collect();
        all.extend(workloads.iter().map(|w| Item::Workload(w.id, w.uid)));
        all
    }

    /// A workload as the cache has it, if it is still in that life.
    fn observed(&self, owner: Owner) -> Option<Rc<Workload>> {
        self.informers.workload(owner.0).filter(|w| w.uid == owner.1)
    }

    /// An item as an object of chance.
    fn object(&self, item: Item) -> Object {
        match item {
            Item::Workload(id, _) => self.client.workload_object(id),
            Item::Pod(id, _) => self.client.pod_object(id),
        }
    }

    /// An object belongs to someone else than before. An owner that nobody has seen is looked for
    /// (`addDependentToOwners`), one that may have waited for this is looked at again.
    fn owner_changed(&self, was: Option<Owner>, is: Option<Owner>) {
        if was == is {
            return;
        }
        if let Some(w) = was.and_then(|o| self.observed(o)) {
            self.attempt_to_delete.add(Item::Workload(w.id, w.uid));
        }
        if let Some(owner) = is.filter(|o| self.observed(*o).is_none()) {
            self.attempt_to_delete.add(Item::Workload(owner.0, owner.1));
        }
    }

    /// An object is gone; its owner may have waited for that.
    fn gone(&self, owner: Option<Owner>) {
        if let Some(w) = owner.and_then(|o| self.observed(o)).filter(|w| waits_for_dependents(w)) {
            self.attempt_to_delete.add(Item::Workload(w.id, w.uid));
        }
    }

    /// A workload is gone, and with it the owner of what it owned.
    fn workload_gone(&self, w: &Workload) {
        for item in self.dependents((w.id, w.uid)) {
            self.absent.with(|a| a.insert(w.uid));
            self.attempt_to_delete.add(item);
        }
        self.gone(w.owner);
    }

    /// The deletion of a workload has begun, and waits (`processTransitions`).
    fn deletion_begins(&self, w: &Workload) {
        let item = Item::Workload(w.id, w.uid);
        match w.deletion {
            Some(Propagation::Orphan) => self.attempt_to_orphan.add(item),
            Some(Propagation::Foreground) => {
                for dependent in self.dependents((w.id, w.uid)) {
                    self.attempt_to_delete.add(dependent);
                }
                self.attempt_to_delete.add(item);
            }
            Some(Propagation::Background) | None => {}
        }
    }
}

impl ResourceEventHandler<Workload> for Controller {
    /// `processGraphChanges`
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let same = |o: &&Rc<Workload>| new.is_some_and(|n| n.uid == o.uid);
        if let Some(o) = old.filter(|o| !same(o)) {
            self.workload_gone(o);
        }
        let (before, Some(now)) = (old.filter(same), new) else { return };
        self.owner_changed(before.and_then(|b| b.owner), now.owner);
        if before.and_then(|b| b.deletion) != now.deletion {
            self.deletion_begins(now);
        }
    }
}

impl ResourceEventHandler<Pod> for Controller {
    /// `processGraphChanges`
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let same = |o: &&Rc<Pod>| new.is_some_and(|n| n.uid == o.uid);
        if let Some(o) = old.filter(|o| !same(o)) {
            self.gone(o.controller());
        }
        let (before, Some(now)) = (old.filter(same), new) else { return };
        // Versions of a pod share their template unless something changed in it.
        if before.is_none_or(|b| !Rc::ptr_eq(&b.template, &now.template)) {
            self.owner_changed(before.and_then(|b| b.controller()), now.controller());
        }
    }
}
