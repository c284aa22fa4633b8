//! What faults do to watches.

use crate::kernel::{Dur, Shared, Time};
use crate::plan::Resource;

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
