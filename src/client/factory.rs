//! The informers of one process: their caches, their watches, and who hears of changes.

use super::caches::{CacheKeys, Caches};
use super::connection::{Backoff, Reflector};
use super::handlers::{
    BudgetHandler, Handlers, NodeHandler, OnWaking, PodHandler, WorkloadHandler,
};
use super::stream::{Delivery, Stream};
use super::watch_lags::{Hold, TroublePoints, WatchLags};
use crate::apiserver::{ApiServer, Heartbeats};
use crate::kernel::{Class, Ctx, Dur, HandlerId, Lane, PointId, Shared, Time};
use crate::plan::Resource;
use crate::plan::{Delay, WatchRetry};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

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
    pub(super) api: Rc<ApiServer>,
    pub(super) timing: InformerTiming,
    pub(super) lags: Rc<WatchLags>,
    pub(super) streams: [Stream; Resource::COUNT],
    /// Handler of deliveries.
    pub(super) deliveries: Cell<Option<HandlerId<Delivery>>>,
    pub(super) caches: Shared<Caches>,
    pub(super) node_handlers: Handlers<dyn NodeHandler>,
    pub(super) pod_handlers: Handlers<dyn PodHandler>,
    pub(super) workload_handlers: Handlers<dyn WorkloadHandler>,
    pub(super) budget_handlers: Handlers<dyn BudgetHandler>,
    pub(super) keys: CacheKeys,
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
    pub(super) trouble_points: TroublePoints,
    /// The reflectors, by resource, and since when the API server has been gone.
    pub(super) reflectors: Shared<[Reflector; Resource::COUNT]>,
    pub(super) gone_since: Cell<Option<Time>>,
    pub(super) backoff_point: PointId,
}

impl InformerFactory {
    /// Informers that have not started, and to which nothing can be delivered yet.
    pub(super) fn without_deliveries(
        api: &Rc<ApiServer>,
        timing: InformerTiming,
        lags: &Rc<WatchLags>,
        hold: Hold,
    ) -> Rc<Self> {
        let ctx = api.ctx().clone();
        Rc::new(InformerFactory {
            watch_point: ctx.point("watch-latency"),
            hold,
            trouble_points: TroublePoints::new(&ctx),
            watch_lane: ctx.lane(timing.watch.min, Class::Delivery),
            api: api.clone(),
            timing,
            lags: lags.clone(),
            streams: Resource::ALL.map(Stream::new),
            deliveries: Cell::new(None),
            caches: Shared::new(Caches::default()),
            node_handlers: RefCell::new(Vec::new()),
            pod_handlers: RefCell::new(Vec::new()),
            workload_handlers: RefCell::new(Vec::new()),
            budget_handlers: RefCell::new(Vec::new()),
            keys: CacheKeys::new(&ctx),
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
            reflectors: Shared::new(
                [Reflector::watching(Backoff::new(timing.watch_retry, timing.made));
                    Resource::COUNT],
            ),
            gone_since: Cell::new(None),
            backoff_point: ctx.point("reflector-back-off"),
            ctx,
        })
    }

    /// Adds a handler of nodes.
    pub(crate) fn on_node(&self, handler: Rc<dyn NodeHandler>) {
        self.node_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of pods.
    pub(crate) fn on_pod(&self, handler: Rc<dyn PodHandler>) {
        self.pod_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of workloads.
    pub(crate) fn on_workload(&self, handler: Rc<dyn WorkloadHandler>) {
        self.workload_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
    }

    /// Adds a handler of disruption budgets.
    pub(crate) fn on_budget(&self, handler: Rc<dyn BudgetHandler>) {
        self.budget_handlers.borrow_mut().push((self.ctx.name().home_key(), handler));
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
