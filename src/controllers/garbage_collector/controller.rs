//! What the workers of the queues do (`garbagecollector.go`, v1.34).

use super::graph::{GraphBuilder, Item, Owner};
use crate::api::workload::Propagation;
use crate::client::go_all;
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

/// The garbage collector.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    client: Client,
    graph: Rc<GraphBuilder>,
}

impl Controller {
    /// A collector that hears of workloads and pods but does not run yet.
    pub(crate) fn new(context: ControllerContext<()>) -> Rc<Self> {
        let ControllerContext { ctx, group, client, .. } = context.clone();
        let graph = Rc::new(GraphBuilder::new(context));
        for kind in WorkloadKind::ALL {
            graph.informers.on_workload(kind, graph.clone());
        }
        graph.informers.on_pod(graph.clone());
        Rc::new(Controller { graph, client, group, ctx })
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
                let queue = &c.graph.attempt_to_delete;
                queue.work(async |item| c.attempt_to_delete_item(item).await).await;
            });
            self.ctx.spawn_alike(self.ctx.name(), self.group, async move {
                let queue = &d.graph.attempt_to_orphan;
                queue.work(async |item| d.orphan_dependents(item).await).await;
            });
        }
    }

    /// `attemptToDeleteItem`
    async fn attempt_to_delete_item(&self, item: Item) -> ApiResult {
        match item {
            Item::Pod(id, uid) => self.attempt_to_delete_pod(id, uid).await,
            Item::Workload(id, uid) => match self.graph.observed((id, uid)) {
                Some(w) => self.attempt_to_delete_workload(&w).await,
                None => self.look_for_owner((id, uid)).await,
            },
        }
    }

    /// `attemptToDeleteItem` of a pod.
    async fn attempt_to_delete_pod(&self, id: PodId, uid: Uid) -> ApiResult {
        let known = self.graph.informers.pod(id).filter(|p| p.uid == uid);
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
        let deletes_dependents = known.deletion == Some(Propagation::Foreground);
        if known.is_terminating() && !deletes_dependents {
            return Ok(());
        }
        self.ctx.set_saw(known.record);
        let owner = match self.get(id).await {
            Ok(w) if w.uid == uid => w.owner,
            Ok(_) | Err(ApiError::NotFound) => return Ok(()),
            Err(e) => return Err(e),
        };
        if deletes_dependents {
            return self.process_deleting_dependents(known).await;
        }
        let Some(owner) = owner else { return Ok(()) };
        let how = match self.classify(owner).await? {
            Reference::Solid => return Ok(()),
            Reference::WaitingForDependentsDeletion
                if !self.graph.owned_by((id, uid)).is_empty() =>
            {
                Propagation::Foreground
            }
            _ => Propagation::Background,
        };
        self.client
            .call(self.graph.object(Item::Workload(id, uid)), move |api, actor| {
                api.delete_workload(actor, id, how, Some(uid))
            })
            .await
    }

    /// `processDeletingDependentsItem`
    async fn process_deleting_dependents(&self, known: &Workload) -> ApiResult {
        let owner = (known.id, known.uid);
        let blocking = self.graph.dependents(owner);
        if blocking.is_empty() {
            return self.remove_finalizer(owner).await;
        }
        for item in blocking {
            let waits = match item {
                Item::Workload(id, uid) => self
                    .graph
                    .observed((id, uid))
                    .is_some_and(|w| w.deletion == Some(Propagation::Foreground)),
                Item::Pod(..) => false,
            };
            if !waits {
                self.graph.attempt_to_delete.add(item);
            }
        }
        Ok(())
    }

    /// An owner that is in no cache, because it is gone or was not heard of yet: where the API server
    /// does not have it, what it owned is looked at; otherwise it is looked for again.
    async fn look_for_owner(&self, owner: Owner) -> ApiResult {
        match self.get(owner.0).await {
            Ok(w) if w.uid == owner.1 => return Err(ApiError::Unavailable),
            Ok(_) | Err(ApiError::NotFound) => {}
            Err(e) => return Err(e),
        }
        for item in self.graph.dependents(owner) {
            self.graph.absent.with(|a| a.insert(owner.1));
            self.graph.attempt_to_delete.add(item);
        }
        Ok(())
    }

    /// What an object's owner is (`isDangling`, `classifyReferences`).
    async fn classify(&self, owner: Owner) -> ApiResult<Reference> {
        if self.graph.absent.with(|a| a.contains(&owner.1)) {
            return Ok(Reference::Dangling);
        }
        match self.get(owner.0).await {
            Ok(w) if w.uid == owner.1 && w.deletion == Some(Propagation::Foreground) => {
                Ok(Reference::WaitingForDependentsDeletion)
            }
            Ok(w) if w.uid == owner.1 => Ok(Reference::Solid),
            Ok(_) | Err(ApiError::NotFound) => {
                self.graph.absent.with(|a| a.insert(owner.1));
                Ok(Reference::Dangling)
            }
            Err(e) => Err(e),
        }
    }

    /// `attemptToOrphanWorker`: takes the references to a workload off what it owns, and lets it go.
    async fn orphan_dependents(&self, item: Item) -> ApiResult {
        let Item::Workload(id, uid) = item else { return Ok(()) };
        let (client, failed) = (self.client.clone(), Rc::new(Shared::new(None)));
        let dependents: Vec<(Item, Object)> = self
            .graph
            .dependents((id, uid))
            .into_iter()
            .map(|d| (d, self.graph.object(d)))
            .collect();
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
        match self.get(id).await {
            Ok(w) if w.uid == uid => {}
            Ok(_) | Err(ApiError::NotFound) => return Ok(()),
            Err(e) => return Err(e),
        }
        self.client
            .call(self.graph.object(Item::Workload(id, uid)), move |api, actor| {
                api.finalize_workload(actor, id, uid)
            })
            .await
    }

    /// GET of a workload.
    async fn get(&self, id: WorkloadId) -> ApiResult<Rc<Workload>> {
        self.client
            .call(self.client.workload_object(id), move |api, _| {
                api.workload(id).ok_or(ApiError::NotFound)
            })
            .await
    }
}
