//! Which trouble of watches is left to the choices, and the points at which it is chosen.

use crate::kernel::{Ctx, PointId};

/// Which trouble of watches is left to the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Hold {
    /// A watch may be held back for a while.
    pub stale: bool,
    /// A watch may break; a list follows, which shows only the last of what happened in between.
    pub broken: bool,
}

/// The points at which watches leave something to the choices.
#[derive(Clone, Copy)]
pub(super) struct TroublePoints {
    pub(super) held: PointId,
    pub(super) broken: PointId,
    pub(super) gap: PointId,
    pub(super) gap_between_watches: PointId,
}

impl TroublePoints {
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self {
            held: ctx.point("watch-held"),
            broken: ctx.point("watch-broken"),
            gap: ctx.point("watch-gap"),
            gap_between_watches: ctx.point("gap-between-watches"),
        }
    }
}
