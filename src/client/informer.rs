//! Informer caches (`client-go/tools/cache`): what a process of controllers knows of nodes, pods, leases and workloads.
//!
//! A change reaches the cache and then the handlers a watch delay after it was stored, in order. The factory of a process
//! is shared by its controllers; a restart makes a new one that lists first.

use super::cache_keys::CacheKeys;
use super::delay::Delay;
use super::resource::{Resource, WatchLags};
use super::watch_trouble::{Hold, RELIST, TroublePoints};
use crate::api::budget::Budget;
use crate::api::lease::Lease;
use crate::api::meta::{Timestamp, Uid};
use crate::api::names::{NodeId, PodId, WorkloadId, stable_hash};
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::api::workload::{Workload, WorkloadKind};
use crate::apiserver::{ApiServer, Beat, Heartbeats, Watcher, lease_version};
use crate::kernel::{Class, Ctx, Dur, Handler, HandlerId, Key, Keys, Lane, Name, Object, PointId, Shared, Time};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Is told of changes of nodes, in the cache's order. An add has no old version, a deletion no new one.
pub trait NodeHandler {
    /// A node changed in the cache.
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>);
}

/// Is told of changes of pods, in the cache's order. An add has no old version, a deletion no new one.
pub trait PodHandler {
    /// A pod changed in the cache.
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>);
}

/// Is told of changes of workloads of every kind, in the order of each kind's cache. An add has no old version, a deletion no
/// new one.
pub trait WorkloadHandler {
    /// A workload changed in the cache.
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>);
}

/// Is told of new versions of disruption budgets; these are never deleted.
pub trait BudgetHandler {
    /// A budget changed in the cache.
    fn budget(&self, new: &Rc<Budget>);
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

/// For how long a drawn watch delay stands.
const SLICE: Dur = Dur::from_millis(100);

pub(super) enum Delta {
    Node(Option<Rc<Node>>, NodeId),
    Pod(Option<Rc<Pod>>, PodId),
    Lease(Option<Lease>, NodeId),
    Workload(Option<Rc<Workload>>, WorkloadId),
    Budget(Rc<Budget>),
}

/// One watch: deltas on their way, in order.
pub(super) struct Stream {
    pub(super) resource: Resource,
    pub(super) deltas: Shared<VecDeque<(u32, Delta)>>,
    last: Cell<Time>,
    pub(super) handler: Cell<Option<HandlerId>>,
    /// It is held back until then.
    pub(super) held_until: Cell<Time>,
    /// It broke, and has not listed again.
    pub(super) is_broken: Cell<bool>,
    /// When it delivered last, and whether others look after each change of that instant.
    pub(super) delivered: Cell<(Option<Time>, bool)>,
}

#[derive(Default)]
pub(super) struct Caches {
    nodes: Vec<Option<Rc<Node>>>,
    pods: Vec<Option<Rc<Pod>>>,
    pods_by_node: Vec<Vec<PodId>>,
    /// Sorted.
    pods_by_owner: Vec<Vec<PodId>>,
    pub(super) workloads: Vec<Option<Rc<Workload>>>,
    workloads_by_owner: Vec<BTreeSet<WorkloadId>>,
    budgets: Vec<Option<Rc<Budget>>>,
    leases: Vec<Option<Lease>>,
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
    pub(super) streams: [Rc<Stream>; Resource::COUNT],
    pub(super) caches: Shared<Caches>,
    node_handlers: Handlers<dyn NodeHandler>,
    pod_handlers: Handlers<dyn PodHandler>,
    workload_handlers: Handlers<dyn WorkloadHandler>,
    budget_handlers: Handlers<dyn BudgetHandler>,
    pub(super) keys: CacheKeys,
    watch_point: PointId,
    watch_lane: Lane,
    opened: Cell<Time>,
    lease_version: Cell<u64>,
    delivered: [Cell<u64>; Resource::COUNT],
    listed_at: Cell<Time>,
    /// The latest visible time of each resource, and the instant at which it was found.
    seen: [Cell<(Time, Time)>; Resource::COUNT],
    heartbeats: Option<Rc<dyn Heartbeats>>,
    stirred: RefCell<Vec<Rc<dyn Fn()>>>,
    waking: RefCell<Vec<OnWaking>>,
    pub(super) watcher: Cell<Option<u32>>,
    pub(super) hold: Hold,
    pub(super) trouble_points: TroublePoints,
}

/// Takes the deltas of one stream that are due.
struct Deliver(Resource, std::rc::Weak<InformerFactory>);

impl Handler for Deliver {
    fn handle(&self, arg: u64) {
        if let Some(f) = self.1.upgrade() {
            if arg == RELIST { f.relist(self.0) } else { f.deliver(self.0) }
        }
    }

    fn name(&self, _: u64) -> Name {
        Name::of("watch", Keys::NOTHING).about(stable_hash(self.0.name())).stream()
    }
}

/// Takes changes from the API server; weak, so that a process that died is forgotten.
struct Tap(std::rc::Weak<InformerFactory>);

impl Watcher for Tap {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::Nodes, f.ctx.now(), Delta::Node(new.cloned(), o.id));
        }
    }

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::Pods, f.ctx.now(), Delta::Pod(new.cloned(), o.id));
        }
    }

    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(o.kind.into(), f.ctx.now(), Delta::Workload(new.cloned(), o.id));
        }
    }

    fn budget(&self, new: &Rc<Budget>) {
        if let Some(f) = self.0.upgrade() {
            f.send(Resource::Budgets, f.ctx.now(), Delta::Budget(new.clone()));
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
                if c.nodes.get(new.id.index()).and_then(Option::as_ref).is_some_and(|n| Rc::ptr_eq(n, old)) {
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
    pub fn new(api: &Rc<ApiServer>, timing: InformerTiming, lags: &Rc<WatchLags>, hold: Hold) -> Rc<Self> {
        let ctx = api.ctx().clone();
        let stream = |resource| {
            Rc::new(Stream {
                resource,
                deltas: Shared::new(VecDeque::new()),
                last: Cell::new(Time::ZERO),
                handler: Cell::new(None),
                held_until: Cell::new(Time::ZERO),
                is_broken: Cell::new(false),
                delivered: Cell::new((None, false)),
            })
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
        for s in &factory.streams {
            s.handler.set(Some(factory.ctx.register(Rc::new(Deliver(s.resource, Rc::downgrade(&factory))))));
        }
        factory
    }

    /// Adds a handler of nodes.
    pub fn on_node(&self, handler: Rc<dyn NodeHandler>) {
        self.node_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of pods.
    pub fn on_pod(&self, handler: Rc<dyn PodHandler>) {
        self.pod_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of workloads.
    pub fn on_workload(&self, handler: Rc<dyn WorkloadHandler>) {
        self.workload_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of disruption budgets.
    pub fn on_budget(&self, handler: Rc<dyn BudgetHandler>) {
        self.budget_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// LISTs every resource, fills the caches, tells the handlers of what is there, and watches from then on
    /// (`Reflector.ListAndWatch`). Ends when the caches are filled.
    pub async fn start(self: &Rc<Self>) {
        self.ctx.sleep(self.timing.request).await;
        // From here on the server's changes are this process's to see: they come after the list.
        self.watcher.set(Some(self.api.watch(Rc::new(Tap(Rc::downgrade(self))))));
        let (mut nodes, pods, leases) = (self.api.nodes(), self.api.pods(), self.api.leases());
        // A list comes in the order of the keys in etcd. Of nodes it shows: the scheduler takes them as they come.
        self.api.names(|n| nodes.sort_by(|a, b| n.node_name(a.id).cmp(n.node_name(b.id))));
        let (workloads, budgets) = (self.api.workloads(), self.api.budgets());
        self.listed_at.set(self.ctx.now());
        let round_trip = self.timing.request + self.timing.response;
        self.opened.set(self.ctx.now() + self.timing.response + round_trip);
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
            self.take(Delta::Budget(b), u32::MAX);
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
    fn arrives(&self, resource: Resource, at: Time) -> Time {
        (at + self.delay_at(resource, at)).max(self.opened.get())
    }

    /// The delay of a watch wanders: it is drawn for each slice of time and goes evenly from one to the next, so that changes
    /// keep their order and the delay of one does not hang on which others there are.
    fn delay_at(&self, resource: Resource, at: Time) -> Dur {
        let watch = self.timing.watch;
        if watch.is_constant() {
            return watch.min;
        }
        let (slice, within) = (at.as_nanos() / SLICE.as_nanos(), at.as_nanos() % SLICE.as_nanos());
        let object = Object { id: resource as u32, hash: resource as u64 };
        let draw =
            |slice: u64| self.ctx.uniform_at(self.watch_point, object, slice as u32, watch.min.as_nanos(), watch.max.as_nanos()) as i128;
        let (from, to) = (draw(slice), draw(slice + 1));
        let delay = from + (to - from) * i128::from(within) / i128::from(SLICE.as_nanos());
        Dur::from_nanos(delay as u64)
    }

    /// The latest time whose changes have reached the caches by now, faults aside.
    fn visible(&self, resource: Resource) -> Time {
        self.visible_at(resource, self.ctx.now())
    }

    fn visible_at(&self, resource: Resource, now: Time) -> Time {
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
        let (mut low, mut high) = (now.saturating_sub(watch.max).as_nanos(), now.saturating_sub(watch.min).as_nanos());
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let t = Time::from_nanos(middle);
            if t + self.delay_at(resource, t) <= now { low = middle } else { high = middle - 1 }
        }
        let visible = Time::from_nanos(low).max(self.listed_at.get());
        self.seen[resource as usize].set((now, visible));
        visible
    }

    fn send(&self, resource: Resource, made: Time, delta: Delta) {
        let stream = &self.streams[resource as usize];
        let Some(handler) = stream.handler.get() else { return };
        if stream.is_broken.get() {
            return;
        }
        let now = self.ctx.now();
        self.ctx.reads(self.keys.lags);
        let trouble = self.lags.of(resource);
        let cause = self.ctx.cause();
        let quiet = made == now && trouble.lag.is_zero() && trouble.stalled_until <= now && self.opened.get() <= now;
        if quiet && stream.last.get() <= now && self.timing.watch.is_constant() {
            stream.deltas.with(|d| d.push_back((cause, delta)));
            self.ctx.post_in(self.watch_lane, handler, 0);
            return;
        }
        let at = (self.arrives(resource, made) + trouble.lag).max(now);
        if made < now && at == now {
            // It has arrived already: nobody has looked since.
            self.take(delta, cause);
            return;
        }
        let at = at.max(stream.last.get());
        stream.last.set(at);
        stream.deltas.with(|d| d.push_back((cause, delta)));
        self.ctx.post_at(at, Class::Delivery, handler, 0);
    }

    /// Takes the next delta of a stream, unless the stream is stalled just now.
    fn deliver(&self, resource: Resource) {
        let stream = &self.streams[resource as usize];
        let now = self.ctx.now();
        if self.others_come_first(stream) {
            return;
        }
        self.trouble(stream);
        let until = self.lags.of(resource).stalled_until.max(stream.held_until.get());
        if until > now {
            stream.last.set(until);
            if let Some(handler) = stream.handler.get() {
                self.ctx.post_at(until, Class::Delivery, handler, 0);
            }
            return;
        }
        if let Some((cause, delta)) = stream.deltas.with(|d| d.pop_front()) {
            self.take(delta, cause);
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
                let old = self.caches.with(|c| replace(&mut c.nodes, id.index(), new.clone()));
                for (home, h) in self.node_handlers.borrow().iter() {
                    self.ctx.at_home(*home);
                    h.node(old.as_ref(), new.as_ref());
                }
                self.stir();
            }
            Delta::Pod(new, id) => {
                let old = self.caches.with(|c| {
                    let old = replace(&mut c.pods, id.index(), new.clone());
                    let (was, is) = (old.as_ref().and_then(|p| p.node), new.as_ref().and_then(|p| p.node));
                    if was != is {
                        if let Some(n) = was {
                            c.pods_by_node[n.index()].retain(|p| *p != id);
                        }
                        if let Some(n) = is {
                            list(&mut c.pods_by_node, n.index()).push(id);
                        }
                    }
                    let owner = |p: &Option<Rc<Pod>>| p.as_ref().and_then(|p| p.controller()).map(|(owner, _)| owner.index());
                    let same = old.as_ref().zip(new.as_ref()).is_some_and(|(o, n)| Rc::ptr_eq(&o.template, &n.template));
                    let (was, is) = if same { (None, None) } else { (owner(&old), owner(&new)) };
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
                    let owner = |w: &Option<Rc<Workload>>| w.as_ref().and_then(|w| w.owner).map(|(owner, _)| owner.index());
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
            Delta::Budget(new) => {
                self.caches.with(|c| replace(&mut c.budgets, new.id.index(), Some(new.clone())));
                for (home, h) in self.budget_handlers.borrow().iter() {
                    self.ctx.at_home(*home);
                    h.budget(&new);
                }
            }
            Delta::Lease(new, node) => {
                if let Some(l) = &new {
                    self.lease_version.set(l.resource_version.max(self.lease_version.get()));
                }
                self.caches.with(|c| replace(&mut c.leases, node.index(), new));
            }
        }
    }

    /// A node as the cache has it.
    pub fn node(&self, id: NodeId) -> Option<Rc<Node>> {
        self.reads(Resource::Nodes, id.index());
        self.caches.with(|c| c.nodes.get(id.index()).cloned().flatten())
    }

    /// Whether the cache has a node.
    pub fn has_node(&self, id: NodeId) -> bool {
        self.reads(Resource::Nodes, id.index());
        self.caches.with(|c| c.nodes.get(id.index()).is_some_and(Option::is_some))
    }

    /// A pod as the cache has it.
    pub fn pod(&self, id: PodId) -> Option<Rc<Pod>> {
        self.reads(Resource::Pods, id.index());
        self.caches.with(|c| c.pods.get(id.index()).cloned().flatten())
    }

    /// A node's lease as the cache has it: renewTime in microseconds, and resourceVersion.
    pub fn lease(&self, id: NodeId) -> Option<(i64, u64)> {
        self.reads(Resource::Leases, id.index());
        self.ctx.reads(self.keys.kubelets);
        if let Some(h) = &self.heartbeats
            && h.beat(id) == Beat::Asleep
            && let Some(t) = h.last_renewal(id, self.visible(Resource::Leases))
        {
            return Some(((t.as_nanos() / 1_000) as i64, lease_version(t)));
        }
        self.caches.with(|c| c.leases.get(id.index()).and_then(Option::as_ref).map(|l| (l.renew_time_us, l.resource_version)))
    }

    /// The heartbeat of a node's Ready condition as the cache has it.
    pub fn heartbeat(&self, node: &Node) -> Option<Timestamp> {
        let cached = node.ready()?.last_heartbeat_time;
        self.ctx.reads(self.keys.kubelets);
        if let Some(h) = &self.heartbeats
            && h.beat(node.id) == Beat::Asleep
        {
            return Some(h.last_post(node.id, self.visible(Resource::Nodes)).unwrap_or(cached));
        }
        Some(cached)
    }

    /// What is to be expected of a node's heartbeats.
    pub fn beat(&self, id: NodeId) -> Beat {
        self.ctx.reads(self.keys.kubelets);
        self.heartbeats.as_ref().map_or(Beat::Awake, |h| h.beat(id))
    }

    /// Whether heartbeats of healthy nodes are computed at present.
    pub fn heartbeats_are_computed(&self) -> bool {
        self.ctx.reads(self.keys.kubelets);
        self.heartbeats.as_ref().is_some_and(|h| h.are_computed())
    }

    /// The latest renewal of a node's lease that had reached the caches by `at`, where heartbeats are computed.
    pub fn renewal_seen(&self, id: NodeId, at: Time) -> Option<Time> {
        self.heartbeats.as_ref()?.last_renewal(id, self.visible_at(Resource::Leases, at))
    }

    /// The heartbeat of the latest status post that had reached the caches by `at`, where heartbeats are computed.
    pub fn post_seen(&self, id: NodeId, at: Time) -> Option<Timestamp> {
        self.heartbeats.as_ref()?.last_post(id, self.visible_at(Resource::Nodes, at))
    }

    /// When a renewal that was made then reaches the caches.
    pub fn renewal_arrives(&self, made: Time) -> Time {
        self.arrives(Resource::Leases, made)
    }

    /// Calls `f` when something may come of a node that was quiet, or anything reaches the caches of nodes.
    pub fn on_stir(&self, f: Rc<dyn Fn()>) {
        self.stirred.borrow_mut().push(f);
    }

    /// Calls `f` when something else is about to be expected of a node's heartbeats than before (see [`Self::beat`]).
    pub fn on_waking(&self, f: OnWaking) {
        self.waking.borrow_mut().push(f);
    }

    fn stir(&self) {
        for f in self.stirred.borrow().iter() {
            f();
        }
    }

    /// The newest resourceVersion that the lease cache has seen (`LastStoreSyncResourceVersion`).
    pub fn lease_version(&self) -> u64 {
        if self.heartbeats_are_computed() {
            return self.lease_version.get().max(lease_version(self.visible(Resource::Leases)));
        }
        self.lease_version.get()
    }

    /// The newest version of a pod or workload of this kind that has reached the cache (`LastStoreSyncResourceVersion`, but for
    /// deletions).
    pub fn delivered(&self, resource: Resource) -> u64 {
        self.reads_all(resource);
        self.delivered[resource as usize].get()
    }

    /// All nodes in the cache, by id; upstream's lister has no order.
    pub fn nodes(&self) -> Vec<Rc<Node>> {
        self.reads_all(Resource::Nodes);
        self.caches.with(|c| c.nodes.iter().flatten().cloned().collect())
    }

    /// The pods of a node in the cache, in the order in which they came; upstream's index has no order.
    pub fn pods_on(&self, node: NodeId) -> Vec<Rc<Pod>> {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| match c.pods_by_node.get(node.index()) {
            Some(ids) => ids.iter().filter_map(|id| c.pods[id.index()].clone()).collect(),
            None => Vec::new(),
        })
    }

    /// The pods of a workload in the cache, by id; those of an earlier life of it included.
    pub fn pods_of(&self, owner: WorkloadId) -> Vec<Rc<Pod>> {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| match c.pods_by_owner.get(owner.index()) {
            Some(ids) => ids.iter().filter_map(|id| c.pods[id.index()].clone()).collect(),
            None => Vec::new(),
        })
    }

    /// All pods in the cache, by id; upstream's lister has no order.
    pub fn pods(&self) -> Vec<Rc<Pod>> {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| c.pods.iter().flatten().cloned().collect())
    }

    /// A workload as the cache has it.
    pub fn workload(&self, id: WorkloadId) -> Option<Rc<Workload>> {
        self.reads_workloads();
        self.caches.with(|c| c.workloads.get(id.index()).cloned().flatten())
    }

    /// All workloads of a kind in the cache, by id.
    pub fn workloads(&self, kind: WorkloadKind) -> Vec<Rc<Workload>> {
        self.reads_all(kind.into());
        self.caches.with(|c| c.workloads.iter().flatten().filter(|w| w.kind == kind).cloned().collect())
    }

    /// The workloads that one life of a workload owns, ReplicaSets of a Deployment, by id.
    pub fn workloads_of(&self, owner: (WorkloadId, Uid)) -> Vec<Rc<Workload>> {
        self.reads_workloads();
        self.caches.with(|c| match c.workloads_by_owner.get(owner.0.index()) {
            Some(ids) => ids.iter().filter_map(|id| c.workloads[id.index()].clone()).filter(|w| w.owner == Some(owner)).collect(),
            None => Vec::new(),
        })
    }

    /// A disruption budget as the cache has it.
    pub fn budget(&self, id: WorkloadId) -> Option<Rc<Budget>> {
        self.reads(Resource::Budgets, id.index());
        self.caches.with(|c| c.budgets.get(id.index()).cloned().flatten())
    }

    /// All disruption budgets in the cache, by id.
    pub fn budgets(&self) -> Vec<Rc<Budget>> {
        self.reads_all(Resource::Budgets);
        self.caches.with(|c| c.budgets.iter().flatten().cloned().collect())
    }

    /// Whether any pod of the cache is on a node.
    pub fn has_pods_on(&self, node: NodeId) -> bool {
        self.reads_all(Resource::Pods);
        self.caches.with(|c| c.pods_by_node.get(node.index()).is_some_and(|ids| !ids.is_empty()))
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
