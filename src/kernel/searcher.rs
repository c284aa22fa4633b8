//! The executor of a search: every event of an instant that could come next is offered to the choices.
//!
//! Events of one stream keep their order, and so do those that are alike (the same handler, the same argument): of these only the first
//! is offered. A wake-up that has gone stale is dropped: nothing can come of it.

use super::Time;
use super::choice::{Drawn, Object};
use super::ctx::{Event, HandlerId};
use super::executor::{Kernel, Search};
use super::process::Ticket;
use super::search::{Asked, Keys, Name, Searched};

impl Kernel {
    /// Runs one event if it is due at `end` or earlier; false when there is none, or when `known` says of a state in which there is a
    /// choice that the run need not go on from it: it is given the state's fingerprint, and how many choices were made before.
    pub fn search_until(&mut self, end: Time, known: &mut dyn FnMut(u64, usize) -> bool) -> bool {
        self.obey();
        let Some(mut search) = self.search.take() else { return false };
        let popped = self.take_next(&mut search, end, known);
        let popped = popped.map(|place| search.agenda.take(&mut self.ctx.0.queue.borrow_mut(), place));
        self.search = Some(search);
        let Some((at, class, sequence, event)) = popped else { return false };
        let (name, ticket) = (self.name_of(&event), Ticket::unpack(event.arg));
        {
            let mut notes = self.ctx.0.notes.borrow_mut();
            notes.begin(at, sequence, self.ctx.0.choices.borrow().log().len(), name);
            if event.handler == HandlerId::WAKE {
                notes.touch(Keys::PROCESSES.of(ticket.slot), true);
            }
        }
        self.run_event(at, class, event);
        self.ctx.0.notes.borrow_mut().end();
        true
    }

    /// The place of the event that comes next.
    fn take_next(&self, search: &mut Search, end: Time, known: &mut dyn FnMut(u64, usize) -> bool) -> Option<usize> {
        let core = &*self.ctx.0;
        let mut queue = core.queue.borrow_mut();
        loop {
            if !search.agenda.gather(&mut queue, end) {
                return None;
            }
            let parks = core.parks.borrow();
            search.agenda.retain(|e| e.handler != HandlerId::WAKE || parks.waits(Ticket::unpack(e.arg)));
            if !search.agenda.is_empty() {
                break;
            }
        }
        if search.agenda.len() == 1 {
            return Some(0);
        }
        let Search { agenda, events, offered, hashes, .. } = search;
        events.clear();
        events.extend(agenda.events().map(|(sequence, e)| (sequence, e, self.name_of(&e))));
        offered.clear();
        for (i, (_, event, name)) in events.iter().enumerate() {
            let behind = |(_, e, n): &(u64, Event, Name)| {
                e.handler == event.handler && (e.arg == event.arg || name.is_stream && n.what == name.what && n.object == name.object)
            };
            if event.handler == HandlerId::WAKE || !events[..i].iter().any(behind) {
                offered.push(i);
            }
        }
        if offered.len() == 1 {
            return Some(offered[0]);
        }
        let mut choices = core.choices.borrow_mut();
        let mut notes = core.notes.borrow_mut();
        let state = notes.state(offered.iter().map(|i| events[*i].0));
        let made = choices.log().len();
        if known(state, made) {
            search.known = true;
            return None;
        }
        hashes.clear();
        hashes.extend(offered.iter().map(|i| events[*i].2.hash()));
        let hash = hashes[0];
        let next = search.numbers.len() as u32;
        let id = *search.numbers.entry(hash).or_insert(next);
        let chosen = choices.turn(search.point, Object { id, hash }, hashes);
        let so_far = &mut notes.so_far;
        let (from, count) = (so_far.candidates.len() as u32, offered.len() as u32);
        so_far.candidates.extend(offered.iter().map(|i| events[*i].0 as u32));
        so_far.asked.push(Asked { choice: made as u32, step: so_far.steps.len() as u32, from, count });
        so_far.states.push(state);
        Some(offered[chosen as usize])
    }

    fn name_of(&self, event: &Event) -> Name {
        if event.handler == HandlerId::WAKE {
            return self.ctx.0.notes.borrow().name_of(Ticket::unpack(event.arg).slot);
        }
        self.ctx.0.handlers.borrow()[event.handler.0 as usize].name(event.arg)
    }

    /// Whether the run ended in a state that was known.
    #[must_use]
    pub fn ended_known(&self) -> bool {
        self.search.as_ref().is_some_and(|s| s.known)
    }

    /// Hands out what was noted and which choices were made.
    #[must_use]
    pub fn searched(&self) -> (Searched, Vec<Drawn>) {
        let notes = std::mem::take(&mut self.ctx.0.notes.borrow_mut().so_far);
        (notes, self.ctx.0.choices.borrow_mut().take_log())
    }
}
