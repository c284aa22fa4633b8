//! What faults do to watches.

use crate::client::prelude::*;

#[derive(Clone, Copy, Default)]
pub(super) struct Trouble {
    pub(super) lag: Dur,
    pub(super) stalled_until: Time,
}

/// What faults do to watches, for every process that watches.
#[derive(Default)]
pub(crate) struct WatchLags {
    by_resource: Shared<[Trouble; Resource::COUNT]>,
}

impl WatchLags {
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
    /// A watch may break; a list follows, which shows only the last of what happened in between.
    pub(crate) broken: bool,
}

/// The points at which watches leave something to the choices.
#[derive(Clone, Copy)]
pub(super) struct TroublePoints {
    pub(super) held: PointId,
    pub(super) broken: PointId,
    pub(super) gap: PointId,
}

impl TroublePoints {
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self {
            held: ctx.point("watch-held"),
            broken: ctx.point("watch-broken"),
            gap: ctx.point("watch-gap"),
        }
    }
}
