//! What a search orders the events of an instant with: how they are called, which of them can come
//! next, and the tables for that.

use super::core::{Event, WAKE};
use super::process::{Parks, Ticket};
use super::queue::{Agenda, Held};
use super::search::{Hashes, Name};
use super::{Class, Numbers, Object, PointId, Time};

/// The choice of which event of an instant comes next. Its object is the name of the event that
/// would come by default.
pub(crate) const NEXT: &str = "next";

/// After so many steps of an instant a change that is on its way to a cache no longer goes before others, where turns
/// are drawn: half a dozen goroutines hand it on, and in a busy instant each of them queues behind others. Fitted by
/// `taintsim-conform --odds`: from the first step on seven of 1,591 recordings are rejected, after twelve none.
const BUSY: u32 = 12;

/// What the order within each instant is chosen with.
#[derive(Default)]
pub(super) struct Search {
    pub(super) agenda: Agenda<Event, Label>,
    pub(super) point: Option<PointId>,
    numbers: Numbers,
    pub(super) hashes: Hashes,
    /// The places of the events that may come next; of them, those that are not wake-ups.
    pub(super) offered: Vec<usize>,
    firsts: Vec<usize>,
    pub(super) known: bool,
    /// The present instant, and how many steps were taken before it.
    pub(super) began: (Option<Time>, u64),
    /// The name of the goroutine that took the latest step of the instant, if it goes on by itself.
    pub(super) goroutine: Option<u64>,
}

impl Search {
    /// Of the events that are offered leaves out those that let all others go first, where there are
    /// others. What was due before the instant began lets nobody go first, and what waits for so many steps
    /// no longer than for those. `steps` were taken.
    pub(super) fn let_others_go(&mut self, steps: u64) {
        let Self { agenda, offered, began, .. } = self;
        let events = agenda.events();
        let goes = |i: &usize| {
            let Held { event, label, .. } = &events[*i];
            let has_waited = event.handler == WAKE && steps - label.step >= u64::from(event.cause);
            events[*i].class() != Class::Timer || label.step == began.1 || has_waited
        };
        if offered.iter().any(goes) {
            offered.retain(goes);
        }
    }

    /// The place among the events that are offered of the first that the latest step set off; none where
    /// all were due before the instant began. In a busy instant changes on their way to caches do not count; it has
    /// had `taken` steps.
    pub(super) fn newest(&self, taken: u32) -> Option<u32> {
        let step = |i: &usize| {
            let held = &self.agenda.events()[*i];
            let counts = taken < BUSY || held.class() != Class::Delivery;
            Some(held.label.step).filter(|step| counts && *step > self.began.1)
        };
        let latest = self.offered.iter().filter_map(step).max()?;
        self.offered.iter().position(|i| step(i) == Some(latest)).map(|place| place as u32)
    }

    /// The place of what the goroutine of the latest step does next; it waits for nobody.
    pub(super) fn next_of_goroutine(&self) -> Option<u32> {
        let hash = self.goroutine?;
        let its = |i: &usize| self.agenda.events()[*i].label.hash == hash;
        self.offered.iter().position(its).map(|place| place as u32)
    }

    /// Finds out which of the events that are laid out can come next. The result is the object
    /// that a choice among them is made for; none where there is no choice. It stops at the second
    /// event where `two_suffice`.
    pub(super) fn offer(&mut self, parks: &Parks, two_suffice: impl Fn(Object) -> bool) -> Object {
        let Self { agenda, numbers, offered, firsts, .. } = self;
        let mut object = Object::NONE;
        offered.clear();
        firsts.clear();
        let events = agenda.events();
        for (i, held) in events.iter().enumerate() {
            if held.event.handler == WAKE {
                if !parks.waits(Ticket::unpack(held.event.bits)) {
                    continue;
                }
            } else if firsts.iter().any(|j| is_behind(&events[*j], held)) {
                continue;
            } else {
                firsts.push(i);
            }
            offered.push(i);
            if offered.len() == 2 {
                let hash = events[offered[0]].label.hash;
                object = Object { id: numbers.of(hash).0, hash };
                if two_suffice(object) {
                    break;
                }
            }
        }
        object
    }
}

/// What an event is called, as long as it waits, and the hash of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) name: Name,
    pub(super) hash: u64,
    /// How many steps had been taken when it was laid out.
    pub(super) step: u64,
}

/// Whether an event can only come after an earlier one: both are handled alike, or come over one
/// connection.
fn is_behind(earlier: &Held<Event, Label>, event: &Held<Event, Label>) -> bool {
    let alike = event.label.name.is_stream && earlier.label.hash == event.label.hash;
    earlier.event.handler == event.event.handler
        && (alike || earlier.event.bits == event.event.bits)
}
