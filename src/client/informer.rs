//! Informer caches (`client-go/tools/cache`): what a process of controllers knows of nodes, pods,
//! leases and workloads.
//!
//! A change reaches the cache and then the handlers a watch delay after it was stored, in order.
//! The factory of a process is shared by its controllers; a restart makes a new one that lists
//! first.

use super::cache_keys::CacheKeys;
use super::resource::{Resource, WatchLags};
use super::watch_trouble::{Hold, TroublePoints};
use crate::api::budget::Budget;
use crate::api::lease::Lease;
use crate::api::names::{NodeId, PodId, WorkloadId, stable_hash};
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::api::workload::Workload;
use crate::apiserver::{ApiServer, Beat, Heartbeats, Watcher, lease_version};
use crate::kernel::{
    Class, Ctx, Dur, Handler, HandlerId, Key, Keys, Lane, Name, Object, PointId, Shared, Time,
};
use crate::plan::Delay;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Is told of changes of nodes, in the cache's order. An add has no old version, a deletion no new
/// one.
pub trait NodeHandler {
    /// A node changed in the cache.
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>);
}

/// Is told of changes of pods, in the cache's order. An add has no old version, a deletion no new
/// one.
pub trait PodHandler {
    /// A pod changed in the cache.
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>);
}

/// Is told of changes of workloads of every kind, in the order of each kind's cache. An add has no
/// old version, a deletion no new one.
pub trait WorkloadHandler {
    /// A workload changed in the cache.
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>);
}

/// Is told of changes of disruption budgets, in the cache's order. An add has no old version, a
/// deletion no new one.
pub trait BudgetHandler {
    /// A budget changed in the cache.
    fn budget(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>);
}

/// How long watches take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InformerTiming {
    /// From sending LIST to its being served.
    pub request: Dur,
    /// From serving LIST to its reply.
    pub response: Dur,
    /// From a change to its delivery.
    pub watch: Delay,
}

/// From one draw of a watch's delay to the next, at least.
const SLICE: Dur = Dur::from_millis(100);

pub(super) enum Delta {
    Node(Option<Rc<Node>>, NodeId),
    Pod(Option<Rc<Pod>>, PodId),
    Lease(Option<Lease>, NodeId),
    Workload(Option<Rc<Workload>>, WorkloadId),
    Budget(Option<Rc<Budget>>, WorkloadId),
}

/// A change on its way: when it was made, and its cause.
pub(super) struct OnItsWay {
    made: Time,
    cause: u32,
    delta: Delta,
}

/// One watch: deltas on their way, in order.
pub(super) struct Stream {
    pub(super) resource: Resource,
    pub(super) deltas: Shared<VecDeque<OnItsWay>>,
    last: Cell<Time>,
    /// It is held back until then.
    pub(super) held_until: Cell<Time>,
    /// It broke, and has not listed again.
    pub(super) is_broken: Cell<bool>,
    /// When it delivered last, and whether others look after each change of that instant.
    pub(super) delivered: Cell<(Option<Time>, bool)>,
}

#[derive(Default)]
pub(super) struct Caches {
    pub(super) nodes: Vec<Option<Rc<Node>>>,
    pub(super) pods: Vec<Option<Rc<Pod>>>,
    pub(super) pods_by_node: Vec<Vec<PodId>>,
    /// Sorted.
    pub(super) pods_by_owner: Vec<Vec<PodId>>,
    pub(super) workloads: Vec<Option<Rc<Workload>>>,
    pub(super) workloads_by_owner: Vec<BTreeSet<WorkloadId>>,
    /// Sorted; by the kind's watch.
    pub(super) workloads_by_kind: [Vec<WorkloadId>; Resource::COUNT],
    /// Workloads that came or went, or whose life, owner or replicas changed, one after the other.
    pub(super) rescaled: Vec<WorkloadId>,
    pub(super) budgets: Vec<Option<Rc<Budget>>>,
    pub(super) leases: Vec<Option<Lease>>,
}

/// Handlers, each with the home of its steps in a search.
type Handlers<H> = RefCell<Vec<(Option<Key>, Rc<H>)>>;

/// Is told of a node.
pub type OnWaking = Rc<dyn Fn(NodeId)>;

/// The shared informers of one process.
pub struct InformerFactory {
    pub(super) ctx: Ctx,
    pub(super) api: Rc<ApiServer>,
    timing: InformerTiming,
    lags: Rc<WatchLags>,
    pub(super) streams: [Stream; Resource::COUNT],
    /// Handler of deliveries.
    deliveries: Cell<Option<HandlerId>>,
    pub(super) caches: Shared<Caches>,
    node_handlers: Handlers<dyn NodeHandler>,
    pod_handlers: Handlers<dyn PodHandler>,
    workload_handlers: Handlers<dyn WorkloadHandler>,
    budget_handlers: Handlers<dyn BudgetHandler>,
    pub(super) keys: CacheKeys,
    watch_point: PointId,
    watch_lane: Lane,
    opened: Cell<Time>,
    pub(super) lease_version: Cell<u64>,
    pub(super) delivered: [Cell<u64>; Resource::COUNT],
    listed_at: Cell<Time>,
    /// The latest visible time of each resource, and the instant at which it was found.
    seen: [Cell<(Time, Time)>; Resource::COUNT],
    pub(super) heartbeats: Option<Rc<dyn Heartbeats>>,
    stirred: RefCell<Vec<Rc<dyn Fn()>>>,
    waking: RefCell<Vec<OnWaking>>,
    pub(super) watcher: Cell<Option<u32>>,
    pub(super) hold: Hold,
    pub(super) trouble_points: TroublePoints,
}

/// What is due for a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Its next delta.
    Delta,
    /// The list after it broke.
    List,
}

impl Due {
    fn pack(self, resource: Resource) -> u64 {
        resource as u64 * 2 + u64::from(self == Due::List)
    }

    fn unpack(arg: u64) -> (Self, Resource) {
        (
            if arg % 2 == 1 { Due::List } else { Due::Delta },
            Resource::ALL[(arg / 2) as usize],
        )
    }
}

/// Does what is due for streams.
struct Deliver(std::rc::Weak<InformerFactory>);

impl Handler for Deliver {
    fn handle(&self, arg: u64) {
        if let Some(f) = self.0.upgrade() {
            match Due::unpack(arg) {
                (Due::Delta, resource) => f.deliver(resource),
                (Due::List, resource) => f.relist(resource),
            }
        }
    }

    fn name(&self, arg: u64) -> Name {
        Name::of("watch", Keys::NOTHING)
            .about(stable_hash(Due::unpack(arg).1.name()))
            .stream()
    }
}

/// Takes changes from the API server; weak, so that a process that died is forgotten.
struct Tap(std::rc::Weak<InformerFactory>);

impl Watcher for Tap {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(
                Resource::Nodes,
                f.ctx.now(),
                Delta::Node(new.cloned(), o.id),
            );
        }
    }

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::Pods, f.ctx.now(), Delta::Pod(new.cloned(), o.id));
        }
    }

    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(
                o.kind.into(),
                f.ctx.now(),
                Delta::Workload(new.cloned(), o.id),
            );
        }
    }

    fn budget(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(
                Resource::Budgets,
                f.ctx.now(),
                Delta::Budget(new.cloned(), o.id),
            );
        }
    }

    fn lease(&self, node: NodeId, new: Option<&Lease>, at: Time) {
        if let Some(f) = self.0.upgrade() {
            f.send(Resource::Leases, at, Delta::Lease(new.cloned(), node));
        }
    }

    fn heartbeat(&self, old: &Rc<Node>, new: &Rc<Node>, at: Time) {
        let Some(f) = self.0.upgrade() else { return };
        if f.arrives(Resource::Nodes, at) > f.ctx.now() {
            f.send(Resource::Nodes, at, Delta::Node(Some(new.clone()), new.id));
        } else {
            f.caches.with(|c| {
                if c.nodes
                    .get(new.id.index())
                    .and_then(Option::as_ref)
                    .is_some_and(|n| Rc::ptr_eq(n, old))
                {
                    c.nodes[new.id.index()] = Some(new.clone());
                }
            });
        }
    }

    fn stirred(&self) {
        if let Some(f) = self.0.upgrade() {
            f.stir();
        }
    }

    fn waking(&self, node: NodeId) {
        if let Some(f) = self.0.upgrade() {
            for w in f.waking.borrow().iter() {
                w(node);
            }
        }
    }
}

impl InformerFactory {
    /// Informers that have not started.
    pub fn new(
        api: &Rc<ApiServer>,
        timing: InformerTiming,
        lags: &Rc<WatchLags>,
        hold: Hold,
    ) -> Rc<Self> {
        let ctx = api.ctx().clone();
        let stream = |resource| Stream {
            resource,
            deltas: Shared::new(VecDeque::new()),
            last: Cell::new(Time::ZERO),
            held_until: Cell::new(Time::ZERO),
            is_broken: Cell::new(false),
            delivered: Cell::new((None, false)),
        };
        let factory = Rc::new(InformerFactory {
            watch_point: ctx.point("watch-latency"),
            hold,
            trouble_points: TroublePoints::new(&ctx),
            watch_lane: ctx.lane(timing.watch.min, Class::Delivery),
            api: api.clone(),
            timing,
            lags: lags.clone(),
            streams: Resource::ALL.map(stream),
            deliveries: Cell::new(None),
            caches: Shared::new(Caches::default()),
            node_handlers: RefCell::new(Vec::new()),
            pod_handlers: RefCell::new(Vec::new()),
            workload_handlers: RefCell::new(Vec::new()),
            budget_handlers: RefCell::new(Vec::new()),
            keys: CacheKeys::new(&ctx),
            opened: Cell::new(Time::ZERO),
            lease_version: Cell::new(0),
            delivered: Default::default(),
            listed_at: Cell::new(Time::ZERO),
            seen: Default::default(),
            heartbeats: api.heartbeats(),
            stirred: RefCell::new(Vec::new()),
            waking: RefCell::new(Vec::new()),
            watcher: Cell::new(None),
            ctx,
        });
        factory.deliveries.set(Some(
            factory
                .ctx
                .register(Rc::new(Deliver(Rc::downgrade(&factory)))),
        ));
        factory
    }

    /// Adds a handler of nodes.
    pub fn on_node(&self, handler: Rc<dyn NodeHandler>) {
        self.node_handlers
            .borrow_mut()
            .push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of pods.
    pub fn on_pod(&self, handler: Rc<dyn PodHandler>) {
        self.pod_handlers
            .borrow_mut()
            .push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of workloads.
    pub fn on_workload(&self, handler: Rc<dyn WorkloadHandler>) {
        self.workload_handlers
            .borrow_mut()
            .push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of disruption budgets.
    pub fn on_budget(&self, handler: Rc<dyn BudgetHandler>) {
        self.budget_handlers
            .borrow_mut()
            .push((self.ctx.name().home_key(), handler));
    }

    /// LISTs every resource, fills the caches, tells the handlers of what is there, and watches
    /// from then on (`Reflector.ListAndWatch`). Ends when the caches are filled.
    pub async fn start(self: &Rc<Self>) {
        self.ctx.sleep(self.timing.request).await;
        // Heartbeats that were computed up to now are in the list.
        if let Some(heartbeats) = &self.heartbeats {
            self.api
                .nodes()
                .iter()
                .filter(|n| heartbeats.beat(n.id) == Beat::Asleep)
                .for_each(|n| heartbeats.wake(n.id));
        }
        // From here on the server's changes are this process's to see: they come after the list.
        self.watcher
            .set(Some(self.api.watch(Rc::new(Tap(Rc::downgrade(self))))));
        let (mut nodes, pods, leases) = (self.api.nodes(), self.api.pods(), self.api.leases());
        // A list comes in the order of the keys in etcd. Of nodes it shows: the scheduler takes
        // them as they come.
        self.api
            .names(|n| nodes.sort_by(|a, b| n.node_name(a.id).cmp(n.node_name(b.id))));
        let (workloads, budgets) = (self.api.workloads(), self.api.budgets());
        self.listed_at.set(self.ctx.now());
        let round_trip = self.timing.request + self.timing.response;
        self.opened
            .set(self.ctx.now() + self.timing.response + round_trip);
        self.ctx.sleep(self.timing.response).await;
        for n in nodes {
            self.take(Delta::Node(Some(n.clone()), n.id), n.record);
        }
        for p in pods {
            self.take(Delta::Pod(Some(p.clone()), p.id), p.record);
        }
        for l in leases {
            self.take(Delta::Lease(Some(l.clone()), l.node), u32::MAX);
        }
        for w in workloads {
            self.take(Delta::Workload(Some(w.clone()), w.id), w.record);
        }
        for b in budgets {
            self.take(Delta::Budget(Some(b.clone()), b.id), u32::MAX);
        }
        self.lease_version.set(lease_version(self.listed_at.get()));
    }

    /// Stops watching.
    pub fn stop(&self) {
        for keys in self.keys.by_resource {
            self.ctx.writes(keys.of(0));
        }
        if let Some(id) = self.watcher.take() {
            self.api.unwatch(id);
        }
        self.stirred.borrow_mut().clear();
        self.waking.borrow_mut().clear();
        self.node_handlers.borrow_mut().clear();
        self.pod_handlers.borrow_mut().clear();
        self.workload_handlers.borrow_mut().clear();
        self.budget_handlers.borrow_mut().clear();
    }

    /// When a change that was made at `at` reaches the caches, faults aside.
    pub(super) fn arrives(&self, resource: Resource, at: Time) -> Time {
        (at + self.delay_at(resource, at)).max(self.opened.get())
    }

    /// The delay of a watch wanders: it is drawn for each slice of time and goes evenly from one to
    /// the next, so that changes keep their order and the delay of one does not hang on which
    /// others there are.
    fn delay_at(&self, resource: Resource, at: Time) -> Dur {
        let watch = self.timing.watch;
        if watch.is_constant() {
            return watch.min;
        }
        // No delay falls faster than time goes on: what was made later does not come sooner.
        let length = SLICE.max(watch.max.saturating_sub(watch.min)).as_nanos();
        let (slice, within) = (at.as_nanos() / length, at.as_nanos() % length);
        let object = Object {
            id: resource as u32,
            hash: resource as u64,
        };
        let draw = |slice: u64| {
            self.ctx.uniform_at(
                self.watch_point,
                object,
                slice as u32,
                watch.min.as_nanos(),
                watch.max.as_nanos(),
            ) as i128
        };
        let (from, to) = (draw(slice), draw(slice + 1));
        let delay = from + (to - from) * i128::from(within) / i128::from(length);
        Dur::from_nanos(delay as u64)
    }

    /// The latest time whose changes have reached the caches by now, faults aside.
    pub(super) fn visible(&self, resource: Resource) -> Time {
        self.visible_at(resource, self.ctx.now())
    }

    pub(super) fn visible_at(&self, resource: Resource, now: Time) -> Time {
        if now < self.opened.get() {
            return self.listed_at.get();
        }
        let watch = self.timing.watch;
        if watch.is_constant() {
            return now.saturating_sub(watch.min).max(self.listed_at.get());
        }
        let (known_at, known) = self.seen[resource as usize].get();
        if known_at == now && known != Time::ZERO {
            return known;
        }
        // Arrivals keep the order of changes, so the latest visible one is found by halving.
        let (mut low, mut high) = (
            now.saturating_sub(watch.max).as_nanos(),
            now.saturating_sub(watch.min).as_nanos(),
        );
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let t = Time::from_nanos(middle);
            if t + self.delay_at(resource, t) <= now {
                low = middle
            } else {
                high = middle - 1
            }
        }
        let visible = Time::from_nanos(low).max(self.listed_at.get());
        self.seen[resource as usize].set((now, visible));
        visible
    }

    fn send(&self, resource: Resource, made: Time, delta: Delta) {
        let stream = &self.streams[resource as usize];
        if stream.is_broken.get() {
            return;
        }
        let now = self.ctx.now();
        self.ctx.reads(self.keys.lags);
        let trouble = self.lags.of(resource);
        let cause = self.ctx.cause();
        let quiet = made == now
            && trouble.lag.is_zero()
            && trouble.stalled_until <= now
            && self.opened.get() <= now;
        if quiet && stream.last.get() <= now && self.timing.watch.is_constant() {
            stream
                .deltas
                .with(|d| d.push_back(OnItsWay { made, cause, delta }));
            if let Some(handler) = self.deliveries.get() {
                self.ctx
                    .post_in(self.watch_lane, handler, Due::Delta.pack(resource));
            }
            return;
        }
        let at = (self.arrives(resource, made) + trouble.lag).max(now);
        if made < now && at == now {
            // It has arrived already: nobody has looked since.
            self.take(delta, cause);
            return;
        }
        // A heartbeat that was computed is told late, and comes before what was made after it all
        // the same.
        let (place, count) = stream
            .deltas
            .with(|d| (d.partition_point(|other| other.made <= made), d.len()));
        let at = if place < count {
            at
        } else {
            at.max(stream.last.get())
        };
        stream.last.set(at.max(stream.last.get()));
        stream
            .deltas
            .with(|d| d.insert(place, OnItsWay { made, cause, delta }));
        self.deliver_at(stream, at, Class::Delivery, Due::Delta);
    }

    /// Something is due for a stream then.
    pub(super) fn deliver_at(&self, stream: &Stream, at: Time, class: Class, due: Due) {
        if let Some(handler) = self.deliveries.get() {
            self.ctx
                .post_at(at, class, handler, due.pack(stream.resource));
        }
    }

    /// Takes the next delta of a stream, unless the stream is stalled just now.
    fn deliver(&self, resource: Resource) {
        let stream = &self.streams[resource as usize];
        let now = self.ctx.now();
        if self.others_come_first(stream) {
            return;
        }
        self.trouble(stream);
        let until = self
            .lags
            .of(resource)
            .stalled_until
            .max(stream.held_until.get());
        if until > now {
            stream.last.set(until);
            self.deliver_at(stream, until, Class::Delivery, Due::Delta);
            return;
        }
        if let Some(next) = stream.deltas.with(|d| d.pop_front()) {
            self.take(next.delta, next.cause);
        }
    }

    /// Changes the cache and tells the handlers.
    pub(super) fn take(&self, delta: Delta, cause: u32) {
        self.ctx.set_cause(cause);
        self.wrote(&delta);
        let delivered = |resource: Resource, version: u64| {
            let newest = &self.delivered[resource as usize];
            newest.set(version.max(newest.get()));
        };
        match &delta {
            Delta::Pod(Some(p), _) => delivered(Resource::Pods, p.resource_version),
            Delta::Workload(Some(w), _) => delivered(w.kind.into(), w.resource_version),
            _ => {}
        }
        match delta {
            Delta::Node(new, id) => {
                let old = self
                    .caches
                    .with(|c| replace(&mut c.nodes, id.index(), new.clone()));
                for (home, h) in self.node_handlers.borrow().iter() {
                    self.ctx.at_home(*home);
                    h.node(old.as_ref(), new.as_ref());
                }
                self.stir();
            }
            Delta::Pod(new, id) => {
                let old = self.caches.with(|c| {
                    let old = replace(&mut c.pods, id.index(), new.clone());
                    let (was, is) = (
                        old.as_ref().and_then(|p| p.node),
                        new.as_ref().and_then(|p| p.node),
                    );
                    if was != is {
                        if let Some(n) = was {
                            c.pods_by_node[n.index()].retain(|p| *p != id);
                        }
                        if let Some(n) = is {
                            list(&mut c.pods_by_node, n.index()).push(id);
                        }
                    }
                    let owner = |p: &Option<Rc<Pod>>| {
                        p.as_ref()
                            .and_then(|p| p.controller())
                            .map(|(owner, _)| owner.index())
                    };
                    let same = old
                        .as_ref()
                        .zip(new.as_ref())
                        .is_some_and(|(o, n)| Rc::ptr_eq(&o.template, &n.template));
                    let (was, is) = if same {
                        (None, None)
                    } else {
                        (owner(&old), owner(&new))
                    };
                    if was != is {
                        if let Some(w) = was {
                            let pods = &mut c.pods_by_owner[w];
                            pods.binary_search(&id).map(|at| pods.remove(at)).ok();
                        }
                        if let Some(w) = is {
                            // Nearly always at the end.
                            let pods = list(&mut c.pods_by_owner, w);
                            pods.insert(pods.partition_point(|p| *p < id), id);
                        }
                    }
                    old
                });
                for (home, h) in self.pod_handlers.borrow().iter() {
                    self.ctx.at_home(*home);
                    h.pod(old.as_ref(), new.as_ref());
                }
            }
            Delta::Workload(new, id) => {
                let old = self.caches.with(|c| {
                    let old = replace(&mut c.workloads, id.index(), new.clone());
                    let scale = |w: &Rc<Workload>| (w.uid, w.owner, w.replicas());
                    if old.as_ref().map(scale) != new.as_ref().map(scale) {
                        c.rescaled.push(id);
                    }
                    let kind = |w: &Option<Rc<Workload>>| {
                        w.as_ref().map(|w| Resource::from(w.kind) as usize)
                    };
                    let (was, is) = (kind(&old), kind(&new));
                    if was != is {
                        if let Some(ids) = was.map(|kind| &mut c.workloads_by_kind[kind]) {
                            ids.binary_search(&id).map(|at| ids.remove(at)).ok();
                        }
                        if let Some(ids) = is.map(|kind| &mut c.workloads_by_kind[kind]) {
                            // Nearly always at the end.
                            ids.insert(ids.partition_point(|w| *w < id), id);
                        }
                    }
                    let owner = |w: &Option<Rc<Workload>>| {
                        w.as_ref()
                            .and_then(|w| w.owner)
                            .map(|(owner, _)| owner.index())
                    };
                    let (was, is) = (owner(&old), owner(&new));
                    if was != is {
                        was.map(|w| c.workloads_by_owner[w].remove(&id));
                        is.map(|w| list(&mut c.workloads_by_owner, w).insert(id));
                    }
                    old
                });
                for (home, h) in self.workload_handlers.borrow().iter() {
                    self.ctx.at_home(*home);
                    h.workload(old.as_ref(), new.as_ref());
                }
            }
            Delta::Budget(new, id) => {
                let old = self
                    .caches
                    .with(|c| replace(&mut c.budgets, id.index(), new.clone()));
                for (home, h) in self.budget_handlers.borrow().iter() {
                    self.ctx.at_home(*home);
                    h.budget(old.as_ref(), new.as_ref());
                }
            }
            Delta::Lease(new, node) => {
                if let Some(l) = &new {
                    self.lease_version
                        .set(l.resource_version.max(self.lease_version.get()));
                }
                self.caches
                    .with(|c| replace(&mut c.leases, node.index(), new));
            }
        }
    }

    /// Calls `f` when something may come of a node that was quiet, or anything reaches the caches
    /// of nodes.
    pub fn on_stir(&self, f: Rc<dyn Fn()>) {
        self.stirred.borrow_mut().push(f);
    }

    /// Calls `f` when something else is about to be expected of a node's heartbeats than before
    /// (see [`Self::beat`]).
    pub fn on_waking(&self, f: OnWaking) {
        self.waking.borrow_mut().push(f);
    }

    fn stir(&self) {
        for f in self.stirred.borrow().iter() {
            f();
        }
    }
}

/// The entry of an index, empty if it is new.
fn list<T: Clone + Default>(index: &mut Vec<T>, at: usize) -> &mut T {
    if index.len() <= at {
        index.resize(at + 1, T::default());
    }
    &mut index[at]
}

/// Puts a version, or none, in the place of the old one.
fn replace<T: Clone>(table: &mut Vec<Option<T>>, index: usize, new: Option<T>) -> Option<T> {
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    std::mem::replace(&mut table[index], new)
}
