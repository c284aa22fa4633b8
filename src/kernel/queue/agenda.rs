//! All events of one instant laid out in their usual order, so that any of them may be taken next.
//! For exploring.

use super::entry::{Class, class_of, sequence_of};
use super::{EventKey, EventQueue};
use crate::kernel::Time;

/// An event that is laid out, with what its owner noted of it when it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held<E, L> {
    order: u64,
    /// Of an event of the wheel, which may be cancelled meanwhile.
    key: Option<EventKey>,
    /// The event.
    pub(crate) event: E,
    /// The owner's note.
    pub(crate) label: L,
}

impl<E, L> Held<E, L> {
    /// Its number in order of posting.
    pub(crate) const fn sequence(&self) -> u64 {
        sequence_of(self.order)
    }

    /// Its class.
    pub(crate) const fn class(&self) -> Class {
        class_of(self.order)
    }
}

/// Takes events out of a queue in an order of the caller's choice within each instant.
#[derive(Debug)]
pub(crate) struct Agenda<E, L> {
    at: Time,
    held: Vec<Held<E, L>>,
    /// How many of them were taken, all from the front: nearly always it is the first one that is.
    taken: usize,
}

impl<E, L> Default for Agenda<E, L> {
    fn default() -> Self {
        Self { at: Time::ZERO, held: Vec::new(), taken: 0 }
    }
}

impl<E: Copy, L: Copy> Agenda<E, L> {
    /// When the next event is due.
    pub(crate) fn peek_time(&mut self, queue: &mut EventQueue<E>) -> Option<Time> {
        let live = |h: &Held<E, L>| h.key.is_none_or(|k| queue.slab.is_live(k));
        if !self.events().iter().all(live) {
            self.held.drain(..self.taken);
            self.taken = 0;
            self.held.retain(live);
        }
        if self.events().is_empty() { queue.peek_time() } else { Some(self.at) }
    }

    /// Lays out all that is due at the next instant, if that is `end` or earlier; false if there is
    /// nothing. What `label` gives is kept with each event.
    pub(crate) fn gather(
        &mut self,
        queue: &mut EventQueue<E>,
        end: Time,
        mut label: impl FnMut(&E) -> L,
    ) -> bool {
        let Some(at) = self.peek_time(queue).filter(|at| *at <= end) else { return false };
        self.at = at;
        queue.advance_to(at);
        if self.events().is_empty() {
            self.held.clear();
            self.taken = 0;
        }
        let before = self.held.len();
        while let Some(entry) = queue.take_entry(at) {
            if let Some(event) = queue.slab.get(entry.key) {
                let (order, key, label) = (entry.order, Some(entry.key), label(&event));
                self.held.push(Held { order, key, event, label });
            }
        }
        let held = &mut self.held;
        queue.lanes.take_due(at, |order, event| {
            held.push(Held { order, key: None, event, label: label(&event) })
        });
        // Most newcomers come behind all others.
        let newcomers = before.saturating_sub(1).max(self.taken);
        if self.held.len() > before && !self.held[newcomers..].is_sorted_by_key(|h| h.order) {
            self.held[self.taken..].sort_by_key(|h| h.order);
        }
        true
    }

    /// The events laid out.
    pub(crate) fn events(&self) -> &[Held<E, L>] {
        &self.held[self.taken..]
    }

    /// When those laid out are due.
    pub(crate) fn at(&self) -> Time {
        self.at
    }

    /// Takes one of the events laid out, by its place.
    pub(crate) fn take(&mut self, queue: &mut EventQueue<E>, place: usize) -> Held<E, L> {
        let held = match place {
            0 => {
                self.taken += 1;
                self.held[self.taken - 1]
            }
            _ => self.held.remove(self.taken + place),
        };
        if let Some(key) = held.key {
            queue.slab.take(key);
        }
        held
    }

    /// Forgets all of it.
    pub(crate) fn clear(&mut self) {
        self.at = Time::ZERO;
        self.held.clear();
        self.taken = 0;
    }
}
