//! Informer caches (`client-go/tools/cache`): what a process of controllers knows of nodes, pods,
//! leases and workloads.
//!
//! A change reaches the cache and then the handlers a watch delay after it was stored, in order.
//! The factory of a process is shared by its controllers; a restart makes a new one that lists
//! first.
//!
//! Here is also how they fare whose API server goes and comes back.

use super::connection::{Ask, Rejecting};
use super::request::RETRY_AFTER;
use super::stream::{Delivery, Delta, Due, OnItsWay, Stream};
use super::{Hold, InformerFactory, InformerTiming, WatchLags};
use crate::apiserver::{Beat, Watcher, lease_version};
use crate::client::prelude::*;
use crate::kernel::Handler;
use crate::plan::WatchCache;
use crate::trace::NO_RECORD;

/// Does what is due for streams.
struct Deliver {
    factory: std::rc::Weak<InformerFactory>,
    process: u32,
}

impl Handler for Deliver {
    type Argument = Delivery;

    fn handle(&self, Delivery { due, resource }: Delivery) {
        if let Some(f) = self.factory.upgrade() {
            match due {
                Due::Delta => f.deliver(resource),
                Due::List => f.relist(resource),
            }
        }
    }

    fn name(&self, delivery: Delivery) -> Name {
        Name::of("watch", Keys::NOTHING).about(delivery.resource.watch_hash(self.process)).stream()
    }
}

/// Takes changes from the API server; weak, so that a process that died is forgotten.
struct Tap(std::rc::Weak<InformerFactory>);

impl Tap {
    /// Sends a change of an object on its way, of which either version tells what it is.
    fn send<T>(&self, either: Option<&Rc<T>>, change: impl FnOnce(&T) -> (Resource, Delta)) {
        if let (Some(f), Some(either)) = (self.0.upgrade(), either) {
            let (resource, delta) = change(either);
            f.send(resource, f.ctx.now(), delta);
        }
    }
}

impl Watcher for Tap {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        self.send(new.or(old), |n| (Resource::Nodes, Delta::Node(new.cloned(), n.id)));
    }

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        self.send(new.or(old), |p| (Resource::Pods, Delta::Pod(new.cloned(), p.id)));
    }

    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        self.send(new.or(old), |w| (w.kind.into(), Delta::Workload(new.cloned(), w.id)));
    }

    fn budget(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>) {
        self.send(new.or(old), |b| (Resource::Budgets, Delta::Budget(new.cloned(), b.id)));
    }

    fn slices(&self, old: Option<&Rc<ResourceSlices>>, new: Option<&Rc<ResourceSlices>>) {
        self.send(new.or(old), |s| (Resource::ResourceSlices, Delta::Slices(new.cloned(), s.node)));
    }

    fn rule(&self, old: Option<&Rc<DeviceTaintRule>>, new: Option<&Rc<DeviceTaintRule>>) {
        self.send(new.or(old), |r| (Resource::DeviceTaintRules, Delta::Rule(new.cloned(), r.name)));
    }

    fn readiness_rule(
        &self,
        old: Option<&Rc<NodeReadinessRule>>,
        new: Option<&Rc<NodeReadinessRule>>,
    ) {
        self.send(new.or(old), |r| {
            (Resource::NodeReadinessRules, Delta::ReadinessRule(new.cloned(), r.name))
        });
    }

    fn allocation(&self, uid: Uid, new: Option<&Rc<Allocation>>, claim: Option<&Rc<SharedClaim>>) {
        if let Some(f) = self.0.upgrade() {
            let delta = Delta::Claims(new.cloned(), uid, claim.cloned());
            f.send(Resource::ResourceClaims, f.ctx.now(), delta);
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
                let known = c.nodes.get(new.id.index()).and_then(Option::as_ref);
                if known.is_some_and(|n| Rc::ptr_eq(n, old)) {
                    Rc::make_mut(&mut c.nodes)[new.id.index()] = Some(new.clone());
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
    pub(crate) fn new(
        api: &Rc<ApiServer>,
        group: Group,
        timing: InformerTiming,
        lags: &Rc<WatchLags>,
        hold: Hold,
    ) -> Rc<Self> {
        Rc::new_cyclic(|me| {
            let deliver = Deliver { factory: me.clone(), process: timing.process };
            let deliveries = api.ctx().register(Rc::new(deliver));
            Self::delivered_by(deliveries, api, group, timing, lags, hold)
        })
    }

    /// LISTs every resource, fills the caches, calls the handlers for what is there, and watches
    /// from then on (`Reflector.ListAndWatch`). Ends when the caches are filled.
    pub(crate) async fn start(self: &Rc<Self>) {
        self.ctx.sleep(self.timing.request).await;
        self.lists_are_taken().await;
        // Heartbeats that were computed up to now are in the list.
        if let Some(heartbeats) = &self.heartbeats {
            for n in self.api.nodes().iter().filter(|n| heartbeats.beat(n.id) == Beat::Asleep) {
                heartbeats.wake(n.id);
            }
        }
        // From here on the server's changes are this process's to see: they come after the list.
        self.watcher.set(Some(self.api.watch(Rc::new(Tap(Rc::downgrade(self))))));
        let leases = self.api.leases();
        let (workloads, budgets) = (self.listed_workloads(), self.listed_budgets());
        let (slices, rules, claims) = (self.api.slices(), self.api.rules(), self.api.allocations());
        let (shared, readiness_rules) = (self.api.shared_claims(), self.api.readiness_rules());
        self.listed_at.set(self.ctx.now());
        let round_trip = self.timing.request + self.timing.response;
        self.opened.set(self.ctx.now() + self.timing.response + round_trip);
        let (nodes, pods) = self.first_lists();
        self.ctx.sleep(self.timing.response).await;
        self.take_all(nodes, |n| (Delta::Node(Some(n.clone()), n.id), n.record));
        self.take_all(pods, |p| (Delta::Pod(Some(p.clone()), p.id), p.record));
        self.take_all(leases, |l| (Delta::Lease(Some(l.clone()), l.node), NO_RECORD));
        self.take_all(workloads, |w| (Delta::Workload(Some(w.clone()), w.id), w.record));
        self.take_all(budgets, |b| (Delta::Budget(Some(b.clone()), b.id), NO_RECORD));
        self.take_all(slices, |s| (Delta::Slices(Some(s.clone()), s.node), NO_RECORD));
        self.take_all(rules, |r| (Delta::Rule(Some(r.clone()), r.name), NO_RECORD));
        self.take_all(readiness_rules, |r| {
            (Delta::ReadinessRule(Some(r.clone()), r.name), NO_RECORD)
        });
        let alone = |c: &Rc<SharedClaim>| Delta::Claims(None, Uid::default(), Some(c.clone()));
        self.take_all(shared, |c| (alone(c), NO_RECORD));
        self.take_all(claims, |a| (Delta::Claims(Some(a.clone()), a.uid, None), NO_RECORD));
        self.lease_version.set(lease_version(self.listed_at.get()));
    }

    /// Takes what was listed, each with the record that is its cause.
    fn take_all<T>(&self, listed: Vec<T>, delta: impl Fn(&T) -> (Delta, u32)) {
        for (delta, record) in listed.iter().map(delta) {
            self.take(delta, record);
        }
    }

    /// Stops watching.
    pub(crate) fn stop(&self) {
        for keys in self.cache_keys {
            self.ctx.writes(keys.of(0));
        }
        if let Some(id) = self.watcher.take() {
            self.api.unwatch(id);
        }
        self.stirred.borrow_mut().clear();
        self.waking.borrow_mut().clear();
        self.listeners.take();
    }

    fn send(&self, resource: Resource, made: Time, delta: Delta) {
        let stream = &self.streams[resource as usize];
        if stream.is_broken.get() {
            return;
        }
        let now = self.ctx.now();
        self.ctx.reads(self.lags_key);
        let trouble = self.lags.of(resource);
        let cause = self.ctx.cause();
        let quiet = made == now
            && trouble.lag.is_zero()
            && trouble.stalled_until <= now
            && self.opened.get() <= now;
        if quiet && stream.last.get() <= now && self.timing.watch.is_constant() {
            let due = now + self.timing.watch.min;
            stream.deltas.with(|d| d.push_back(OnItsWay { made, due, handed: 0, cause, delta }));
            let next = Delivery { due: Due::Delta, resource };
            return self.ctx.post_in(self.watch_lane, self.deliveries, next);
        }
        let at = (self.arrives(resource, made) + trouble.lag).max(now);
        if made < now && at == now {
            // It has arrived already: nobody has looked since.
            self.take(delta, cause);
            return;
        }
        // A heartbeat that was computed is reported late, and still comes before what was made
        // after it.
        let (place, count) =
            stream.deltas.with(|d| (d.partition_point(|other| other.made <= made), d.len()));
        let at = if place < count { at } else { at.max(stream.last.get()) };
        stream.last.set(at.max(stream.last.get()));
        let change = OnItsWay { made, due: at, handed: 0, cause, delta };
        stream.deltas.with(|d| d.insert(place, change));
        self.deliver_at(stream, at, Class::Delivery, Due::Delta);
    }

    /// Takes the next delta of a stream, unless the stream is stalled just now.
    fn deliver(&self, resource: Resource) {
        let stream = &self.streams[resource as usize];
        let now = self.ctx.now();
        if self.is_handed_on(stream)
            || stream.telling.keeps_waiting()
            || self.others_come_first(stream)
            || self.watch_is_refused(stream)
        {
            return;
        }
        self.trouble(stream);
        let until = self.lags.of(resource).stalled_until.max(stream.held_until.get());
        if until > now {
            stream.last.set(until);
            self.deliver_at(stream, until, Class::Delivery, Due::Delta);
            return;
        }
        for _ in 0..1 + u32::from(self.next_comes_along(stream)) {
            if let Some(next) = stream.deltas.with(|d| d.pop_front()) {
                self.take(next.delta, next.cause);
            }
        }
        if self.next_is_there(stream) && !stream.telling.keeps_waiting() {
            self.deliver_at(stream, now, Class::Delivery, Due::Delta);
        }
    }

    /// The API server goes: all watches end, and are refused from now on.
    pub(crate) fn server_gone(&self) {
        self.gone_since.set(Some(self.ctx.now()));
        self.when_closed.borrow().iter().for_each(|f| f());
    }

    /// Calls that when the server closes its connections: of a watch that nobody asks for again.
    pub(crate) fn when_closed(&self, f: Rc<dyn Fn()>) {
        self.when_closed.borrow_mut().push(f);
    }

    /// The API server is back; when the last of the watches is. What was changed meanwhile comes with
    /// the watch, or where the server has forgotten, with a list.
    pub(crate) fn server_back(&self, cache: WatchCache) -> Time {
        let now = self.ctx.now();
        let Some(gone) = self.gone_since.take() else { return now };
        if !self.timing.reconnects || self.watcher.get().is_none() {
            return now;
        }
        let back = self.watched().map(|resource| self.watch_is_back(resource, (gone, now), cache));
        back.max().unwrap_or(now)
    }

    /// The connection leads nowhere, and is found dead at `at`: all watches end then, and list anew
    /// after their pause; when the last of them has.
    pub(crate) fn server_lost(&self, at: Time) -> Time {
        if self.watcher.get().is_none() {
            return at;
        }
        let list = |resource| {
            let lists = self.failed_at(resource, at);
            self.lists_anew(resource, lists);
            lists
        };
        self.watched().map(list).max().unwrap_or(at)
    }

    /// The watch of a resource, or each, ends: it begins anew where it was, or where the server has
    /// forgotten that, with a list after a pause. When the last of them has.
    pub(crate) fn watches_end(&self, of: Option<Resource>, cache: WatchCache) -> Time {
        let now = self.ctx.now();
        if self.watcher.get().is_none() || self.gone_since.get().is_some() {
            return now;
        }
        if of.is_none() {
            self.when_closed.borrow().iter().for_each(|f| f());
        }
        let ended = self.watched().filter(|resource| of.is_none_or(|of| of == *resource));
        let back = ended.map(|resource| self.watch_is_back(resource, (now, now), cache));
        back.max().unwrap_or(now)
    }

    /// Whether the watch of a resource delivers at present.
    pub(crate) fn is_watching(&self, resource: Resource) -> bool {
        let stream = &self.streams[resource as usize];
        self.gone_since.get().is_none()
            && !stream.is_broken.get()
            && stream.held_until.get() <= self.ctx.now()
    }

    /// A resource's reflector failed at `at`, and lists: when that is taken.
    fn failed_at(&self, resource: Resource, at: Time) -> Time {
        let (jitter, rejecting) = (self.jitter(resource), self.rejecting());
        self.reflectors.with(|all| {
            let reflector = &mut all[resource as usize];
            reflector.lost(at, &jitter);
            reflector.watches_again((at, at), false, &rejecting, &jitter).0
        })
    }

    /// A new process lists everything: waits until that is not rejected. All reflectors try at one
    /// time; of those that gave up the slowest counts.
    async fn lists_are_taken(&self) {
        let rejecting = self.rejecting();
        if self.ctx.now() >= rejecting.until {
            return;
        }
        let given_up = self.ctx.now() + rejecting.every * u64::from(rejecting.lists);
        while self.ctx.now() < given_up {
            self.ctx.sleep(rejecting.every).await;
            if self.ctx.now() >= self.api.rejections().of_all_until() {
                return;
            }
        }
        let listed = Resource::ALL.into_iter().filter(|resource| self.is_listed(*resource));
        let lists = listed.map(|resource| self.failed_at(resource, given_up));
        self.ctx.sleep_until(lists.max().unwrap_or(given_up)).await;
    }

    /// Whether a controller of the process has an informer of a resource. Node lifecycle has one of DaemonSets, too.
    fn is_listed(&self, resource: Resource) -> bool {
        let all = self.listeners.borrow();
        match resource {
            Resource::Nodes | Resource::Pods | Resource::Leases | Resource::DaemonSets => true,
            Resource::Budgets => !all.budgets.is_empty(),
            Resource::ResourceSlices => !all.slices.is_empty(),
            Resource::DeviceTaintRules => !all.rules.is_empty(),
            Resource::ResourceClaims => !all.claims.is_empty(),
            Resource::NodeReadinessRules => !all.readiness_rules.is_empty(),
            Resource::Deployments
            | Resource::ReplicaSets
            | Resource::StatefulSets
            | Resource::Jobs => all.workloads.iter().any(|l| !l.is_empty()),
        }
    }

    /// All that has a watch: devices and readiness rules only where somebody hears of them.
    fn watched(&self) -> impl Iterator<Item = Resource> + '_ {
        use Resource::{DeviceTaintRules, NodeReadinessRules, ResourceClaims, ResourceSlices};
        const RARE: [Resource; 4] =
            [ResourceSlices, DeviceTaintRules, ResourceClaims, NodeReadinessRules];
        let is_rare = |r: &Resource| RARE.contains(r);
        Resource::ALL.into_iter().filter(move |r| !is_rare(r) || self.is_listed(*r))
    }

    /// How lists and watches are rejected at present.
    fn rejecting(&self) -> Rejecting {
        let (lists, watches) = self.timing.retries;
        let until = self.api.rejections().of_all_until();
        let every = RETRY_AFTER + self.timing.request + self.timing.response;
        Rejecting { until, every, lists, watches: if watches { lists } else { 0 } }
    }

    /// How pauses of a resource's reflector are drawn.
    fn jitter(&self, resource: Resource) -> impl Fn(u32, Dur) -> Dur + '_ {
        let object = self.object_of(resource);
        move |_, least| {
            let point = self.ctx.point("reflector-back-off");
            Dur::from_nanos(self.ctx.uniform(point, object, 0, least.as_nanos()))
        }
    }

    /// Whether the next delta of a watch was made when the API server was gone: it waits until the
    /// watch is back.
    fn watch_is_refused(&self, stream: &Stream) -> bool {
        let Some(gone) = self.gone_since.get().filter(|_| self.timing.reconnects) else {
            return false;
        };
        let next = stream.deltas.with(|d| d.front().map(|d| d.made));
        let refused = next.is_some_and(|made| made > gone);
        if refused {
            stream.parked.set(stream.parked.get() + 1);
        }
        refused
    }

    /// Nothing is delivered any more before a list at that time.
    fn lists_anew(&self, resource: Resource, at: Time) {
        let stream = &self.streams[resource as usize];
        stream.is_broken.set(true);
        stream.deltas.with(VecDeque::clear);
        stream.parked.set(0);
        self.deliver_at(stream, at, Class::Delivery, Due::List);
    }

    fn watch_is_back(&self, resource: Resource, outage: (Time, Time), cache: WatchCache) -> Time {
        let (jitter, rejecting) = (self.jitter(resource), self.rejecting());
        let (back, ask) = self.reflectors.with(|all| {
            let reflector = &mut all[resource as usize];
            reflector.closed(outage.0);
            reflector.watches_again(outage, cache == WatchCache::Lost, &rejecting, &jitter)
        });
        if ask == Ask::List {
            self.lists_anew(resource, back);
        } else {
            let stream = &self.streams[resource as usize];
            stream.held_until.set(back.max(stream.held_until.get()));
            for _ in 0..stream.parked.take() {
                stream.last.set(back.max(stream.last.get()));
                self.deliver_at(stream, back, Class::Delivery, Due::Delta);
            }
        }
        back
    }
}
