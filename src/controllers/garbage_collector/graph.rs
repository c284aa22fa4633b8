//! Who owns whom, as the caches tell it (`graph_builder.go`, v1.34), and what a change of it sets
//! off. Upstream keeps a graph of its own; here the caches' indexes by owner are that graph.

use crate::api::workload::Propagation;
use crate::client::QueueKey;
use crate::controllers::prelude::*;

/// One life of a workload, as those that it owns refer to it.
pub(super) type Owner = (WorkloadId, Uid);

/// One life of an object, which upstream has as a node of its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Item {
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

/// Adds to the queues what a change of the graph sets off.
pub(super) struct GraphBuilder {
    ctx: Ctx,
    client: Client,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) attempt_to_delete: WorkQueue<Item>,
    pub(super) attempt_to_orphan: WorkQueue<Item>,
    /// Owners that are known to be gone (`absentOwnerCache`).
    pub(super) absent: Shared<BTreeSet<Uid>>,
    order_point: PointId,
}

impl GraphBuilder {
    /// One whose queues are empty.
    pub(super) fn new(context: ControllerContext<()>) -> Self {
        let ControllerContext { ctx, group, client, informers, .. } = context;
        GraphBuilder {
            attempt_to_delete: WorkQueue::new(&ctx, group),
            attempt_to_orphan: WorkQueue::new(&ctx, group),
            absent: Shared::new(BTreeSet::new()),
            order_point: ctx.point("garbage-collector-order"),
            informers,
            client,
            ctx,
        }
    }

    /// What that life of a workload owns, in the order of a walk over a map.
    pub(super) fn dependents(&self, owner: Owner) -> Vec<Item> {
        let mut all = self.owned_by(owner);
        self.ctx.order(self.order_point, &mut all, |item| self.object(*item));
        all
    }

    /// What that life of a workload owns, by id.
    pub(super) fn owned_by(&self, owner: Owner) -> Vec<Item> {
        let pods = self.informers.pods_of(owner.0);
        let of_it = pods.iter().filter(|p| p.controller() == Some(owner));
        let workloads = self.informers.workloads_of(owner);
        let mut all: Vec<Item> = of_it.map(|p| Item::Pod(p.id, p.uid)).collect();
        all.extend(workloads.iter().map(|w| Item::Workload(w.id, w.uid)));
        all
    }

    /// A workload as the cache has it, if it is still in that life.
    pub(super) fn observed(&self, owner: Owner) -> Option<Rc<Workload>> {
        self.informers.workload(owner.0).filter(|w| w.uid == owner.1)
    }

    /// An item as an object of chance.
    pub(super) fn object(&self, item: Item) -> Object {
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
        let waits = |w: &Rc<Workload>| w.deletion == Some(Propagation::Foreground);
        if let Some(w) = owner.and_then(|o| self.observed(o)).filter(waits) {
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

impl ResourceEventHandler<Workload> for GraphBuilder {
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

impl ResourceEventHandler<Pod> for GraphBuilder {
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
