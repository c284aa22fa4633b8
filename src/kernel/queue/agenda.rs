//! All events of one instant laid out in their usual order, so that any of them may be taken next. For exploring.

use super::entry::class_of;
use super::event_queue::EventQueue;
use super::slab::EventKey;
use crate::kernel::{Class, Time};

/// Lower bits of an event's order: its number in order of posting.
const SEQUENCE: u64 = (1 << 56) - 1;

#[derive(Clone, Copy, Debug)]
struct Held<E> {
    order: u64,
    /// Of an event of the wheel, which may be cancelled meanwhile.
    key: Option<EventKey>,
    event: E,
}

/// Takes events out of a queue in an order of the caller's choice within each instant.
#[derive(Debug)]
pub struct Agenda<E> {
    at: Time,
    held: Vec<Held<E>>,
    lanes: Vec<(u64, E)>,
}

impl<E: Copy> Default for Agenda<E> {
    fn default() -> Self {
        Self { at: Time::ZERO, held: Vec::new(), lanes: Vec::new() }
    }
}

impl<E: Copy> Agenda<E> {
    /// When the next event is due.
    pub fn peek_time(&mut self, queue: &mut EventQueue<E>) -> Option<Time> {
        self.held.retain(|h| h.key.is_none_or(|k| queue.slab.is_live(k)));
        if self.held.is_empty() { queue.peek_time() } else { Some(self.at) }
    }

    /// Lays out all that is due at the next instant, if that is `end` or earlier; false if there is nothing.
    pub fn gather(&mut self, queue: &mut EventQueue<E>, end: Time) -> bool {
        let Some(at) = self.peek_time(queue).filter(|at| *at <= end) else { return false };
        self.at = at;
        queue.advance_to(at);
        let before = self.held.len();
        while let Some(entry) = queue.take_entry(at) {
            if let Some(event) = queue.slab.get(entry.key) {
                self.held.push(Held { order: entry.order, key: Some(entry.key), event });
            }
        }
        queue.lanes.take_due(at, &mut self.lanes);
        self.held.extend(self.lanes.drain(..).map(|(order, event)| Held { order, key: None, event }));
        if self.held.len() > before {
            self.held.sort_by_key(|h| h.order);
        }
        true
    }

    /// The events laid out, with their numbers in order of posting.
    pub fn events(&self) -> impl Iterator<Item = (u64, E)> {
        self.held.iter().map(|h| (h.order & SEQUENCE, h.event))
    }

    /// How many are laid out.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Drops those that nothing can come of.
    pub fn retain(&mut self, keep: impl Fn(&E) -> bool) {
        self.held.retain(|h| keep(&h.event));
    }

    /// Takes one of the events laid out, by its place; its time, class and number come with it.
    pub fn take(&mut self, queue: &mut EventQueue<E>, place: usize) -> (Time, Class, u64, E) {
        let held = self.held.remove(place);
        if let Some(key) = held.key {
            queue.slab.take(key);
        }
        (self.at, class_of(held.order), held.order & SEQUENCE, held.event)
    }
}
