//! The server itself: the store, what it gives out of it, and the watchers.
//!
//! Whose requests API Priority and Fairness rejects (429, `apiserver/pkg/server/filters/
//! priority-and-fairness.go`). Which those are, and for how long, is stated; its levels and queues
//! are left out.
//!
//! Heartbeats that are computed instead of simulated one by one.
//!
//! Heartbeats that change nothing are not simulated; the latest one is computed on demand. Simulating
//! each one stays possible (eager mode), and must give the same trace.

use super::Admission;
use super::store::{ALL, Store, StoreKeys, Table, one};
use crate::api::names::Names;
use crate::api::volume::VolumeId;
use crate::apiserver::prelude::*;
use crate::kernel::{Ctx, Keys, Shared, swap};
use crate::plan::Clients;
use crate::trace::{Trace, Verdicts};
use std::cell::{Cell, RefCell};

/// Hears of every change, at the instant at which it is stored, unless it does not care. An object
/// that is gone has no new version.
pub(crate) trait Watcher {
    /// A node changed.
    fn node(&self, _old: Option<&Rc<Node>>, _new: Option<&Rc<Node>>) {}
    /// A pod changed.
    fn pod(&self, _old: Option<&Rc<Pod>>, _new: Option<&Rc<Pod>>) {}
    /// A workload changed.
    fn workload(&self, _old: Option<&Rc<Workload>>, _new: Option<&Rc<Workload>>) {}
    /// A disruption budget changed.
    fn budget(&self, _old: Option<&Rc<Budget>>, _new: Option<&Rc<Budget>>) {}
    /// A VolumeAttachment changed.
    fn attachment(&self, _volume: VolumeId, _node: NodeId) {}
    /// There is a claim now, or its volume is being made, or is made now.
    fn claim(&self, _volume: VolumeId) {}
    /// A volume whose claim is not bound yet was written.
    fn unbound_volume(&self) {}
    /// The ResourceSlices of a node changed.
    fn slices(&self, _old: Option<&Rc<ResourceSlices>>, _new: Option<&Rc<ResourceSlices>>) {}
    /// A DeviceTaintRule changed.
    fn rule(&self, _old: Option<&Rc<DeviceTaintRule>>, _new: Option<&Rc<DeviceTaintRule>>) {}
    /// A NodeReadinessRule changed.
    fn readiness_rule(&self, _: Option<&Rc<NodeReadinessRule>>, _: Option<&Rc<NodeReadinessRule>>) {
    }
    /// What the claims of that life of a pod have been allocated changed, or a claim that pods share, or both at once.
    fn allocation(&self, _: Uid, _new: Option<&Rc<Allocation>>, _: Option<&Rc<SharedClaim>>) {}
    /// A lease changed at `at`.
    fn lease(&self, _node: NodeId, _new: Option<&Lease>, _at: Time) {}
    /// A status post that was computed becomes known later than at `at`, when it was made; only
    /// heartbeats changed.
    fn heartbeat(&self, _old: &Rc<Node>, _new: &Rc<Node>, _at: Time) {}
    /// A node whose heartbeats were computed may no longer be quiet.
    fn stirred(&self) {}
    /// A node's heartbeats are about to be simulated after they were computed, or to come again.
    fn waking(&self, _node: NodeId) {}
}

/// The API server.
pub(crate) struct ApiServer {
    pub(super) ctx: Ctx,
    pub(super) keys: StoreKeys,
    pub(super) admission: Admission,
    pub(super) store: Shared<Store>,
    /// What happened so far, with the names of the run.
    pub(super) trace: Shared<Trace>,
    watchers: RefCell<Vec<(u32, Rc<dyn Watcher>)>>,
    next_watcher: Cell<u32>,
    pub(super) watches_held_up: Cell<Dur>,
    down: Cell<bool>,
    rejections: Rejections,
    changes: Cell<u64>,
    /// Says of the request that is being applied whether somebody else's write comes just before it.
    conflicts: RefCell<Option<Box<dyn FnOnce() -> bool>>>,
    /// The budget that an eviction in one step charged last, as it was before, and when; none once another
    /// was beside it.
    pub(super) charged: RefCell<Option<(Rc<Budget>, Time)>>,
    pub(super) heartbeats: RefCell<Option<Rc<dyn Heartbeats>>>,
}

impl ApiServer {
    /// An empty API server of a run whose trace this is; it holds names, and nothing else yet.
    pub(crate) fn new(ctx: &Ctx, admission: Admission, trace: Trace) -> Rc<Self> {
        Rc::new(ApiServer {
            ctx: ctx.clone(),
            keys: StoreKeys {
                nodes: ctx.keys("store-nodes"),
                pods: ctx.keys("store-pods"),
                leases: ctx.keys("store-leases"),
                workloads: ctx.keys("store-workloads"),
                budgets: ctx.keys("store-budgets"),
                events: ctx.keys("store-events"),
                volumes: ctx.keys("store-volumes"),
                slices: ctx.keys("store-slices"),
                rules: ctx.keys("store-rules"),
                allocations: ctx.keys("store-allocations"),
                readiness_rules: ctx.keys("store-readiness-rules"),
            },
            admission,
            store: Shared::new(Store::default()),
            trace: Shared::new(trace),
            watchers: RefCell::new(Vec::new()),
            next_watcher: Cell::new(0),
            watches_held_up: Cell::default(),
            down: Cell::new(false),
            rejections: Rejections::default(),
            changes: Cell::new(0),
            conflicts: RefCell::new(None),
            charged: RefCell::new(None),
            heartbeats: RefCell::new(None),
        })
    }

    /// Reports every change to `watcher` from now on; [`Self::unwatch`] takes the number.
    pub(crate) fn watch(&self, watcher: Rc<dyn Watcher>) -> u32 {
        let id = self.next_watcher.get();
        self.next_watcher.set(id + 1);
        self.watchers.borrow_mut().push((id, watcher));
        id
    }

    /// Takes a watcher off.
    pub(crate) fn unwatch(&self, id: u32) {
        self.watchers.borrow_mut().retain(|(i, _)| *i != id);
    }

    /// Makes the server stop answering, or answer again.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.set(down);
    }

    /// Whether requests that arrive now get no answer.
    pub(crate) fn is_down(&self) -> bool {
        self.down.get()
    }

    /// Whose requests are rejected.
    pub(crate) fn rejections(&self) -> &Rejections {
        &self.rejections
    }

    /// What asks of a request that holds for a version only whether another's write comes just before it, or nothing where
    /// that is not left to the choices.
    pub(crate) fn may_conflict(&self, asks: Option<Box<dyn FnOnce() -> bool>>) {
        *self.conflicts.borrow_mut() = asks;
    }

    /// Whether a write that holds for one version of an object is refused: another is stored, or, where that is left to the
    /// choices, somebody else writes the object just before, which is what `touch` does.
    pub(super) fn is_outdated(&self, read: u64, stored: u64, touch: impl FnOnce()) -> bool {
        if read != stored {
            return true;
        }
        let asks = self.conflicts.borrow_mut().take();
        let is_late = asks.is_some_and(|comes_between| comes_between());
        if is_late {
            touch();
        }
        is_late
    }

    /// The kernel's handle.
    pub(crate) fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// The present instant as the API stores it.
    pub(crate) fn timestamp(&self) -> Timestamp {
        stored(self.ctx.now())
    }

    /// A node, the version stored now.
    pub(crate) fn node(&self, id: NodeId) -> Option<Rc<Node>> {
        self.reads(self.keys.nodes, id.index());
        self.store.with(|s| s.nodes.get(id.index()).cloned().flatten())
    }

    /// A pod, the version stored now.
    pub(crate) fn pod(&self, id: PodId) -> Option<Rc<Pod>> {
        self.reads(self.keys.pods, id.index());
        self.store.with(|s| s.pods.get(id.index()).cloned().flatten())
    }

    /// A node's lease, the version stored now.
    pub(crate) fn lease(&self, id: NodeId) -> Option<Lease> {
        self.reads(self.keys.leases, id.index());
        self.store.with(|s| s.leases.get(id.index()).cloned().flatten())
    }

    /// A workload, the version stored now.
    pub(crate) fn workload(&self, id: WorkloadId) -> Option<Rc<Workload>> {
        self.reads(self.keys.workloads, id.index());
        self.store.with(|s| s.workloads.get(id.index()).cloned().flatten())
    }

    /// All workloads, by id.
    pub(crate) fn workloads(&self) -> Vec<Rc<Workload>> {
        self.ctx.reads(self.keys.workloads.of(ALL));
        self.store.with(|s| s.workloads.iter().flatten().cloned().collect())
    }

    /// All nodes, by id.
    pub(crate) fn nodes(&self) -> Vec<Rc<Node>> {
        self.ctx.reads(self.keys.nodes.of(ALL));
        self.store.with(|s| s.nodes.iter().flatten().cloned().collect())
    }

    /// All pods, by id.
    pub(crate) fn pods(&self) -> Vec<Rc<Pod>> {
        self.ctx.reads(self.keys.pods.of(ALL));
        self.store.with(|s| s.pods.iter().flatten().cloned().collect())
    }

    /// All leases, by node.
    pub(crate) fn leases(&self) -> Vec<Lease> {
        self.ctx.reads(self.keys.leases.of(ALL));
        self.store.with(|s| s.leases.iter().flatten().cloned().collect())
    }

    /// How often an object was changed; counted in searches only.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.get()
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> u32 {
        self.trace.with(|t| t.len() as u32)
    }

    /// Reads or extends the names of the run.
    pub(crate) fn names<R>(&self, f: impl FnOnce(&mut Names) -> R) -> R {
        self.trace.with(|t| f(&mut t.names))
    }

    /// Adds to what filters said in attempts to place pods.
    pub(crate) fn verdicts<R>(&self, f: impl FnOnce(&mut Verdicts) -> R) -> R {
        self.trace.with(|t| f(&mut t.verdicts))
    }

    /// Ends the run: hands out what was recorded. Watchers hold the server, so they are let go
    /// here.
    pub(crate) fn finish(&self, horizon: Time) -> Trace {
        self.watchers.borrow_mut().clear();
        *self.heartbeats.borrow_mut() = None;
        let mut trace = self.trace.with(std::mem::take);
        trace.horizon = horizon;
        trace
    }

    /// The running step reads an object.
    pub(super) fn reads(&self, keys: Keys, index: usize) {
        self.ctx.reads(one(keys, index));
    }

    /// The running step changes an object.
    pub(super) fn writes(&self, keys: Keys, index: usize) {
        if self.ctx.is_searching() {
            self.changes.set(self.changes.get() + 1);
            self.ctx.writes(keys.of(ALL));
            self.ctx.writes(one(keys, index));
        }
    }

    /// Takes an object out of its table.
    pub(super) fn take_out<T>(
        &self,
        keys: Keys,
        index: usize,
        of: impl FnOnce(&mut Store) -> &mut Table<T>,
    ) {
        self.writes(keys, index);
        self.store.with(|s| {
            s.next_version();
            of(s)[index] = None;
        });
    }

    /// Puts a version, or none, in the place of the old one, which is returned.
    pub(super) fn put_by_name<K: Ord, T: Clone>(
        &self,
        of: impl FnOnce(&mut Store) -> &mut BTreeMap<K, T>,
        name: K,
        new: &Option<T>,
    ) -> Option<T> {
        self.store.with(|s| {
            s.next_version();
            swap(of(s), name, new.clone())
        })
    }

    /// Runs `f` with a record as the cause of what follows, then restores the cause.
    pub(super) fn with_cause<R>(&self, record: RecordId, f: impl FnOnce() -> R) -> R {
        let before = self.ctx.cause();
        self.ctx.set_cause(record);
        let result = f();
        self.ctx.set_cause(before);
        result
    }

    pub(super) fn tell(&self, f: impl Fn(&dyn Watcher)) {
        for (_, w) in self.watchers.borrow().iter() {
            f(&**w);
        }
    }
}

/// An instant as the API stores it: without its fraction of a second.
pub(super) fn stored(t: Time) -> Timestamp {
    Timestamp(t.as_secs() as i64)
}

/// Until when requests are rejected.
#[derive(Default)]
pub(crate) struct Rejections {
    /// Whether any ever was.
    any: Cell<bool>,
    of_all: Cell<Time>,
    of_some: RefCell<BTreeMap<Actor, Time>>,
}

impl Rejections {
    /// Rejects the requests of these clients until then. A time that is shorter than one before it
    /// changes nothing.
    pub(crate) fn begin(&self, clients: &Clients, until: Time) {
        self.any.set(true);
        match clients {
            Clients::All => self.of_all.set(until.max(self.of_all.get())),
            Clients::Of(actors) => {
                let mut all = self.of_some.borrow_mut();
                for &actor in actors {
                    let now = all.entry(actor).or_default();
                    *now = until.max(*now);
                }
            }
        }
    }

    /// Whether requests of this client that arrive at `now` are rejected.
    pub(crate) fn concern(&self, owner: Actor, now: Time) -> bool {
        if !self.any.get() {
            return false;
        }
        let of_some = self.of_some.borrow();
        now < self.of_all.get() || of_some.get(&owner).is_some_and(|&until| now < until)
    }

    /// Until when everybody's requests are rejected, lists and watches among them.
    pub(crate) fn of_all_until(&self) -> Time {
        self.of_all.get()
    }
}

/// What is to be expected of a node's heartbeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Beat {
    /// Each one is simulated.
    Awake,
    /// They come as usual, and are computed.
    Asleep,
    /// None come.
    Silent,
}

/// Knows of heartbeats that are not simulated.
pub(crate) trait Heartbeats {
    /// What is to be expected of a node's heartbeats.
    fn beat(&self, node: NodeId) -> Beat;
    /// The latest renewal of a sleeping node's lease at or before `t`, if there was one since it
    /// fell asleep. Times asked for of one node may not go back by more than one renewal.
    fn last_renewal(&self, node: NodeId, t: Time) -> Option<Time>;
    /// The heartbeat of the latest status post of a sleeping node at or before `t`, if there was
    /// one since it fell asleep.
    fn last_post(&self, node: NodeId, t: Time) -> Option<Timestamp>;
    /// The latest two status posts of a sleeping node at or before `t` since it fell asleep, the
    /// earlier one first.
    fn last_posts(&self, node: NodeId, t: Time) -> [Option<Time>; 2];
    /// Whether those of healthy nodes are computed at present: not while a fault keeps all of them
    /// from arriving in time.
    fn are_computed(&self) -> bool;
    /// A node is read or written, or a pod of its own is: its heartbeats are simulated for a while.
    fn wake(&self, node: NodeId);
}

/// The version of a lease that was renewed then: newer ones are greater, and the same renewal has
/// the same version whether it was simulated or computed.
pub(crate) fn lease_version(renewed: Time) -> u64 {
    renewed.as_nanos() + 1
}

/// When a lease of that version was renewed.
pub(crate) fn lease_renewed(version: u64) -> Time {
    Time::from_nanos(version.saturating_sub(1))
}
