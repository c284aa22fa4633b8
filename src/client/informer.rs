//! Informer caches (`client-go/tools/cache`): what a process of controllers knows of nodes, pods,
//! leases and workloads.
//!
//! A change reaches the cache and then the handlers a watch delay after it was stored, in order.
//! The factory of a process is shared by its controllers; a restart makes a new one that lists
//! first.

use super::factory::{InformerFactory, InformerTiming};
use super::stream::{Delivery, Delta, Due, OnItsWay};
use super::watch_lags::{Hold, WatchLags};
use crate::api::readiness::NodeReadinessRule;
use crate::apiserver::{Beat, Watcher, lease_version};
use crate::client::prelude::*;
use crate::kernel::Handler;

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
        let hash = delivery.resource.watch_hash(self.process);
        Name::of("watch", Keys::NOTHING).about(hash).stream()
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

    fn budget(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::Budgets, f.ctx.now(), Delta::Budget(new.cloned(), o.id));
        }
    }

    fn slices(&self, old: Option<&Rc<ResourceSlices>>, new: Option<&Rc<ResourceSlices>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::ResourceSlices, f.ctx.now(), Delta::Slices(new.cloned(), o.node));
        }
    }

    fn rule(&self, old: Option<&Rc<DeviceTaintRule>>, new: Option<&Rc<DeviceTaintRule>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::DeviceTaintRules, f.ctx.now(), Delta::Rule(new.cloned(), o.name));
        }
    }

    fn readiness_rule(
        &self,
        old: Option<&Rc<NodeReadinessRule>>,
        new: Option<&Rc<NodeReadinessRule>>,
    ) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            let delta = Delta::ReadinessRule(new.cloned(), o.name);
            f.send(Resource::NodeReadinessRules, f.ctx.now(), delta);
        }
    }

    fn allocation(&self, old: Option<&Rc<Allocation>>, new: Option<&Rc<Allocation>>) {
        if let (Some(f), Some(o)) = (self.0.upgrade(), new.or(old)) {
            f.send(Resource::ResourceClaims, f.ctx.now(), Delta::Claims(new.cloned(), o.uid));
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
        let factory = Self::without_deliveries(api, group, timing, lags, hold);
        let deliver = Deliver { factory: Rc::downgrade(&factory), process: timing.process };
        factory.deliveries.set(Some(factory.ctx.register(Rc::new(deliver))));
        factory
    }

    /// LISTs every resource, fills the caches, calls the handlers for what is there, and watches
    /// from then on (`Reflector.ListAndWatch`). Ends when the caches are filled.
    pub(crate) async fn start(self: &Rc<Self>) {
        self.ctx.sleep(self.timing.request).await;
        self.lists_are_taken().await;
        // Heartbeats that were computed up to now are in the list.
        if let Some(heartbeats) = &self.heartbeats {
            self.api
                .nodes()
                .iter()
                .filter(|n| heartbeats.beat(n.id) == Beat::Asleep)
                .for_each(|n| heartbeats.wake(n.id));
        }
        // From here on the server's changes are this process's to see: they come after the list.
        self.watcher.set(Some(self.api.watch(Rc::new(Tap(Rc::downgrade(self))))));
        let leases = self.api.leases();
        let (workloads, budgets) = (self.listed_workloads(), self.listed_budgets());
        let (slices, rules, claims) = (self.api.slices(), self.api.rules(), self.api.allocations());
        let readiness_rules = self.api.readiness_rules();
        self.listed_at.set(self.ctx.now());
        let round_trip = self.timing.request + self.timing.response;
        self.opened.set(self.ctx.now() + self.timing.response + round_trip);
        let (nodes, pods) = self.first_lists();
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
        for s in slices {
            self.take(Delta::Slices(Some(s.clone()), s.node), u32::MAX);
        }
        for r in rules {
            self.take(Delta::Rule(Some(r.clone()), r.name), u32::MAX);
        }
        for r in readiness_rules {
            self.take(Delta::ReadinessRule(Some(r.clone()), r.name), u32::MAX);
        }
        for a in claims {
            self.take(Delta::Claims(Some(a.clone()), a.uid), u32::MAX);
        }
        self.lease_version.set(lease_version(self.listed_at.get()));
    }

    /// Stops watching.
    pub(crate) fn stop(&self) {
        for keys in self.keys.by_resource {
            self.ctx.writes(keys.of(0));
        }
        if let Some(id) = self.watcher.take() {
            self.api.unwatch(id);
        }
        self.stirred.borrow_mut().clear();
        self.waking.borrow_mut().clear();
        self.node_listeners.borrow_mut().clear();
        self.pod_listeners.borrow_mut().clear();
        self.workload_listeners.iter().for_each(|of_kind| of_kind.borrow_mut().clear());
        self.budget_listeners.borrow_mut().clear();
        self.slice_listeners.borrow_mut().clear();
        self.rule_listeners.borrow_mut().clear();
        self.claim_listeners.borrow_mut().clear();
        self.readiness_rule_listeners.borrow_mut().clear();
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
            stream.deltas.with(|d| {
                d.push_back(OnItsWay {
                    made,
                    due: now + self.timing.watch.min,
                    handed: 0,
                    cause,
                    delta,
                })
            });
            if let Some(handler) = self.deliveries.get() {
                self.ctx.post_in(self.watch_lane, handler, Delivery { due: Due::Delta, resource });
            }
            return;
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
        stream
            .deltas
            .with(|d| d.insert(place, OnItsWay { made, due: at, handed: 0, cause, delta }));
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
        let comes_along = self.next_comes_along(stream);
        for _ in 0..if comes_along { 2 } else { 1 } {
            if let Some(next) = stream.deltas.with(|d| d.pop_front()) {
                self.take(next.delta, next.cause);
            }
        }
        if self.next_is_there(stream) && !stream.telling.keeps_waiting() {
            self.deliver_at(stream, now, Class::Delivery, Due::Delta);
        }
    }
}
