//! Turns that are kept for an event which nearly always does nothing: no time is spent on them, and
//! the event has the place it would have had when it does run.

use crate::kernel::{Dur, Time};

/// The next of the turns.
#[derive(Debug)]
pub(super) struct KeptTurn<E> {
    /// When it is; never, where no turns are kept.
    pub(super) at: Time,
    period: Dur,
    /// The sequence number with which the event would have been added at the turn before.
    pub(super) sequence: u64,
    pub(super) event: Option<E>,
}

impl<E> KeptTurn<E> {
    pub(super) const NONE: Self = Self {
        at: Time::MAX,
        period: Dur::ZERO,
        sequence: 0,
        event: None,
    };

    pub(super) const fn new(at: Time, period: Dur, sequence: u64, event: E) -> Self {
        Self {
            at,
            period,
            sequence,
            event: Some(event),
        }
    }

    /// Passes over the turns before `at`, each of which would have added the event again: the next
    /// free sequence number after them, `free` being that before.
    pub(super) fn pass(&mut self, at: Time, free: u64) -> u64 {
        let passed = at
            .since(self.at)
            .as_nanos()
            .div_ceil(self.period.as_nanos().max(1));
        if passed > 0 {
            self.at += self.period * passed;
            self.sequence = free + passed - 1;
        }
        free + passed
    }
}
