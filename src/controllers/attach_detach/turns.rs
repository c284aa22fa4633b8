//! A loop whose turns are left out while they would find nothing to do.

use crate::controllers::prelude::*;

/// The turns of a loop, a period apart.
pub(super) struct Turns {
    ctx: Ctx,
    period: Dur,
    /// The loop while it is left out, and its last turn.
    left_out: Cell<Option<(Ticket, Time)>>,
    /// Something came up since its last turn began.
    is_wanted: Cell<bool>,
}

impl Turns {
    pub(super) fn new(ctx: &Ctx, period: Dur) -> Self {
        Self { ctx: ctx.clone(), period, left_out: Cell::default(), is_wanted: Cell::default() }
    }

    /// A turn begins.
    pub(super) fn begin(&self) {
        self.is_wanted.set(false);
    }

    /// Goes on at the next turn at which there is something to do: the very next if there is by now.
    pub(super) async fn next(&self) {
        if self.is_wanted.get() {
            return self.ctx.sleep(self.period).await;
        }
        let last = self.ctx.now();
        self.ctx.parked(|ticket| self.left_out.set(Some((ticket, last)))).await;
    }

    /// There is something to do at the next turn.
    pub(super) fn want(&self) {
        self.is_wanted.set(true);
        if let Some((ticket, last)) = self.left_out.take() {
            let period = self.period.as_nanos();
            let over = self.ctx.now().since(last).as_nanos() / period + 1;
            self.ctx.wake_at(last + Dur::from_nanos(over.saturating_mul(period)), ticket);
        }
    }
}
