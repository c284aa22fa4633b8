//! Informers whose API server goes and comes back.

use super::factory::InformerFactory;
use super::resource::Resource;
use super::stream::{Due, Stream};
use crate::api::names::stable_hash;
use crate::kernel::{Class, Dur, Object, Time};
use crate::plan::WatchCache;
use std::collections::VecDeque;

impl InformerFactory {
    /// The API server goes: all watches end, and are refused from now on.
    pub(crate) fn server_gone(&self) {
        self.gone_since.set(Some(self.ctx.now()));
    }

    /// The API server is back; when the last of the watches is. What was changed meanwhile comes with
    /// the watch, or where the server has forgotten, with a list.
    pub(crate) fn server_back(&self, cache: WatchCache) -> Time {
        let now = self.ctx.now();
        let Some(gone) = self.gone_since.take() else {
            return now;
        };
        if !self.timing.reconnects || self.watcher.get().is_none() {
            return now;
        }
        let back = Resource::ALL.map(|resource| self.watch_is_back(resource, (gone, now), cache));
        back.into_iter().max().unwrap_or(now)
    }

    /// The connection leads nowhere, and is found dead at `at`: all watches end then, and list anew
    /// after their pause; when the last of them has.
    pub(crate) fn server_lost(&self, at: Time) -> Time {
        if self.watcher.get().is_none() {
            return at;
        }
        let lists = Resource::ALL.map(|resource| self.lists_after_pause(resource, at));
        lists.into_iter().max().unwrap_or(at)
    }

    /// The watch of a resource, or each, ends, and is answered that where it was is forgotten: it
    /// lists anew after a pause.
    pub(crate) fn watches_expired(&self, of: Option<Resource>) {
        if self.watcher.get().is_none() || self.gone_since.get().is_some() {
            return;
        }
        for resource in Resource::ALL {
            if of.is_none_or(|of| of == resource) {
                self.lists_after_pause(resource, self.ctx.now());
            }
        }
    }

    /// A resource's watch fails at `at`, and lists anew after its pause: when.
    fn lists_after_pause(&self, resource: Resource, at: Time) -> Time {
        let jitter = self.jitter(resource);
        let mut reflector = self.reflectors.with(|all| all[resource as usize]);
        reflector.lost(at, &jitter);
        let lists = reflector.waits_until().unwrap_or(at);
        reflector.ask(lists);
        reflector.answered(lists, false, &jitter);
        self.reflectors
            .with(|all| all[resource as usize] = reflector);
        self.lists_anew(resource, lists);
        lists
    }

    /// How pauses of a resource's reflector are drawn.
    fn jitter(&self, resource: Resource) -> impl Fn(u32, Dur) -> Dur + '_ {
        let object = Object {
            id: resource as u32,
            hash: stable_hash(resource.name()),
        };
        move |_, least| {
            let point = self.backoff_point;
            Dur::from_nanos(self.ctx.uniform(point, object, 0, least.as_nanos()))
        }
    }

    /// Whether the next delta of a watch was made when the API server was gone: it waits until the
    /// watch is back.
    pub(super) fn watch_is_refused(&self, stream: &Stream) -> bool {
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
        let jitter = self.jitter(resource);
        let forgotten = cache == WatchCache::Lost;
        let reflector = self.reflectors.with(|all| all[resource as usize]);
        let (back, reflector) = reflector.back_after(outage, forgotten, &jitter);
        self.reflectors
            .with(|all| all[resource as usize] = reflector);
        if forgotten {
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
