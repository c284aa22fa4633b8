//! What the timeline of a run does next.

use crate::kernel::{Argument, Class, HandlerId};
use crate::sim::prelude::*;

/// What comes next.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    /// The action of this number; `waited`: it has let others go before it.
    Action { index: u32, waited: bool },
    /// The controllers start.
    Start,
    /// They start, and with that ends the entry of the restart of this number.
    Restarted(u32),
    /// The deadline of a leader in the outage of this number.
    RenewDeadline(u32),
}

impl Argument for Turn {
    fn pack(self) -> u64 {
        let (kind, index) = match self {
            Self::Action { index, waited } => (u64::from(waited), index),
            Self::Start => (2, 0),
            Self::Restarted(index) => (3, index),
            Self::RenewDeadline(outage) => (4, outage),
        };
        kind << 32 | u64::from(index)
    }

    fn unpack(bits: u64) -> Self {
        let index = bits as u32;
        match bits >> 32 {
            2 => Self::Start,
            3 => Self::Restarted(index),
            4 => Self::RenewDeadline(index),
            waited => Self::Action { index, waited: waited == 1 },
        }
    }
}

/// The timeline's turns that are to come, for whoever adds one.
pub(super) struct Turns {
    ctx: Ctx,
    /// Whoever takes them, once there is a timeline.
    timeline: Cell<Option<HandlerId<Turn>>>,
}

impl Turns {
    /// None yet, and nobody to take them.
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self { ctx: ctx.clone(), timeline: Cell::new(None) }
    }

    /// From now on they are handed to that timeline.
    pub(super) fn go_to(&self, timeline: HandlerId<Turn>) {
        self.timeline.set(Some(timeline));
    }

    /// Has the timeline take a turn.
    pub(super) fn post(&self, at: Time, turn: Turn) {
        if let Some(timeline) = self.timeline.get() {
            self.ctx.post_at(at, Class::Outside, timeline, turn);
        }
    }
}
