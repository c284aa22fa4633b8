//! What a search calls the informers' caches.

use crate::kernel::{Ctx, Key, Keys};
use crate::plan::Resource;

/// What a step touches of the caches, for searches: of each resource the objects by id plus one,
/// and 0 for its cache as a whole.
pub(super) struct CacheKeys {
    pub(super) by_resource: [Keys; Resource::COUNT],
    pub(super) lags: Key,
    pub(super) kubelets: Key,
}

impl CacheKeys {
    /// Those of a run.
    pub(super) fn new(ctx: &Ctx) -> Self {
        CacheKeys {
            by_resource: Resource::ALL.map(|r| ctx.keys(r.cache())),
            lags: ctx.keys("watch-lags").of(0),
            kubelets: ctx.keys("kubelets").of(0),
        }
    }
}
