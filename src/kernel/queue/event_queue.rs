//! The queue itself: for now a sorted map, the plainest thing that has the right order.

use crate::kernel::{Class, Dur, Time};
use std::collections::BTreeMap;

/// Names one event until it ran or was cancelled; never reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventKey {
    at: Time,
    order: u64,
}

/// Names a FIFO lane: events that are due a constant delay after they are posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane(u32);

/// Pending events in exact (time, class, sequence) order.
#[derive(Debug)]
pub struct EventQueue<E> {
    now: Time,
    sequence: u64,
    lanes: Vec<(Dur, Class)>,
    events: BTreeMap<(Time, u64), E>,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self { now: Time::ZERO, sequence: 0, lanes: Vec::new(), events: BTreeMap::new() }
    }
}

impl<E: Copy> EventQueue<E> {
    /// The class of an event from its order.
    fn class_of(order: u64) -> Class {
        Class::ALL[(order >> 56) as usize]
    }

    /// Adds an event; a time that has passed is treated as now.
    pub fn push_at(&mut self, at: Time, class: Class, event: E) -> EventKey {
        let key = EventKey { at: at.max(self.now), order: (class as u64) << 56 | self.sequence };
        self.sequence += 1;
        self.events.insert((key.at, key.order), event);
        key
    }

    /// The lane of this delay and class.
    pub fn lane(&mut self, delay: Dur, class: Class) -> Lane {
        let found = self.lanes.iter().position(|l| *l == (delay, class));
        let index = found.unwrap_or_else(|| {
            self.lanes.push((delay, class));
            self.lanes.len() - 1
        });
        Lane(index as u32)
    }

    /// The lane of this delay and class if there is one.
    pub fn find_lane(&self, delay: Dur, class: Class) -> Option<Lane> {
        self.lanes.iter().position(|l| *l == (delay, class)).map(|i| Lane(i as u32))
    }

    /// Adds an event that is due the lane's delay from now.
    pub fn push_in(&mut self, lane: Lane, event: E) {
        let (delay, class) = self.lanes[lane.0 as usize];
        self.push_at(self.now.saturating_add(delay), class, event);
    }

    /// Takes an event out; false if it ran or was cancelled before.
    pub fn cancel(&mut self, key: EventKey) -> bool {
        self.events.remove(&(key.at, key.order)).is_some()
    }

    /// The next event; time moves to it.
    pub fn pop(&mut self) -> Option<(Time, Class, E)> {
        self.pop_until(Time::MAX)
    }

    /// The next event if it is due at `end` or earlier; time moves to it.
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, Class, E)> {
        let ((at, order), event) = self.events.first_key_value().map(|(k, e)| (*k, *e))?;
        if at > end {
            return None;
        }
        self.events.pop_first();
        self.now = at;
        Some((at, Self::class_of(order), event))
    }

    /// When the next event is due.
    pub fn peek_time(&mut self) -> Option<Time> {
        self.events.first_key_value().map(|(k, _)| k.0)
    }

    /// Moves time on to `now` without running anything; the caller has taken all events before it.
    pub fn advance_to(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// Events pending.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Takes all events out.
    pub fn clear(&mut self) {
        self.events.clear();
    }
}
