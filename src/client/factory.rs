//! The informers of one process: their caches, their watches, and who hears of changes.

use super::caches::Caches;
use super::connection::{Backoff, Reflector};
use super::stream::{Delivery, EventHandler, Listener, Listeners, OnWaking, Stream};
use super::watch_lags::{Hold, WatchLags};
use crate::apiserver::Heartbeats;
use crate::client::prelude::*;
use crate::kernel::{HandlerId, Lane};
use crate::plan::{Delay, WatchRetry};
use std::cell::RefCell;

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
    pub(super) deliveries: Cell<Option<HandlerId<Delivery>>>,
    pub(super) caches: Shared<Caches>,
    pub(super) node_listeners: Listeners<Node>,
    pub(super) pod_listeners: Listeners<Pod>,
    /// By kind.
    pub(super) workload_listeners: [Listeners<Workload>; Resource::COUNT],
    pub(super) budget_listeners: Listeners<Budget>,
    pub(super) slice_listeners: Listeners<ResourceSlices>,
    pub(super) rule_listeners: Listeners<DeviceTaintRule>,
    pub(super) claim_listeners: Listeners<Allocation>,
    pub(super) readiness_rule_listeners: Listeners<NodeReadinessRule>,
    /// What a step touches of the caches, for searches: of each resource the objects by id plus one,
    /// and 0 for its cache as a whole.
    pub(super) cache_keys: [Keys; Resource::COUNT],
    pub(super) lags_key: Key,
    pub(super) kubelets_key: Key,
    pub(super) watch_point: PointId,
    pub(super) watch_lane: Lane,
    pub(super) opened: Cell<Time>,
    pub(super) lease_version: Cell<u64>,
    pub(super) delivered: [Cell<u64>; Resource::COUNT],
    pub(super) listed_at: Cell<Time>,
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
    /// The points at which watches leave something to the choices.
    pub(super) held_point: PointId,
    pub(super) broken_point: PointId,
    pub(super) old_list_point: PointId,
    pub(super) gap_point: PointId,
    /// The reflectors, by resource, and since when the API server has been gone.
    pub(super) reflectors: Shared<[Reflector; Resource::COUNT]>,
    pub(super) gone_since: Cell<Option<Time>>,
    pub(super) backoff_point: PointId,
}

impl InformerFactory {
    /// Informers that have not started, and to which nothing can be delivered yet.
    pub(super) fn without_deliveries(
        api: &Rc<ApiServer>,
        group: Group,
        timing: InformerTiming,
        lags: &Rc<WatchLags>,
        hold: Hold,
    ) -> Rc<Self> {
        let ctx = api.ctx().clone();
        let reflector = Reflector::watching(Backoff::new(timing.watch_retry, timing.made));
        Rc::new(InformerFactory {
            watch_point: ctx.point("watch-latency"),
            hold,
            held_point: ctx.point("watch-held"),
            broken_point: ctx.point("watch-broken"),
            old_list_point: ctx.point("list-old"),
            gap_point: ctx.point("watch-gap"),
            watch_lane: ctx.lane(timing.watch.min, Class::Delivery),
            group,
            api: api.clone(),
            timing,
            lags: lags.clone(),
            streams: Resource::ALL.map(Stream::new),
            deliveries: Cell::new(None),
            caches: Shared::new(Caches::default()),
            node_listeners: Listeners::default(),
            pod_listeners: Listeners::default(),
            workload_listeners: Default::default(),
            budget_listeners: Listeners::default(),
            slice_listeners: Listeners::default(),
            rule_listeners: Listeners::default(),
            claim_listeners: Listeners::default(),
            readiness_rule_listeners: Listeners::default(),
            cache_keys: Resource::ALL.map(|r| ctx.keys(r.as_str())),
            lags_key: ctx.keys("watch-lags").of(0),
            kubelets_key: ctx.keys("kubelets").of(0),
            opened: Cell::new(Time::ZERO),
            lease_version: Cell::new(0),
            delivered: Default::default(),
            listed_at: Cell::new(Time::ZERO),
            seen: Default::default(),
            drawn: Default::default(),
            heartbeats: api.source_of_heartbeats(),
            stirred: RefCell::new(Vec::new()),
            waking: RefCell::new(Vec::new()),
            watcher: Cell::new(None),
            reflectors: Shared::new([reflector; Resource::COUNT]),
            gone_since: Cell::new(None),
            backoff_point: ctx.point("reflector-back-off"),
            ctx,
        })
    }

    /// Has a handler hear of nodes.
    pub(crate) fn on_node(&self, handler: EventHandler<Node>) {
        self.add_event_handler(&self.node_listeners, Resource::Nodes, handler);
    }

    /// Has a handler hear of pods.
    pub(crate) fn on_pod(&self, handler: EventHandler<Pod>) {
        self.add_event_handler(&self.pod_listeners, Resource::Pods, handler);
    }

    /// Has a handler hear of workloads of a kind.
    pub(crate) fn on_workload(&self, kind: WorkloadKind, handler: EventHandler<Workload>) {
        let resource = Resource::from(kind);
        self.add_event_handler(&self.workload_listeners[resource as usize], resource, handler);
    }

    /// Has a handler hear of disruption budgets.
    pub(crate) fn on_budget(&self, handler: EventHandler<Budget>) {
        self.add_event_handler(&self.budget_listeners, Resource::Budgets, handler);
    }

    /// Has a handler hear of ResourceSlices.
    pub(crate) fn on_slices(&self, handler: EventHandler<ResourceSlices>) {
        self.add_event_handler(&self.slice_listeners, Resource::ResourceSlices, handler);
    }

    /// Has a handler hear of DeviceTaintRules.
    pub(crate) fn on_rule(&self, handler: EventHandler<DeviceTaintRule>) {
        self.add_event_handler(&self.rule_listeners, Resource::DeviceTaintRules, handler);
    }

    /// Has a handler hear of what claims have been allocated.
    pub(crate) fn on_claim(&self, handler: EventHandler<Allocation>) {
        self.add_event_handler(&self.claim_listeners, Resource::ResourceClaims, handler);
    }

    /// Has a handler hear of NodeReadinessRules.
    pub(crate) fn on_readiness_rule(&self, handler: EventHandler<NodeReadinessRule>) {
        let (all, resource) = (&self.readiness_rule_listeners, Resource::NodeReadinessRules);
        self.add_event_handler(all, resource, handler);
    }

    /// `AddEventHandler`
    fn add_event_handler<T: 'static>(
        &self,
        listeners: &Listeners<T>,
        resource: Resource,
        handler: EventHandler<T>,
    ) {
        let mut listeners = listeners.borrow_mut();
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
}
