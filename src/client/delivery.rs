//! What reaches a process: a change goes into the caches, and then the handlers hear of it.

use super::factory::InformerFactory;
use super::stream::{Delivery, Delta, Due, Listeners, Stream};
use crate::client::prelude::*;
use crate::kernel::{replace, swap};

impl InformerFactory {
    /// Has something done for a stream at `at`.
    pub(super) fn deliver_at(&self, stream: &Stream, at: Time, class: Class, due: Due) {
        if let Some(handler) = self.deliveries.get() {
            self.ctx.post_at(at, class, handler, Delivery { due, resource: stream.resource });
        }
    }

    /// Changes the cache and calls the handlers.
    pub(super) fn take(&self, delta: Delta, cause: u32) {
        self.ctx.set_cause(cause);
        self.wrote(&delta);
        match delta {
            Delta::Node(new, id) => {
                let (at, put) = (id.index(), new.clone());
                let old = self.caches.with(|c| replace(Rc::make_mut(&mut c.nodes), at, put));
                self.distribute(Resource::Nodes, &self.node_listeners, old.as_ref(), new.as_ref());
                self.stir();
            }
            Delta::Pod(new, id) => self.take_pod(new, id),
            Delta::Workload(new, id) => self.take_workload(new, id),
            Delta::Budget(new, id) => {
                let old = self.caches.with(|c| replace(&mut c.budgets, id.index(), new.clone()));
                let (resource, all) = (Resource::Budgets, &self.budget_listeners);
                self.distribute(resource, all, old.as_ref(), new.as_ref());
            }
            Delta::Slices(new, id) => {
                let old = self.caches.with(|c| swap(&mut c.slices, id, new.clone()));
                let (resource, all) = (Resource::ResourceSlices, &self.slice_listeners);
                self.distribute(resource, all, old.as_ref(), new.as_ref());
            }
            Delta::Rule(new, id) => {
                let old = self.caches.with(|c| swap(&mut c.rules, id, new.clone()));
                let (resource, all) = (Resource::DeviceTaintRules, &self.rule_listeners);
                self.distribute(resource, all, old.as_ref(), new.as_ref());
            }
            Delta::Claims(new, uid, claim) => {
                let old = self.caches.with(|c| {
                    c.claims.extend(claim.map(|claim| (claim.name.clone(), claim)));
                    swap(&mut c.allocations, uid, new.clone())
                });
                let (resource, all) = (Resource::ResourceClaims, &self.claim_listeners);
                self.distribute(resource, all, old.as_ref(), new.as_ref());
            }
            Delta::ReadinessRule(new, id) => {
                let old = self.caches.with(|c| swap(&mut c.readiness_rules, id, new.clone()));
                let all = &self.readiness_rule_listeners;
                self.distribute(Resource::NodeReadinessRules, all, old.as_ref(), new.as_ref());
            }
            Delta::Lease(new, node) => {
                if let Some(l) = &new {
                    self.lease_version.set(l.resource_version.max(self.lease_version.get()));
                }
                self.caches.with(|c| replace(&mut c.leases, node.index(), new));
            }
        }
    }

    fn take_pod(&self, new: Option<Rc<Pod>>, id: PodId) {
        if let Some(p) = &new {
            self.note_delivered(Resource::Pods, p.resource_version);
        }
        let old = self.caches.with(|c| c.put_pod(id, new.as_ref()));
        self.distribute(Resource::Pods, &self.pod_listeners, old.as_ref(), new.as_ref());
    }

    fn take_workload(&self, new: Option<Rc<Workload>>, id: WorkloadId) {
        if let Some(w) = &new {
            self.note_delivered(w.kind.into(), w.resource_version);
        }
        let old = self.caches.with(|c| c.put_workload(id, new.as_ref()));
        if let Some(w) = new.as_ref().or(old.as_ref()) {
            let resource = Resource::from(w.kind);
            let of_kind = &self.workload_listeners[resource as usize];
            self.distribute(resource, of_kind, old.as_ref(), new.as_ref());
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
        old: Option<&Rc<T>>,
        new: Option<&Rc<T>>,
    ) {
        let listeners = listeners.borrow();
        if !self.ctx.draws_turns() {
            for listener in listeners.iter() {
                self.ctx.at_home(listener.home);
                listener.handler.cached(old, new);
                listener.handler.on_change(old, new);
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
            listener.handler.cached(old, new);
            if !listener.handler.listens() {
                listener.handler.on_change(old, new);
                continue;
            }
            let heard = (self.ctx.cause(), old.cloned(), new.cloned());
            let (untaken, telling) = (untaken.clone(), telling.clone());
            let deliveries = self.deliveries.get();
            listener.add(&self.ctx, self.group, heard, move |ctx| {
                untaken.set(untaken.get() - 1);
                if let (true, Some(handler)) = (untaken.get() == 0 && telling.ends(), deliveries) {
                    let next = Delivery { due: Due::Delta, resource };
                    ctx.post_at(ctx.now(), Class::Delivery, handler, next);
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
