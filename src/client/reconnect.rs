//! Informers whose API server goes and comes back.

use super::factory::InformerFactory;
use super::resource::Resource;
use super::stream::Due;
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

    fn watch_is_back(&self, resource: Resource, outage: (Time, Time), cache: WatchCache) -> Time {
        let object = Object {
            id: resource as u32,
            hash: stable_hash(resource.name()),
        };
        let jitter = |_, least: Dur| {
            let drawn = self
                .ctx
                .uniform(self.backoff_point, object, 0, least.as_nanos());
            Dur::from_nanos(drawn)
        };
        let forgotten = cache == WatchCache::Lost;
        let reflector = self.reflectors.with(|all| all[resource as usize]);
        let (back, reflector) = reflector.back_after(outage, forgotten, &jitter);
        self.reflectors
            .with(|all| all[resource as usize] = reflector);
        let stream = &self.streams[resource as usize];
        if forgotten {
            stream.is_broken.set(true);
            stream.deltas.with(VecDeque::clear);
            self.deliver_at(stream, back, Class::Delivery, Due::List);
        } else {
            stream.held_until.set(back.max(stream.held_until.get()));
        }
        back
    }
}
