//! Trouble of watches that is left to the choices: one is held back, or breaks and lists again, or
//! lets others in between two changes.
//!
//! The API server does not leave out events of a watch; a controller misses a state only if its
//! watch breaks and the list that follows shows what there is by then
//! (`reflector.go: ListAndWatch`, `delta_fifo.go: Replace`). Left out: that a list may be served
//! from a watch cache that is behind.

use super::factory::InformerFactory;
use super::resource::Resource;
use super::stream::{Delta, Due, Stream};
use crate::api::names::stable_hash;
use crate::api::workload::Workload;
use crate::kernel::{Class, Dur, Object};
use std::collections::VecDeque;
use std::rc::Rc;

/// For how long a watch may be held back.
const HELD: [Dur; 3] = [Dur::from_millis(100), Dur::from_secs(1), Dur::from_secs(10)];
/// All watches together are held up, or broken, for at most this long in a run: more would be a
/// cluster whose watches do not work, which shows lag and no race.
const TROUBLE_MOST: Dur = Dur::from_secs(30);
/// How soon after a watch broke there is a new list (`reflector.go`: a back-off of 800 ms that
/// doubles, with jitter).
const RELIST_AFTER: Dur = Dur::from_secs(1);

impl InformerFactory {
    /// Of several changes that a watch delivers in one instant: whether those who heard of the
    /// first get to look before the next comes, and so from there on.
    pub(super) fn others_come_first(&self, stream: &Stream) -> bool {
        if !self.ctx.is_choosing() || stream.deltas.with(|d| d.is_empty()) {
            return false;
        }
        let (now, (last, mut gap)) = (self.ctx.now(), stream.delivered.get());
        if last != Some(now) {
            gap = false;
        } else if !gap {
            let object = Object {
                id: stream.resource as u32,
                hash: stable_hash(stream.resource.name()),
            };
            gap = self.ctx.yields(self.trouble_points.gap, object);
        }
        stream.delivered.set((Some(now), gap));
        // In this class nobody is left to go first.
        let waits = gap && self.ctx.class() != Class::Timer;
        if waits {
            self.deliver_at(stream, now, Class::Timer, Due::Delta);
        }
        waits
    }

    /// Where that is left to the choices: holds a watch back that is about to deliver, or breaks
    /// it. Not that of leases, whose heartbeats are not delivered one by one.
    pub(super) fn trouble(&self, stream: &Stream) {
        let now = self.ctx.now();
        let (resource, waiting) = (stream.resource, stream.deltas.with(|d| !d.is_empty()));
        if !(self.hold.stale || self.hold.broken) || resource == Resource::Leases || !waiting {
            return;
        }
        let object = Object {
            id: resource as u32,
            hash: stable_hash(resource.name()),
        };
        let left = TROUBLE_MOST.saturating_sub(self.api.held_up());
        if self.hold.stale && stream.held_until.get() <= now {
            let ways = HELD.iter().take_while(|lasts| **lasts <= left).count();
            let chosen = if ways > 0 {
                self.ctx
                    .choose(self.trouble_points.held, object, ways as u32 + 1)
                    as usize
            } else {
                0
            };
            if chosen > 0 {
                stream.held_until.set(now + HELD[chosen - 1]);
                self.hold_up(HELD[chosen - 1]);
                return;
            }
        }
        if self.hold.broken
            && RELIST_AFTER <= left
            && self.ctx.choose(self.trouble_points.broken, object, 2) == 1
        {
            stream.is_broken.set(true);
            self.hold_up(RELIST_AFTER);
            stream.deltas.with(VecDeque::clear);
            self.deliver_at(stream, now + RELIST_AFTER, Class::Delivery, Due::List);
        }
    }

    /// What is held up here cannot be held up elsewhere.
    fn hold_up(&self, lasts: Dur) {
        self.ctx.writes(self.ctx.keys("watch-trouble").of(0));
        self.api.note_held_up(lasts);
    }

    /// A watch that broke lists again: what differs from the cache is delivered as one change each
    /// (`DeltaFIFO.Replace`), a new object of an old name as a change of the old one.
    pub(super) fn relist(&self, resource: Resource) {
        if self.watcher.get().is_none() {
            return;
        }
        self.streams[resource as usize].is_broken.set(false);
        match resource {
            Resource::Nodes => {
                let (now, was) = (self.api.nodes(), self.nodes());
                for n in now.iter().filter(|n| !was.iter().any(|w| Rc::ptr_eq(w, n))) {
                    self.take(Delta::Node(Some(n.clone()), n.id), n.record);
                }
                for w in was.iter().filter(|w| !now.iter().any(|n| n.id == w.id)) {
                    self.take(Delta::Node(None, w.id), w.record);
                }
            }
            Resource::Pods => {
                let (now, was) = (self.api.pods(), self.pods());
                for n in now.iter().filter(|n| !was.iter().any(|w| Rc::ptr_eq(w, n))) {
                    self.take(Delta::Pod(Some(n.clone()), n.id), n.record);
                }
                for w in was.iter().filter(|w| !now.iter().any(|n| n.id == w.id)) {
                    self.take(Delta::Pod(None, w.id), w.record);
                }
            }
            Resource::Leases => {}
            Resource::Budgets => {
                let (now, was) = (self.api.budgets(), self.budgets());
                for n in now.iter().filter(|n| !was.iter().any(|w| Rc::ptr_eq(w, n))) {
                    self.take(Delta::Budget(Some(n.clone()), n.id), u32::MAX);
                }
                for w in was.iter().filter(|w| !now.iter().any(|n| n.id == w.id)) {
                    self.take(Delta::Budget(None, w.id), u32::MAX);
                }
            }
            Resource::Deployments
            | Resource::ReplicaSets
            | Resource::StatefulSets
            | Resource::DaemonSets
            | Resource::Jobs => {
                self.relist_workloads(resource);
            }
        }
    }

    fn relist_workloads(&self, resource: Resource) {
        let of_kind = |w: &&Rc<Workload>| Resource::from(w.kind) == resource;
        let (now, was) = (
            self.api.workloads(),
            self.caches
                .with(|c| c.workloads.iter().flatten().cloned().collect::<Vec<_>>()),
        );
        for n in now
            .iter()
            .filter(of_kind)
            .filter(|n| !was.iter().any(|w| Rc::ptr_eq(w, n)))
        {
            self.take(Delta::Workload(Some(n.clone()), n.id), n.record);
        }
        for w in was
            .iter()
            .filter(of_kind)
            .filter(|w| !now.iter().any(|n| n.id == w.id))
        {
            self.take(Delta::Workload(None, w.id), w.record);
        }
    }
}
