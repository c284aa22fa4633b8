//! Turns that are kept for an event which nearly always does nothing: no time is spent on them, and
//! the event has the place it would have had when it does run.

use crate::kernel::{Dur, Time};

/// Somebody for whom turns can be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idler(u32);

/// The next of somebody's turns.
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
    pub(super) const NONE: Self =
        Self { at: Time::MAX, period: Dur::ZERO, sequence: 0, event: None };

    pub(super) fn new(at: Time, period: Dur, sequence: u64, event: E) -> Self {
        Self { at, period: period.max(Dur::from_nanos(1)), sequence, event: Some(event) }
    }

    /// Passes over the turns before `at`, each of which would have added the event again: the next
    /// free sequence number after them, `free` being that before.
    fn pass(&mut self, at: Time, free: u64) -> u64 {
        let passed = at.since(self.at).as_nanos().div_ceil(self.period.as_nanos().max(1));
        if passed > 0 {
            self.at += self.period * passed;
            self.sequence = free + passed - 1;
        }
        free + passed
    }
}

/// The next turn of everybody for whom turns are kept.
#[derive(Debug)]
pub(super) struct KeptTurns<E> {
    turns: Vec<KeptTurn<E>>,
    /// When the first of them is; never, where there is none.
    pub(super) soonest: Time,
}

impl<E> KeptTurns<E> {
    pub(super) const fn new() -> Self {
        Self { turns: Vec::new(), soonest: Time::MAX }
    }

    /// Somebody more.
    pub(super) fn add(&mut self) -> Idler {
        self.turns.push(KeptTurn::NONE);
        Idler(self.turns.len() as u32 - 1)
    }

    /// Keeps turns for somebody. Returns the next turn of those that were kept before.
    pub(super) fn keep(&mut self, idler: Idler, turn: KeptTurn<E>) -> Option<(Time, u64, E)> {
        let before = std::mem::replace(&mut self.turns[idler.0 as usize], turn);
        self.look();
        before.event.map(|e| (before.at, before.sequence, e))
    }

    /// Takes a turn out that is due at `at`.
    pub(super) fn due(&mut self, at: Time) -> Option<(Time, u64, E)> {
        let due = self.turns.iter().position(|t| t.at == at)?;
        self.keep(Idler(due as u32), KeptTurn::NONE)
    }

    /// Forgets all turns that were kept.
    pub(super) fn clear(&mut self) {
        self.turns.iter_mut().for_each(|t| *t = KeptTurn::NONE);
        self.soonest = Time::MAX;
    }

    fn look(&mut self) {
        let first = self.turns.iter().map(|t| t.at).min();
        self.soonest = first.unwrap_or(Time::MAX);
    }

    /// Passes over all turns before `at`, in their order: the next free sequence number after them,
    /// `free` being that before.
    pub(super) fn pass(&mut self, at: Time, mut free: u64) -> u64 {
        while self.soonest < at {
            let mut first: Option<usize> = None;
            let mut next = Time::MAX;
            for (i, turn) in self.turns.iter().enumerate() {
                let order = (turn.at, turn.sequence);
                match first.map(|f| (self.turns[f].at, self.turns[f].sequence)) {
                    Some(found) if found <= order => next = next.min(turn.at),
                    found => {
                        next = found.map_or(next, |(at, _)| at.min(next));
                        first = Some(i);
                    }
                }
            }
            let Some(first) = first else { break };
            let turn = &mut self.turns[first];
            // Of two in one instant the first alone, so that the other one comes behind it.
            let end = next.max(turn.at + Dur::from_nanos(1)).min(at);
            free = turn.pass(end, free);
            self.look();
        }
        free
    }
}
