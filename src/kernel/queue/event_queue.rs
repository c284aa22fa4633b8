//! The queue: lanes beside a wheel, merged.

use super::entry::{Class, Entry, Rank, class_of, order_of, ranked_order_of};
use super::kept_turn::{Idler, KeptTurn, KeptTurns};
use super::lanes::{Lane, Lanes};
use super::slab::{EventKey, Slab};
use super::wheel::Wheel;
use crate::kernel::{Dur, Time};

/// Cancelled entries are swept out of the wheel once there are this many, and more than live ones.
const SWEEP_AT_LEAST: usize = 4096;

/// Pending events in exact (time, class, sequence) order. Time moves to each event that is taken.
#[derive(Debug)]
pub struct EventQueue<E> {
    now: Time,
    sequence: u64,
    pub(super) lanes: Lanes<E>,
    pub(super) wheel: Wheel,
    pub(super) slab: Slab<E>,
    /// Entries in the wheel whose events were cancelled; at least as many as there are.
    cancelled: usize,
    turns: KeptTurns<E>,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self {
            now: Time::ZERO,
            sequence: 0,
            lanes: Lanes::new(),
            wheel: Wheel::default(),
            slab: Slab::new(),
            cancelled: 0,
            turns: KeptTurns::new(),
        }
    }
}

impl<E: Copy> EventQueue<E> {
    #[inline]
    fn next_sequence(&mut self) -> u64 {
        let sequence = self.sequence;
        self.sequence += 1;
        sequence
    }

    /// Adds an event; a time that has passed is treated as now.
    #[inline]
    pub fn push_at(&mut self, at: Time, class: Class, event: E) -> EventKey {
        let order = order_of(class, self.next_sequence());
        self.push(at, order, event)
    }

    /// Adds an event that comes behind all of its time and class that have no rank, and in the
    /// order of ranks, whenever it was added.
    pub(crate) fn push_ranked(&mut self, at: Time, class: Class, rank: u64, event: E) -> EventKey {
        let order = ranked_order_of(class, rank, self.next_sequence());
        self.push(at, order, event)
    }

    #[inline]
    fn push(&mut self, at: Time, order: u64, event: E) -> EventKey {
        let key = self.slab.insert(event);
        self.wheel.push(Entry { at: at.max(self.now), order, key });
        key
    }

    /// The lane of this delay and class; made if there is none yet.
    pub(crate) fn lane(&mut self, delay: Dur, class: Class) -> Lane {
        self.find_lane(delay, class).unwrap_or_else(|| self.lanes.add(delay, class))
    }

    /// The lane of this delay and class, if there is one.
    #[inline]
    pub(crate) fn find_lane(&self, delay: Dur, class: Class) -> Option<Lane> {
        self.lanes.find(delay, class)
    }

    /// Adds an event that is due the lane's delay from now.
    #[inline]
    pub(crate) fn push_in(&mut self, lane: Lane, event: E) {
        let sequence = self.next_sequence();
        self.lanes.push(lane, self.now, sequence, event);
    }

    /// Somebody for whom turns can be kept.
    pub(crate) fn idler(&mut self) -> Idler {
        self.turns.add()
    }

    /// Keeps turns for an event that need not run unless somebody asks for it: every `period` from
    /// now on, each in the order that it would have if the one before had run and had added it
    /// again. It runs at the next of them once [`EventQueue::take_turn`] asks for it, or when
    /// something else is due in the same instant, where its order matters. An event for which turns
    /// of the same `idler` were kept before runs at its next turn.
    pub(crate) fn keep_turns(&mut self, idler: Idler, period: Dur, event: E) {
        self.take_turn(idler);
        let sequence = self.next_sequence();
        let turn = KeptTurn::new(self.now + period, period, sequence, event);
        self.turns.keep(idler, turn);
    }

    /// Adds the event that turns are kept for, due at its next turn; nothing if there is none.
    pub(crate) fn take_turn(&mut self, idler: Idler) {
        if let Some(turn) = self.turns.keep(idler, KeptTurn::NONE) {
            self.push_turn(turn);
        }
    }

    fn push_turn(&mut self, (at, sequence, event): (Time, u64, E)) {
        self.push(at, order_of(Class::Wake, sequence), event);
    }

    /// Something is due at `at`: turns before that pass, and those of the same instant are taken.
    /// Whether there are any.
    #[cold]
    fn reaches_turn(&mut self, at: Time) -> bool {
        self.sequence = self.turns.pass(at, self.sequence);
        let mut reached = false;
        while let Some(turn) = self.turns.due(at) {
            self.push_turn(turn);
            reached = true;
        }
        reached
    }

    /// Takes an event of [`EventQueue::push_at`] out, at a constant price; false if it ran or was
    /// cancelled before.
    pub fn cancel(&mut self, key: EventKey) -> bool {
        let cancelled = self.slab.take(key).is_some();
        if cancelled {
            self.cancelled += 1;
            // Sweeping costs as much as has been cancelled since the last time, so a constant price
            // for each.
            if self.cancelled >= SWEEP_AT_LEAST && self.cancelled > self.slab.len() {
                self.wheel.sweep(|e| self.slab.is_live(e.key));
                self.cancelled = 0;
            }
        }
        cancelled
    }

    /// The next event; time moves to it.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Time, Class, E)> {
        self.pop_until(Time::MAX)
    }

    /// The next event if it is due at `end` or earlier; time moves to it.
    #[inline(always)]
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, Class, E)> {
        let end = Rank::end_of(end);
        loop {
            let (lane, wheel) = (self.lanes.first_rank(), self.wheel.ready());
            if wheel < lane {
                if wheel >= end {
                    return None;
                }
                if wheel.at() >= self.turns.soonest && self.reaches_turn(wheel.at()) {
                    continue;
                }
                let entry = self.wheel.pop()?;
                if let Some(event) = self.slab.take(entry.key) {
                    self.now = entry.at;
                    return Some((entry.at, class_of(entry.order), event));
                }
            } else if self.wheel.bound() < lane.min(end) {
                self.fill();
            } else {
                if lane >= end {
                    return None;
                }
                if lane.at() >= self.turns.soonest && self.reaches_turn(lane.at()) {
                    continue;
                }
                self.now = lane.at();
                return self.lanes.pop().map(|e| (lane.at(), lane.class(), e));
            }
        }
    }

    #[inline]
    fn fill(&mut self) {
        self.wheel.fill((self.cancelled > 0).then_some(|e: &Entry| self.slab.is_live(e.key)));
    }

    /// When the next event is due.
    pub(crate) fn peek_time(&mut self) -> Option<Time> {
        loop {
            let (lane, wheel) = (self.lanes.first_rank(), self.wheel.ready());
            if wheel < lane {
                if self.slab.is_live(self.wheel.peek()?.key) {
                    return Some(wheel.at());
                }
                self.wheel.pop();
            } else if self.wheel.bound() < lane {
                self.fill();
            } else {
                return (lane != Rank::NEVER).then(|| lane.at());
            }
        }
    }

    /// Takes the first entry of the wheel that is live and due at `at` or earlier, whatever the
    /// lanes hold; its event stays where it is.
    pub(super) fn take_entry(&mut self, at: Time) -> Option<Entry> {
        let end = Rank::end_of(at);
        loop {
            if self.wheel.ready() < end {
                let entry = self.wheel.pop().filter(|e| self.slab.is_live(e.key));
                if entry.is_some() {
                    return entry;
                }
            } else if self.wheel.bound() < end {
                self.fill();
            } else {
                return None;
            }
        }
    }

    /// Moves time on to `now` without running anything; the caller has taken all events before it.
    pub(crate) fn advance_to(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// The time of the last event taken, or what time was moved on to since.
    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// Events pending.
    pub const fn len(&self) -> usize {
        self.lanes.len() + self.slab.len()
    }

    /// Whether nothing is pending.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As a new one, in the same tables: without events or lanes, at time zero.
    pub(crate) fn again(self) -> Self {
        let Self { lanes, wheel, slab, .. } = self;
        Self { lanes: lanes.again(), wheel: wheel.again(), slab: slab.again(), ..Self::default() }
    }

    /// Drops all events; lanes stay, and time.
    pub(crate) fn clear(&mut self) {
        self.lanes.clear();
        self.slab.clear();
        self.wheel.clear();
        self.cancelled = 0;
        self.turns.clear();
    }
}
