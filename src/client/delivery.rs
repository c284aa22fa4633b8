//! What reaches a process: a change goes into the caches, and then the handlers hear of it.

use super::factory::InformerFactory;
use super::stream::{Delivery, Delta, Due, Listeners, Stream};
use crate::client::prelude::*;
use crate::kernel::{replace, swap};

impl InformerFactory {
    /// Has something done for a stream at `at`.
    pub(super) fn deliver_at(&self, stream: &Stream, at: Time, class: Class, due: Due) {
        let delivery = Delivery { due, resource: stream.resource };
        self.ctx.post_at(at, class, self.deliveries, delivery);
    }

    /// Changes the cache and calls the handlers.
    pub(super) fn take(&self, delta: Delta, cause: u32) {
        self.ctx.set_cause(cause);
        self.wrote(&delta);
        let all = self.listeners.borrow();
        match delta {
            Delta::Node(new, id) => {
                let (at, put) = (id.index(), new.clone());
                let old = self.caches.with(|c| replace(Rc::make_mut(&mut c.nodes), at, put));
                self.distribute(Resource::Nodes, &all.nodes, &old, &new);
                self.stir();
            }
            Delta::Pod(new, id) => {
                if let Some(p) = &new {
                    self.note_delivered(Resource::Pods, p.resource_version);
                }
                let old = self.caches.with(|c| c.put_pod(id, new.as_ref()));
                self.distribute(Resource::Pods, &all.pods, &old, &new);
            }
            Delta::Workload(new, id) => {
                if let Some(w) = &new {
                    self.note_delivered(w.kind.into(), w.resource_version);
                }
                let old = self.caches.with(|c| c.put_workload(id, new.as_ref()));
                if let Some(w) = new.as_ref().or(old.as_ref()) {
                    let resource = Resource::from(w.kind);
                    self.distribute(resource, &all.workloads[resource as usize], &old, &new);
                }
            }
            Delta::Budget(new, id) => {
                let old = self.caches.with(|c| replace(&mut c.budgets, id.index(), new.clone()));
                self.distribute(Resource::Budgets, &all.budgets, &old, &new);
            }
            Delta::Slices(new, id) => {
                let old = self.caches.with(|c| swap(&mut c.slices, id, new.clone()));
                self.distribute(Resource::ResourceSlices, &all.slices, &old, &new);
            }
            Delta::Rule(new, id) => {
                let old = self.caches.with(|c| swap(&mut c.rules, id, new.clone()));
                self.distribute(Resource::DeviceTaintRules, &all.rules, &old, &new);
            }
            Delta::Claims(new, uid, claim) => {
                let old = self.caches.with(|c| {
                    c.claims.extend(claim.map(|claim| (claim.name.clone(), claim)));
                    swap(&mut c.allocations, uid, new.clone())
                });
                self.distribute(Resource::ResourceClaims, &all.claims, &old, &new);
            }
            Delta::ReadinessRule(new, id) => {
                let old = self.caches.with(|c| swap(&mut c.readiness_rules, id, new.clone()));
                self.distribute(Resource::NodeReadinessRules, &all.readiness_rules, &old, &new);
            }
            Delta::Lease(new, node) => {
                if let Some(l) = &new {
                    self.lease_version.set(l.resource_version.max(self.lease_version.get()));
                }
                self.caches.with(|c| replace(&mut c.leases, node.index(), new));
            }
        }
    }

    /// The running step changes a cache.
    pub(super) fn wrote(&self, delta: &Delta) {
        if !self.ctx.is_searching() {
            return;
        }
        let (resource, index) = match delta {
            Delta::Node(_, id) => (Resource::Nodes, id.index()),
            Delta::Pod(_, id) => (Resource::Pods, id.index()),
            Delta::Lease(_, id) => (Resource::Leases, id.index()),
            Delta::Workload(w, id) => {
                (w.as_ref().map_or(Resource::Deployments, |w| w.kind.into()), id.index())
            }
            Delta::Budget(_, id) => (Resource::Budgets, id.index()),
            Delta::Slices(_, id) => (Resource::ResourceSlices, id.index()),
            Delta::Rule(_, id) => (Resource::DeviceTaintRules, id.0 as usize),
            Delta::Claims(..) => (Resource::ResourceClaims, 0),
            Delta::ReadinessRule(..) => (Resource::NodeReadinessRules, 0),
        };
        let keys = self.cache_keys[resource as usize];
        self.ctx.writes(keys.of(0));
        self.ctx.writes(keys.of(index as u32 + 1));
    }

    /// Tells all that hear of such objects (`sharedProcessor.distribute`).
    fn distribute<T: 'static>(
        &self,
        resource: Resource,
        listeners: &Listeners<T>,
        old: &Option<Rc<T>>,
        new: &Option<Rc<T>>,
    ) {
        if !self.ctx.draws_turns() {
            for listener in listeners.iter() {
                self.ctx.at_home(listener.home);
                listener.handler.cached(old.as_ref(), new.as_ref());
                listener.handler.on_change(old.as_ref(), new.as_ref());
            }
            return;
        }
        let telling = self.streams[resource as usize].telling.clone();
        let untaken = Rc::new(Cell::new(listeners.iter().filter(|l| l.handler.listens()).count()));
        if untaken.get() > 0 {
            telling.begins();
        }
        for listener in listeners.iter() {
            self.ctx.at_home(listener.home);
            listener.handler.cached(old.as_ref(), new.as_ref());
            if !listener.handler.listens() {
                listener.handler.on_change(old.as_ref(), new.as_ref());
                continue;
            }
            let heard = (self.ctx.cause(), old.clone(), new.clone());
            let (untaken, telling) = (untaken.clone(), telling.clone());
            let deliveries = self.deliveries;
            listener.add(&self.ctx, self.group, heard, move |ctx| {
                untaken.set(untaken.get() - 1);
                if untaken.get() == 0 && telling.ends() {
                    let next = Delivery { due: Due::Delta, resource };
                    ctx.post_at(ctx.now(), Class::Delivery, deliveries, next);
                }
            });
        }
    }

    /// Remembers the newest version of a resource that has been delivered.
    fn note_delivered(&self, resource: Resource, version: u64) {
        let newest = &self.delivered[resource as usize];
        newest.set(version.max(newest.get()));
    }

    /// Calls those who asked for it with [`Self::on_stir`].
    pub(super) fn stir(&self) {
        for f in self.stirred.borrow().iter() {
            f();
        }
    }
}
