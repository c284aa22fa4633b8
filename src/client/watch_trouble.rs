//! Trouble of watches that is left to the choices: one is held back, or breaks and lists again, or
//! lets others in between two changes.
//!
//! The API server does not leave out events of a watch; a controller misses a state only if its
//! watch breaks and the list that follows shows what there is by then
//! (`reflector.go: ListAndWatch`, `delta_fifo.go: Replace`). That list is of no earlier version than
//! the last that the watch delivered; a process's first may be.
//!
//! A reflector that knows no version yet lists with resourceVersion "0"
//! (`reflector.go: relistResourceVersion`), and the API server answers from its watch cache, whatever
//! that has by then (`cacher.go: GetList`). So a process that starts may not know yet what the one
//! before it knew, or did. Later lists ask for the version that the reflector has seen, which the
//! server waits for (`watch_cache.go: waitUntilFreshAndBlock`), and a list that comes as a stream (S75)
//! has at least what etcd had when it was asked for (`cacher.go: getWatchCacheResourceVersion`).

use super::factory::InformerFactory;
use super::stream::{Delta, Due, OnItsWay, Stream};
use super::watch_lags::{Changes, HELD};
use crate::client::prelude::*;
use crate::kernel::slot;

/// All watches together are held up, or broken, for at most this long in a run: more would be a
/// cluster whose watches do not work, which shows lag and no race.
const TROUBLE_MOST: Dur = Dur::from_secs(30);
/// How soon after a watch broke there is a new list (`reflector.go`: a back-off of 800 ms that
/// doubles, with jitter).
const RELIST_AFTER: Dur = Dur::from_secs(1);

/// How many goroutines hand a change on before it is in the cache, where turns are drawn: the one that reads
/// and decodes what the server writes (`StreamWatcher.receive`), the reflector's (`handleAnyWatch`), and
/// the one that takes it off the queue (`processLoop`).
const HANDED_ON: u32 = 3;

/// How many more hand a change on that follows another in one instant, where few listen. Each listener has goroutines of
/// its own; where there are few, what the first change sets off is mostly through before another processor has come to
/// the second. With those of eight controllers it is not. Fitted by `taintsim conform --odds`.
const BEHIND_FEW: u32 = 3;
const FEW: usize = 5;

/// How many times in a thousand the second change of an instant is not in the queue yet when the first is taken off
/// it, where turns are drawn: fitted by `taintsim conform --odds`. With 500, as it was on a busy machine, two more of
/// 545 recordings of an idle one are rejected.
const GAPS: u32 = 920;

impl InformerFactory {
    /// Whether the next change is not there yet, where turns are drawn: a goroutine takes it, and what
    /// follows in that instant, from the one before it.
    pub(super) fn is_handed_on(&self, stream: &Stream) -> bool {
        if !self.ctx.draws_turns() || stream.resource == Resource::Leases {
            return false;
        }
        let now = self.ctx.now();
        let follows = stream.delivered.get().0 == Some(now);
        let few_listen = || {
            let all = self.listeners.borrow();
            all.pods.iter().filter(|l| l.handler.listens()).count() <= FEW
        };
        let behind = follows && stream.resource == Resource::Pods && few_listen();
        let steps = HANDED_ON + if behind { BEHIND_FEW } else { 0 };
        let (is_due, waits) = stream.deltas.with(|d| {
            let is_due = d.front().is_some_and(|next| next.due <= now);
            let waits = is_due && d[0].handed < steps;
            if waits {
                d.iter_mut().filter(|d| d.due <= now).for_each(|d| d.handed += 1);
            }
            (is_due, waits)
        });
        if waits {
            self.deliver_at(stream, now, Class::Delivery, Due::Delta);
        }
        // What was due has come along with the one before it.
        waits || !is_due
    }

    fn has_gap(&self, object: Object) -> bool {
        self.ctx.yields(self.ctx.point("watch-gap"), object, GAPS)
    }

    /// Whether the first two changes of an instant come in one step, where turns are drawn: both are in the queue
    /// already, and who takes them off it waits for the first one's listeners only when the second is in the
    /// cache.
    pub(super) fn next_comes_along(&self, stream: &Stream) -> bool {
        if !self.ctx.draws_turns() {
            return false;
        }
        let now = self.ctx.now();
        let (last, _) = stream.delivered.replace((Some(now), false));
        last != Some(now)
            && stream.deltas.with(|d| d.get(1).is_some_and(|d| is_there(d, now)))
            && !self.has_gap(self.object_of(stream.resource))
    }

    /// Whether the next change has been handed on to the goroutine that puts it into the cache.
    pub(super) fn next_is_there(&self, stream: &Stream) -> bool {
        let now = self.ctx.now();
        self.ctx.draws_turns()
            && stream.deltas.with(|d| d.front().is_some_and(|d| is_there(d, now)))
    }

    /// What choices about the watch of a resource are made for.
    pub(super) fn object_of(&self, resource: Resource) -> Object {
        let process = self.timing.process;
        let id = resource as u32 + process * Resource::COUNT as u32;
        Object { id, hash: resource.watch_hash(process) }
    }

    /// Of several changes that watches deliver in one instant: whether those who heard of the
    /// first get to look before the next comes, and so from there on. What a watch was late with comes
    /// change by change, each of which is read and decoded first, and so they do unless a search
    /// says otherwise. Where turns are drawn, goroutines that hand changes on see to it.
    pub(super) fn others_come_first(&self, stream: &Stream) -> bool {
        let now = self.ctx.now();
        if self.ctx.draws_turns() {
            return false;
        }
        let was_late = stream.held_until.get() == now;
        if !(was_late || self.ctx.is_choosing()) || stream.deltas.with(|d| d.is_empty()) {
            return false;
        }
        let object = self.object_of(stream.resource);
        let (last, before) = stream.delivered.get();
        let gap = last == Some(now) && (before || was_late != self.has_gap(object));
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
        let object = self.object_of(resource);
        if self.hold.stale && !stream.next_was_held() {
            let ways = self.ways_to_hold();
            let point = self.ctx.point("watch-held");
            let chosen =
                if ways > 0 { self.ctx.trouble(point, object, ways as u32 + 1) } else { 0 };
            if chosen > 0 {
                let lasts = HELD[chosen as usize - 1];
                stream.held_until.set(now + lasts);
                self.hold_up(lasts);
                return;
            }
        }
        if self.hold.broken
            && RELIST_AFTER <= self.left_to_hold()
            && self.ctx.trouble(self.ctx.point("watch-broken"), object, 2) == 1
        {
            stream.is_broken.set(true);
            self.hold_up(RELIST_AFTER);
            stream.deltas.with(VecDeque::clear);
            self.deliver_at(stream, now + RELIST_AFTER, Class::Delivery, Due::List);
        }
    }

    fn left_to_hold(&self) -> Dur {
        TROUBLE_MOST.saturating_sub(self.api.watches_held_up())
    }

    /// For how many of the times something may be held up yet.
    fn ways_to_hold(&self) -> usize {
        let left = self.left_to_hold();
        HELD.iter().take_while(|lasts| **lasts <= left).count()
    }

    /// What is held up here cannot be held up elsewhere.
    fn hold_up(&self, lasts: Dur) {
        self.ctx.writes(self.ctx.keys("watch-trouble").of(0));
        self.api.note_watch_held_up(lasts);
    }

    /// A watch that broke lists again: what differs from the cache is delivered as one change each
    /// (`DeltaFIFO.Replace`), a new object of an old name as a change of the old one.
    pub(super) fn relist(&self, resource: Resource) {
        if self.watcher.get().is_none() {
            return;
        }
        self.streams[resource as usize].is_broken.set(false);
        self.lists.set(true);
        for (delta, record) in self.differences(resource) {
            self.take(delta, record);
        }
        self.lists.set(false);
    }

    /// Whether a change that is heard of comes from such a list, and not from a watch.
    pub(crate) fn is_listing(&self) -> bool {
        self.lists.get()
    }

    /// What the list of a resource has that the cache has not, and then what the cache has that the
    /// list has not; each with the record that is its cause.
    fn differences(&self, resource: Resource) -> Vec<(Delta, u32)> {
        const NONE: u32 = u32::MAX;
        let rule = |name: TextId| name.0 as usize;
        match resource {
            Resource::Nodes => {
                let delta = |node, n: &Rc<Node>| (Delta::Node(node, n.id), n.record);
                differing(&self.listed_nodes(), &self.nodes(), |n| n.id.index(), Rc::ptr_eq, delta)
            }
            Resource::Pods => {
                let delta = |pod, p: &Rc<Pod>| (Delta::Pod(pod, p.id), p.record);
                differing(&self.listed_pods(), &self.pods(), |p| p.id.index(), Rc::ptr_eq, delta)
            }
            Resource::Budgets => {
                let (now, was) = (self.listed_budgets(), self.budgets());
                let delta = |budget, b: &Rc<Budget>| (Delta::Budget(budget, b.id), NONE);
                differing(&now, &was, |b| b.id.index(), Rc::ptr_eq, delta)
            }
            Resource::ResourceSlices => {
                let (now, was) = (self.api.slices(), self.slices());
                let delta = |of, s: &Rc<ResourceSlices>| (Delta::Slices(of, s.node), NONE);
                differing(&now, &was, |s| s.node.index(), Rc::ptr_eq, delta)
            }
            Resource::DeviceTaintRules => {
                let (now, was) = (self.api.rules(), self.rules());
                let delta = |of, r: &Rc<DeviceTaintRule>| (Delta::Rule(of, r.name), NONE);
                differing(&now, &was, |r| rule(r.name), Rc::ptr_eq, delta)
            }
            Resource::ResourceClaims => {
                let (now, was) = (self.api.allocations(), self.allocations());
                let delta = |of, a: &Rc<Allocation>| (Delta::Claims(of, a.uid, None), NONE);
                let mut all = differing(&now, &was, |a| a.uid.0 as usize, Rc::ptr_eq, delta);
                let alone = |c| (Delta::Claims(None, Uid::default(), Some(c)), NONE);
                all.extend(self.api.shared_claims().into_iter().map(alone));
                all
            }
            Resource::NodeReadinessRules => {
                let (now, was) = (self.api.readiness_rules(), self.readiness_rules());
                let delta =
                    |of, r: &Rc<NodeReadinessRule>| (Delta::ReadinessRule(of, r.name), NONE);
                differing(&now, &was, |r| rule(r.name), Rc::ptr_eq, delta)
            }
            Resource::Leases => {
                let was: Vec<Lease> =
                    self.caches.with(|c| c.leases.iter().flatten().cloned().collect());
                let same = |a: &Lease, b: &Lease| a.resource_version == b.resource_version;
                let delta = |lease, l: &Lease| (Delta::Lease(lease, l.node), NONE);
                differing(&self.api.leases(), &was, |l| l.node.index(), same, delta)
            }
            Resource::Deployments
            | Resource::ReplicaSets
            | Resource::StatefulSets
            | Resource::DaemonSets
            | Resource::Jobs => {
                let of_kind = |w: &Rc<Workload>| Resource::from(w.kind) == resource;
                let mut now = self.listed_workloads();
                now.retain(of_kind);
                let mut was: Vec<Rc<Workload>> =
                    self.caches.with(|c| c.workloads.iter().flatten().cloned().collect());
                was.retain(of_kind);
                let delta = |of, w: &Rc<Workload>| (Delta::Workload(of, w.id), w.record);
                differing(&now, &was, |w| w.id.index(), Rc::ptr_eq, delta)
            }
        }
    }

    /// Where that is left to the choices, nodes and pods as a watch cache has them that is behind. What they
    /// are without comes by the watch, as late.
    pub(super) fn first_lists(&self) -> (Vec<Rc<Node>>, Vec<Rc<Pod>>) {
        let (mut nodes, mut pods) = (self.listed_nodes(), self.listed_pods());
        if let Some(past) = self.lags.past.as_ref().filter(|_| self.hold.old_lists) {
            let delta = |new, n: &Node| Delta::Node(new, n.id);
            self.is_behind(Resource::Nodes, &past.nodes, &mut nodes, |n| n.id.index(), delta);
            let delta = |new, p: &Pod| Delta::Pod(new, p.id);
            self.is_behind(Resource::Pods, &past.pods, &mut pods, |p| p.id.index(), delta);
            (nodes, pods) = (self.nodes_by_name(nodes), self.pods_by_name(pods));
        }
        (nodes, pods)
    }

    fn is_behind<T>(
        &self,
        resource: Resource,
        changes: &Changes<T>,
        listed: &mut Vec<Rc<T>>,
        id: impl Fn(&T) -> usize,
        delta: impl Fn(Option<Rc<T>>, &T) -> Delta,
    ) {
        let now = self.ctx.now();
        let ways = self.ways_to_hold();
        changes.with(|changes| {
            let missed = |behind: Dur| changes.partition_point(|c| c.at + behind <= now);
            if ways == 0 || missed(HELD[ways - 1]) == changes.len() {
                return;
            }
            let object = self.object_of(resource);
            let point = self.ctx.point("list-old");
            let chosen = self.ctx.trouble(point, object, ways as u32 + 1);
            let Some(way) = chosen.checked_sub(1) else { return };
            let behind = HELD[way as usize];
            self.hold_up(behind);
            let missed = missed(behind);
            for change in changes.range(missed..).rev() {
                let Some(either) = change.old.as_ref().or(change.new.as_ref()) else { continue };
                listed.retain(|other| id(other) != id(either));
                listed.extend(change.old.clone());
            }
            let stream = &self.streams[resource as usize];
            for change in changes.range(missed..) {
                let Some(either) = change.old.as_ref().or(change.new.as_ref()) else { continue };
                let due = (self.arrives(resource, change.at) + behind).max(stream.last.get());
                stream.last.set(due);
                let delta = delta(change.new.clone(), either);
                let (made, cause) = (change.at, change.cause);
                let change = OnItsWay { made, due, handed: 0, cause, delta };
                stream.deltas.with(|all| all.push_back(change));
                self.deliver_at(stream, due, Class::Delivery, Due::Delta);
            }
        });
    }
}

fn is_there(d: &OnItsWay, now: Time) -> bool {
    d.due <= now && d.handed >= HANDED_ON
}

/// Those of `now` that are not the same in `was`, and then those of `was` that are not in `now`, each with the record of
/// what changed it.
fn differing<T: Clone>(
    now: &[T],
    was: &[T],
    index: impl Fn(&T) -> usize,
    same: impl Fn(&T, &T) -> bool,
    delta: impl Fn(Option<T>, &T) -> (Delta, u32),
) -> Vec<(Delta, u32)> {
    fn places<'a, T>(all: &'a [T], index: &impl Fn(&T) -> usize) -> Vec<Option<&'a T>> {
        let mut places: Vec<Option<&T>> = Vec::new();
        for item in all {
            *slot(&mut places, index(item)) = Some(item);
        }
        places
    }
    let (old, new) = (places(was, &index), places(now, &index));
    let is_new = |n: &&T| old.get(index(n)).copied().flatten().is_none_or(|w| !same(n, w));
    let is_gone = |w: &&T| new.get(index(w)).copied().flatten().is_none();
    let changed = now.iter().filter(is_new).map(|n| delta(Some(n.clone()), n));
    changed.chain(was.iter().filter(is_gone).map(|w| delta(None, w))).collect()
}
