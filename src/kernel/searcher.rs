//! The executor of a search: every event of an instant that could come next is offered to the choices.
//!
//! Events of one stream keep their order, and so do those that are alike (the same handler, the same argument): of these only the first
//! is offered. A wake-up that has gone stale is dropped: nothing can come of it.

use super::choice::{Choices, Deviation, Drawn, Object, PointId};
use super::ctx::{Command, Core, Event, HandlerId, Tables};
use super::executor::{Kernel, NEXT, Process};
use super::process::Ticket;
use super::queue::{Agenda, Held};
use super::search::{Asked, Hashes, Keys, Name, Searched};
use super::{HashIndex, Time};

/// What the order within each instant is chosen with.
#[derive(Default)]
pub(super) struct Search {
    pub(super) agenda: Agenda<Event, Label>,
    point: Option<PointId>,
    numbers: Numbers,
    hashes: Hashes,
    /// The places of the events that may come next; of them, those that are not wake-ups.
    offered: Vec<usize>,
    firsts: Vec<usize>,
    known: bool,
}

/// What an event is called, as long as it waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    hash: u64,
    is_stream: bool,
}

/// Numbers of names, to count choices by.
#[derive(Default)]
struct Numbers {
    names: Vec<u64>,
    index: HashIndex,
}

impl Numbers {
    fn of(&mut self, name: u64) -> u32 {
        let found = self.index.find(name, |i| self.names[i as usize] == name);
        found.unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.index.insert(name, number);
            self.names.push(name);
            number
        })
    }
}

/// Whether an event can only come after an earlier one: both are handled alike, or come over one connection.
fn is_behind(earlier: &Held<Event, Label>, event: &Held<Event, Label>) -> bool {
    let alike = event.label.is_stream && earlier.label.hash == event.label.hash;
    earlier.event.handler == event.event.handler && (alike || earlier.event.arg == event.event.arg)
}

/// The tables of a search's run that is over, for the next: a run is short, and making tables is much of it.
#[derive(Default)]
pub struct Room {
    tables: Tables,
    processes: Vec<Process>,
    commands: Vec<Command>,
    search: Box<Search>,
    choices: Option<Choices>,
    log: Vec<Drawn>,
    noted: Searched,
}

impl Room {
    /// Choices that follow a tape over the default order.
    pub fn tape(&mut self, deviations: Vec<Deviation>) -> Choices {
        let log = std::mem::take(&mut self.log);
        let base = self.choices.take().map_or_else(Choices::default_order, |c| c.again(log));
        Choices::tape(deviations, base)
    }

    /// Takes back what a run noted.
    pub fn take_back(&mut self, noted: Searched, log: Vec<Drawn>) {
        (self.noted, self.log) = (noted, log);
    }
}

impl Kernel {
    /// A kernel that asks its choices which event of an instant comes next, and notes what its steps do. Without deviations it runs
    /// as any other.
    #[must_use]
    pub fn searching(choices: Choices) -> Self {
        Self::searching_in(&mut Room::default(), choices)
    }

    /// As [`Kernel::searching`], in the tables of an earlier run.
    #[must_use]
    pub fn searching_in(room: &mut Room, choices: Choices) -> Self {
        let mut choices = Choices::recorded(choices);
        let mut search = std::mem::take(&mut room.search);
        search.point = Some(choices.point(NEXT));
        search.known = false;
        let mut tables = std::mem::take(&mut room.tables);
        tables.notes = tables.notes.again(std::mem::take(&mut room.noted));
        let mut kernel = Self::over(Core::of(choices, tables, true), Some(search));
        kernel.processes = std::mem::take(&mut room.processes);
        kernel.spare = std::mem::take(&mut room.commands);
        kernel
    }

    /// Ends the run of a search, and leaves its tables in the room. Nothing else of the run may be in use any more.
    pub fn leave(mut self, room: &mut Room) {
        self.end();
        let core = &*self.ctx.0;
        room.choices = Some(core.choices.replace(Choices::default_order()));
        room.tables = core.tables();
        room.processes = std::mem::take(&mut self.processes);
        room.commands = std::mem::take(&mut self.spare);
        room.search = self.search.take().unwrap_or_default();
        room.search.agenda.clear();
    }

    /// Runs one event if it is due at `end` or earlier; false when there is none, or when `known` says of a state in which there is a
    /// choice that the run need not go on from it: it is given the state's fingerprint, and how many choices were made before.
    pub fn search_until(&mut self, end: Time, known: &mut dyn FnMut(u64, usize) -> bool) -> bool {
        self.obey();
        let Some(mut search) = self.search.take() else { return false };
        let popped = self.take_next(&mut search, end, known);
        let popped = popped.map(|place| search.agenda.take(&mut self.ctx.0.queue.borrow_mut(), place));
        let at = search.agenda.at();
        self.search = Some(search);
        let Some(held) = popped else { return false };
        let event = held.event;
        let name = self.name_of(&event);
        self.ctx.0.choices.borrow_mut().came(at, (held.label.hash, held.sequence()));
        {
            let mut notes = self.ctx.0.notes.borrow_mut();
            notes.begin(at, held.sequence(), self.ctx.0.choices.borrow().log().len(), name);
            if event.handler == HandlerId::WAKE {
                notes.touch(Keys::PROCESSES.of(Ticket::unpack(event.arg).slot), true);
            }
        }
        self.run_event(at, held.class(), event);
        self.ctx.0.notes.borrow_mut().end();
        true
    }

    /// The place of the event that comes next.
    fn take_next(&self, search: &mut Search, end: Time, known: &mut dyn FnMut(u64, usize) -> bool) -> Option<usize> {
        let core = &*self.ctx.0;
        let mut queue = core.queue.borrow_mut();
        let Search { agenda, offered, firsts, numbers, hashes, .. } = search;
        let mut label = |event: &Event| {
            let name = self.name_of(event);
            Label { hash: hashes.of(&name), is_stream: name.is_stream }
        };
        loop {
            if !agenda.gather(&mut queue, end, &mut label) {
                return None;
            }
            let parks = core.parks.borrow();
            let alive = |e: &Event| e.handler != HandlerId::WAKE || parks.waits(Ticket::unpack(e.arg));
            if !agenda.events().iter().all(|held| alive(&held.event)) {
                agenda.retain(alive);
            }
            if !agenda.events().is_empty() {
                break;
            }
        }
        let events = agenda.events();
        if events.len() == 1 {
            return Some(0);
        }
        offered.clear();
        firsts.clear();
        for (i, held) in events.iter().enumerate() {
            if held.event.handler != HandlerId::WAKE {
                if firsts.iter().any(|j| is_behind(&events[*j], held)) {
                    continue;
                }
                firsts.push(i);
            }
            offered.push(i);
        }
        if offered.len() == 1 {
            return Some(offered[0]);
        }
        let mut notes = core.notes.borrow_mut();
        let mut choices = core.choices.borrow_mut();
        let made = choices.log().len();
        let state = notes.state(offered.iter().map(|i| events[*i].sequence()));
        if known(state, made) {
            search.known = true;
            return None;
        }
        let hash = events[offered[0]].label.hash;
        let object = Object { id: numbers.of(hash), hash };
        let chosen =
            choices.turn(search.point?, object, agenda.at(), offered.iter().map(|i| (events[*i].label.hash, events[*i].sequence())));
        let so_far = &mut notes.so_far;
        let (from, count) = (so_far.candidates.len() as u32, offered.len() as u32);
        so_far.candidates.extend(offered.iter().map(|i| events[*i].sequence() as u32));
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
