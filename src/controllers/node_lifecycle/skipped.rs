//! Passes that are skipped, and what the loops wait for meanwhile.

use crate::kernel::{Dur, Ticket, Time};

/// What a pass found that matters for the next ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Findings {
    /// Something was done, or would be done again by the next pass.
    pub(super) restless: bool,
    /// When the first silent node's grace ends, ns from the start.
    pub(super) deadline_ns: Option<i64>,
}

/// Passes that were skipped: the first one's time, the period, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Skipped {
    pub(super) first: Time,
    pub(super) period: Dur,
    pub(super) count: u64,
}

impl Skipped {
    /// Whether `next` comes right after these, on the same grid.
    pub(super) fn goes_on_with(&self, next: &Skipped) -> bool {
        self.period == next.period && self.first + self.period * self.count == next.first
    }

    /// Those from number `from` on up to number `to`; none if there are none.
    pub(super) fn part(&self, from: u64, to: u64) -> Option<Skipped> {
        let count = to.min(self.count).saturating_sub(from);
        (count > 0).then(|| Skipped { first: self.first + self.period * from, count, ..*self })
    }
}

/// The state of both loops while they rest.
#[derive(Default)]
pub(super) struct Rest {
    pub(super) findings: Option<Findings>,
    pub(super) pass_waits: Option<Ticket>,
    /// While passes are skipped: the last one that was not, and those made up for since.
    pub(super) skipping: Option<Skipped>,
    /// In a search: the eviction loop while it rests.
    pub(super) tainting_waits: Option<Ticket>,
    /// The eviction pass of the instant at which a node was queued came before that.
    pub(super) tainting_missed: bool,
}
