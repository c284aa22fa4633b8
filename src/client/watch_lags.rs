//! What faults do to watches.
//!
//! What happened lately: what a watch cache that is behind does not have yet.

use crate::apiserver::Watcher;
use crate::client::prelude::*;

#[derive(Clone, Copy, Default)]
pub(super) struct Trouble {
    pub(super) lag: Dur,
    pub(super) stalled_until: Time,
}

/// What faults do to watches, for every process that watches.
pub(crate) struct WatchLags {
    by_resource: Shared<[Trouble; Resource::COUNT]>,
    /// What a watch cache may not have yet, where lists may be old.
    pub(super) past: Option<Rc<Past>>,
}

impl WatchLags {
    /// No faults so far.
    pub(crate) fn new(past: Option<Rc<Past>>) -> Self {
        Self { by_resource: Shared::default(), past }
    }

    /// Watches of a resource deliver `lag` later from now on.
    pub(crate) fn set_lag(&self, resource: Resource, lag: Dur) {
        self.by_resource.with(|t| t[resource as usize].lag = lag);
    }

    /// Watches of a resource deliver nothing until `until`.
    pub(crate) fn stall(&self, resource: Resource, until: Time) {
        self.by_resource.with(|t| t[resource as usize].stalled_until = until);
    }

    pub(super) fn of(&self, resource: Resource) -> Trouble {
        self.by_resource.with(|t| t[resource as usize])
    }
}

/// Which trouble of watches is left to the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Hold {
    /// A watch may be held back for a while.
    pub(crate) stale: bool,
    /// The first list may be what a watch cache has that is behind.
    pub(crate) old_lists: bool,
    /// A watch may break; a list follows, which shows only the last of what happened in between.
    pub(crate) broken: bool,
}

/// For how long a watch may be held back, and by how much a watch cache be behind.
pub(super) const HELD: [Dur; 3] = [Dur::from_millis(100), Dur::from_secs(1), Dur::from_secs(10)];

/// The latest changes of nodes and pods, which a watch cache may not have yet.
pub(crate) struct Past {
    ctx: Ctx,
    pub(super) nodes: Changes<Node>,
    pub(super) pods: Changes<Pod>,
}

/// Changes in their order.
pub(super) type Changes<T> = Shared<VecDeque<Change<T>>>;

/// An object before and after a change, and the record of that.
pub(super) struct Change<T> {
    pub(super) at: Time,
    pub(super) cause: u32,
    pub(super) old: Option<Rc<T>>,
    pub(super) new: Option<Rc<T>>,
}

impl Watcher for Past {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        self.add(&self.nodes, old, new);
    }

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        self.add(&self.pods, old, new);
    }
}

impl Past {
    /// Follows an API server from here on.
    pub(crate) fn of(api: &ApiServer) -> Rc<Self> {
        let ctx = api.ctx().clone();
        let past = Rc::new(Self { ctx, nodes: Shared::default(), pods: Shared::default() });
        api.watch(past.clone());
        past
    }

    fn add<T>(&self, to: &Changes<T>, old: Option<&Rc<T>>, new: Option<&Rc<T>>) {
        let (at, cause) = (self.ctx.now(), self.ctx.cause());
        to.with(|all| {
            while all.front().is_some_and(|c| at.since(c.at) > HELD[HELD.len() - 1]) {
                all.pop_front();
            }
            all.push_back(Change { at, cause, old: old.cloned(), new: new.cloned() });
        });
    }
}
