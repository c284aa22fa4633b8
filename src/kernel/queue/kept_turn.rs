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

    /// How many turns come before `at`.
    fn before(&self, at: Time) -> u64 {
        at.since(self.at).as_nanos().div_ceil(self.period.as_nanos().max(1))
    }

    /// When its turn of a number is, the next one being 0.
    fn turn(&self, number: u64) -> Time {
        self.at + self.period * number
    }

    /// How many of its turns come before the turn of that number of another.
    fn before_turn_of(&self, other: &Self, number: u64) -> u64 {
        let at = other.turn(number);
        let before = self.before(at);
        let meets = at >= self.at && self.turn(before) == at;
        before + u64::from(meets && self.comes_first(before, other, number))
    }

    /// Whether its turn of a number comes before that of another in the same instant: whose turn before that
    /// was the earlier one was added again before the other.
    fn comes_first(&self, mut own: u64, other: &Self, mut others: u64) -> bool {
        if self.period == other.period {
            let both = own.min(others);
            (own, others) = (own - both, others - both);
        }
        match (own, others) {
            (0, 0) => self.sequence < other.sequence,
            (0, _) => true,
            (_, 0) => false,
            _ => self.period > other.period,
        }
    }
}

/// The next turn of everybody for whom turns are kept.
#[derive(Debug)]
pub(super) struct KeptTurns<E> {
    turns: Vec<KeptTurn<E>>,
    /// When the first of them is; never, where there is none.
    pub(super) soonest: Time,
    /// Of each turn, how many are passed over, and how many of all before the last of these.
    passed: Vec<(u64, u64)>,
}

impl<E> KeptTurns<E> {
    pub(super) const fn new() -> Self {
        Self { turns: Vec::new(), soonest: Time::MAX, passed: Vec::new() }
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
        self.soonest = self.turns.iter().map(|t| t.at).min().unwrap_or(Time::MAX);
    }

    /// Passes over all turns before `at`, in their order, each of which would have added its event again: the
    /// next free sequence number after them, `free` being that before.
    pub(super) fn pass(&mut self, at: Time, free: u64) -> u64 {
        if self.soonest >= at {
            return free;
        }
        self.passed.clear();
        self.passed.extend(self.turns.iter().map(|turn| match turn.before(at) {
            0 => (0, 0),
            passed => {
                let last = passed - 1;
                let others = self.turns.iter().filter(|other| !std::ptr::eq(*other, turn));
                let before = others.map(|other| other.before_turn_of(turn, last));
                (passed, last + before.sum::<u64>())
            }
        }));
        let mut all = 0;
        for (turn, (passed, before)) in self.turns.iter_mut().zip(&self.passed) {
            if *passed > 0 {
                turn.at = turn.turn(*passed);
                turn.sequence = free + before;
                all += passed;
            }
        }
        self.look();
        free + all
    }
}
