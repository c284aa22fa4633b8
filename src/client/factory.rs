//! The informers of one process: their caches, their watches, and who hears of changes;
//! and when changes arrive: the delay of a watch, and which changes are in the caches by some time.

use super::caches::Caches;
use super::connection::{Backoff, Reflector};
use super::stream::{AllListeners, Delivery, EventHandler, Listener, Listeners, OnWaking, Stream};
use super::watch_lags::{Hold, WatchLags};
use crate::apiserver::Heartbeats;
use crate::client::prelude::*;
use crate::kernel::{HandlerId, Lane};
use crate::plan::{Delay, WatchRetry};
use std::cell::RefCell;

/// From one draw of a watch's delay to the next, at least.
const SLICE: Dur = Dur::from_millis(100);

/// How long watches take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InformerTiming {
    /// From sending LIST to its being served.
    pub(crate) request: Dur,
    /// From serving LIST to its reply.
    pub(crate) response: Dur,
    /// From a change to its delivery.
    pub(crate) watch: Delay,
    /// Watches that broke come back after their back-off; otherwise at once.
    pub(crate) reconnects: bool,
    /// How long a watch that was refused pauses.
    pub(crate) watch_retry: WatchRetry,
    /// How often a list or a watch that is rejected is sent again, and whether watches are.
    pub(crate) retries: (u32, bool),
    /// When its reflectors were made, if that was not long ago.
    pub(crate) made: Option<Time>,
    /// Which process's they are, for draws of its own.
    pub(crate) process: u32,
}

/// The draw of a slice of time, and which one that is.
pub(super) type Drawn = Cell<Option<(u64, u64)>>;

/// The shared informers of one process.
pub(crate) struct InformerFactory {
    pub(super) ctx: Ctx,
    /// The process's, whose goroutines end with it.
    pub(super) group: Group,
    pub(super) api: Rc<ApiServer>,
    pub(super) timing: InformerTiming,
    pub(super) lags: Rc<WatchLags>,
    pub(super) streams: [Stream; Resource::COUNT],
    /// Handler of deliveries.
    pub(super) deliveries: HandlerId<Delivery>,
    pub(super) caches: Shared<Caches>,
    pub(super) listeners: RefCell<AllListeners>,
    /// What a step touches of the caches, for searches: of each resource the objects by id plus one,
    /// and 0 for its cache as a whole.
    pub(super) cache_keys: [Keys; Resource::COUNT],
    pub(super) lags_key: Key,
    pub(super) kubelets_key: Key,
    watch_point: PointId,
    pub(super) watch_lane: Lane,
    pub(super) opened: Cell<Time>,
    pub(super) lease_version: Cell<u64>,
    pub(super) delivered: [Cell<u64>; Resource::COUNT],
    pub(super) listed_at: Cell<Time>,
    /// Changes come from the list of a watch that broke.
    pub(super) lists: Cell<bool>,
    /// The latest visible time of each resource, and the instant at which it was found.
    pub(super) seen: [Cell<(Time, Time)>; Resource::COUNT],
    /// The latest draws of each watch's delay, of an even slice of time and of an odd one, and which
    /// slices they are.
    pub(super) drawn: [[Drawn; 2]; Resource::COUNT],
    pub(super) heartbeats: Option<Rc<dyn Heartbeats>>,
    pub(super) stirred: RefCell<Vec<Rc<dyn Fn()>>>,
    pub(super) waking: RefCell<Vec<OnWaking>>,
    pub(super) watcher: Cell<Option<u32>>,
    pub(super) hold: Hold,
    /// The reflectors, by resource, and since when the API server has been gone.
    pub(super) reflectors: Shared<[Reflector; Resource::COUNT]>,
    pub(super) gone_since: Cell<Option<Time>>,
    /// What is done when the server closes its connections.
    pub(super) when_closed: RefCell<Vec<Rc<dyn Fn()>>>,
}

impl InformerFactory {
    /// Informers that have not started, to which that handler delivers.
    pub(super) fn delivered_by(
        deliveries: HandlerId<Delivery>,
        api: &Rc<ApiServer>,
        group: Group,
        timing: InformerTiming,
        lags: &Rc<WatchLags>,
        hold: Hold,
    ) -> Self {
        let ctx = api.ctx().clone();
        let reflector = Reflector::watching(Backoff::new(timing.watch_retry, timing.made));
        InformerFactory {
            watch_point: ctx.point("watch-latency"),
            hold,
            watch_lane: ctx.lane(timing.watch.min, Class::Delivery),
            group,
            api: api.clone(),
            timing,
            lags: lags.clone(),
            streams: Resource::ALL.map(Stream::new),
            deliveries,
            caches: Shared::new(Caches::default()),
            listeners: RefCell::default(),
            cache_keys: Resource::ALL.map(|r| ctx.keys(r.as_str())),
            lags_key: ctx.keys("watch-lags").of(0),
            kubelets_key: ctx.keys("kubelets").of(0),
            opened: Cell::new(Time::ZERO),
            lease_version: Cell::new(0),
            delivered: Default::default(),
            listed_at: Cell::new(Time::ZERO),
            lists: Cell::default(),
            seen: Default::default(),
            drawn: Default::default(),
            heartbeats: api.source_of_heartbeats(),
            stirred: RefCell::new(Vec::new()),
            waking: RefCell::new(Vec::new()),
            watcher: Cell::new(None),
            reflectors: Shared::new([reflector; Resource::COUNT]),
            gone_since: Cell::new(None),
            when_closed: RefCell::default(),
            ctx,
        }
    }

    /// Has a handler hear of nodes.
    pub(crate) fn on_node(&self, handler: EventHandler<Node>) {
        self.add_event_handler(|all| &mut all.nodes, Resource::Nodes, handler);
    }

    /// Has a handler hear of pods.
    pub(crate) fn on_pod(&self, handler: EventHandler<Pod>) {
        self.add_event_handler(|all| &mut all.pods, Resource::Pods, handler);
    }

    /// Has a handler hear of workloads of a kind.
    pub(crate) fn on_workload(&self, kind: WorkloadKind, handler: EventHandler<Workload>) {
        let resource = Resource::from(kind);
        self.add_event_handler(|all| &mut all.workloads[resource as usize], resource, handler);
    }

    /// Has a handler hear of disruption budgets.
    pub(crate) fn on_budget(&self, handler: EventHandler<Budget>) {
        self.add_event_handler(|all| &mut all.budgets, Resource::Budgets, handler);
    }

    /// Has a handler hear of ResourceSlices.
    pub(crate) fn on_slices(&self, handler: EventHandler<ResourceSlices>) {
        self.add_event_handler(|all| &mut all.slices, Resource::ResourceSlices, handler);
    }

    /// Has a handler hear of DeviceTaintRules.
    pub(crate) fn on_rule(&self, handler: EventHandler<DeviceTaintRule>) {
        self.add_event_handler(|all| &mut all.rules, Resource::DeviceTaintRules, handler);
    }

    /// Has a handler hear of what claims have been allocated.
    pub(crate) fn on_claim(&self, handler: EventHandler<Allocation>) {
        self.add_event_handler(|all| &mut all.claims, Resource::ResourceClaims, handler);
    }

    /// Has a handler hear of NodeReadinessRules.
    pub(crate) fn on_readiness_rule(&self, handler: EventHandler<NodeReadinessRule>) {
        let resource = Resource::NodeReadinessRules;
        self.add_event_handler(|all| &mut all.readiness_rules, resource, handler);
    }

    /// `AddEventHandler`
    fn add_event_handler<T: 'static>(
        &self,
        of: impl FnOnce(&mut AllListeners) -> &mut Listeners<T>,
        resource: Resource,
        handler: EventHandler<T>,
    ) {
        let mut all = self.listeners.borrow_mut();
        let listeners = of(&mut all);
        let hash = resource.watch_hash(self.timing.process).wrapping_add(listeners.len() as u64);
        listeners.push(Listener::new(handler, self.ctx.name().home_key(), hash));
    }

    /// Calls `f` when a node that was quiet may no longer be so, or anything reaches the cache of
    /// nodes.
    pub(crate) fn on_stir(&self, f: Rc<dyn Fn()>) {
        self.stirred.borrow_mut().push(f);
    }

    /// Calls `f` when something else is about to be expected of a node's heartbeats than before
    /// (see [`Self::beat`]).
    pub(crate) fn on_waking(&self, f: OnWaking) {
        self.waking.borrow_mut().push(f);
    }

    /// When a change that was made at `at` reaches the caches, faults aside.
    pub(super) fn arrives(&self, resource: Resource, at: Time) -> Time {
        (at + self.delay_at(resource, at)).max(self.opened.get())
    }

    /// The delay of a watch wanders: it is drawn for each slice of time and goes evenly from one to
    /// the next, so that changes keep their order and the delay of one does not depend on which
    /// others there are.
    fn delay_at(&self, resource: Resource, at: Time) -> Dur {
        let watch = self.timing.watch;
        if watch.is_constant() {
            return watch.min;
        }
        // No delay falls faster than time goes on: what was made later does not come sooner.
        let length = SLICE.max(watch.max.saturating_sub(watch.min)).as_nanos();
        let (slice, within) = (at.as_nanos() / length, at.as_nanos() % length);
        let (from, to) = (self.draw(resource, slice), self.draw(resource, slice + 1));
        // A division of 128 bits takes ten times as long, and is seldom needed.
        let part = |span: u64| match span.checked_mul(within) {
            Some(product) => product / length,
            None => (u128::from(span) * u128::from(within) / u128::from(length)) as u64,
        };
        Dur::from_nanos(if to >= from { from + part(to - from) } else { from - part(from - to) })
    }

    /// The draw of a slice of time.
    fn draw(&self, resource: Resource, slice: u64) -> u64 {
        let kept = &self.drawn[resource as usize][(slice % 2) as usize];
        // Where somebody sees each draw, each is made.
        if let Some((of, delay)) = kept.get()
            && of == slice
            && !self.ctx.is_choosing()
        {
            return delay;
        }
        let object = Object { id: resource as u32, hash: resource as u64 };
        let (min, max) = (self.timing.watch.min.as_nanos(), self.timing.watch.max.as_nanos());
        let delay = self.ctx.uniform_at(self.watch_point, object, slice as u32, min, max);
        kept.set(Some((slice, delay)));
        delay
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
        let arrived = |t: u64| {
            let t = Time::from_nanos(t);
            t + self.delay_at(resource, t) <= now
        };
        let (mut low, mut high) =
            (now.saturating_sub(watch.max).as_nanos(), now.saturating_sub(watch.min).as_nanos());
        // Where somebody sees each draw, those of the halving are made.
        if !self.ctx.is_choosing() {
            (low, high) = self.near(resource, now, (low, high), arrived);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if arrived(middle) { low = middle } else { high = middle - 1 }
        }
        let visible = Time::from_nanos(low).max(self.listed_at.get());
        self.seen[resource as usize].set((now, visible));
        visible
    }

    /// Between which times near each other the latest lies that has arrived by `now`: the delay wanders so
    /// slowly that a delay before now is a good guess, and the delay at that a better one.
    fn near(
        &self,
        resource: Resource,
        now: Time,
        (low, high): (u64, u64),
        arrived: impl Fn(u64) -> bool,
    ) -> (u64, u64) {
        let (mut guess, mut before) = (high, low);
        for _ in 0..6 {
            if guess.abs_diff(before) <= 1 {
                break;
            }
            before = guess;
            let delay = self.delay_at(resource, Time::from_nanos(guess));
            guess = now.saturating_sub(delay).as_nanos().clamp(low, high);
        }
        let (from, to) = (guess.saturating_sub(2).max(low), (guess + 2).min(high));
        let from = if from == low || arrived(from) { from } else { low };
        let to = if to == high || !arrived(to + 1) { to } else { high };
        (from, to)
    }
}
