//! What faults do to watches.

use super::past::Past;
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

/// The points at which watches leave something to the choices.
#[derive(Clone, Copy)]
pub(super) struct TroublePoints {
    pub(super) held: PointId,
    pub(super) broken: PointId,
    pub(super) old: PointId,
    pub(super) gap: PointId,
}

impl TroublePoints {
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self {
            held: ctx.point("watch-held"),
            broken: ctx.point("watch-broken"),
            old: ctx.point("list-old"),
            gap: ctx.point("watch-gap"),
        }
    }
}
