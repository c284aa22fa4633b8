//! The executor of a search: every event of an instant that could come next is offered to the
//! choices.
//!
//! Events of one stream keep their order, and so do those that are alike (the same handler, the
//! same argument): of these only the first is offered. A wake-up that has gone stale is passed
//! over: nothing can come of it.

use super::choice::{Choices, Deviation, Drawn, Object, PointId};
use super::ctx::{Command, Core, Event, HandlerId, Tables};
use super::executor::{Endless, Kernel, NEXT, Process};
use super::process::Ticket;
use super::queue::{Agenda, Held};
use super::search::{Hashes, Keys, Name, Notes, Searched, Wanted};
use super::{HashIndex, Time};
use std::rc::Rc;

/// More choices than this are not kept of one run: they would need more than a gigabyte.
const MOST_CHOICES: usize = 1 << 24;

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

/// What an event is called, as long as it waits, and the hash of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    name: Name,
    hash: u64,
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

/// Whether an event can only come after an earlier one: both are handled alike, or come over one
/// connection.
fn is_behind(earlier: &Held<Event, Label>, event: &Held<Event, Label>) -> bool {
    let alike = event.label.name.is_stream && earlier.label.hash == event.label.hash;
    earlier.event.handler == event.event.handler && (alike || earlier.event.arg == event.event.arg)
}

/// The tables of a search's run that is over, for the next: a run is short, and making tables is
/// much of it.
#[derive(Default)]
pub struct Room {
    /// The place of the kernel itself.
    core: Option<Rc<Core>>,
    tables: Tables,
    processes: Vec<Process>,
    commands: Vec<Command>,
    search: Option<Box<Search>>,
    choices: Option<Choices>,
    log: Vec<Drawn>,
    noted: Searched,
}

/// Puts a kernel into the place of one that is gone, unless somebody still has a handle to that.
fn placed(core: Core, old: Option<Rc<Core>>) -> Rc<Core> {
    if let Some(mut old) = old
        && let Some(place) = Rc::get_mut(&mut old)
    {
        *place = core;
        return old;
    }
    Rc::new(core)
}

impl Room {
    /// Choices that follow a tape over the default order.
    pub fn tape(&mut self, deviations: Vec<Deviation>) -> Choices {
        let log = std::mem::take(&mut self.log);
        let base = self
            .choices
            .take()
            .map_or_else(Choices::default_order, |c| c.again(log));
        Choices::tape(deviations, base)
    }

    /// Takes back what a run noted.
    pub fn take_back(&mut self, noted: Searched, log: Vec<Drawn>) {
        (self.noted, self.log) = (noted, log);
    }
}

impl Kernel {
    /// A kernel that asks its choices which event of an instant comes next, and notes what its
    /// steps do. Without deviations it runs as any other.
    #[must_use]
    pub fn searching(choices: Choices) -> Self {
        Self::searching_in(&mut Room::default(), choices, Wanted::default())
    }

    /// As [`Kernel::searching`], in the tables of an earlier run.
    #[must_use]
    pub fn searching_in(room: &mut Room, choices: Choices, wanted: Wanted) -> Self {
        let mut choices = if wanted.no_choices {
            choices
        } else {
            Choices::recorded(choices)
        };
        let mut search = room.search.take().unwrap_or_default();
        search.point = Some(choices.point(NEXT));
        search.known = false;
        let mut tables = std::mem::take(&mut room.tables);
        tables.notes = tables.notes.again(std::mem::take(&mut room.noted), wanted);
        let core = placed(Core::of(choices, tables, true), room.core.take());
        let mut kernel = Self::over(core, Some(search));
        kernel.processes = std::mem::take(&mut room.processes);
        kernel.spare = std::mem::take(&mut room.commands);
        kernel
    }

    /// Ends the run of a search, and leaves its tables in the room. Nothing else of the run may be
    /// in use any more.
    pub fn leave(mut self, room: &mut Room) {
        self.end();
        let core = &*self.ctx.0;
        room.choices = Some(core.choices.replace(Choices::default_order()));
        room.tables = core.tables();
        room.processes = std::mem::take(&mut self.processes);
        room.commands = std::mem::take(&mut self.spare);
        room.search = self.search.take().map(|mut search| {
            search.agenda.clear();
            search
        });
        room.core = Some(self.ctx.0.clone());
    }

    /// Runs one event if it is due at `end` or earlier; false when there is none, or when `known`
    /// says of a state in which there is a choice of interest that the run need not go on from it:
    /// it is given the state's fingerprint.
    pub fn search_until(&mut self, end: Time, known: &mut dyn FnMut(u64) -> bool) -> bool {
        self.obey();
        let Some(mut search) = self.search.take() else {
            return false;
        };
        let popped = self.take_next(&mut search, end, known);
        let popped = popped.map(|place| {
            search
                .agenda
                .take(&mut self.ctx.0.queue.borrow_mut(), place)
        });
        let at = search.agenda.at();
        self.search = Some(search);
        let Some(held) = popped else { return false };
        let event = held.event;
        self.ctx
            .0
            .choices
            .borrow_mut()
            .came(at, (held.label.hash, held.sequence()));
        {
            let mut notes = self.ctx.0.notes.borrow_mut();
            notes.begin(
                at,
                held.sequence(),
                self.ctx.0.choices.borrow().log().len(),
                held.label.name,
            );
            if event.handler == HandlerId::WAKE {
                notes.touch(Keys::PROCESSES.of(Ticket::unpack(event.arg).slot), true);
            }
        }
        self.run_event(at, held.class(), event);
        self.ctx.0.notes.borrow_mut().end();
        true
    }

    /// The place of the event that comes next.
    fn take_next(
        &self,
        search: &mut Search,
        end: Time,
        known: &mut dyn FnMut(u64) -> bool,
    ) -> Option<usize> {
        let core = &*self.ctx.0;
        let mut queue = core.queue.borrow_mut();
        let Search {
            agenda,
            offered,
            firsts,
            numbers,
            hashes,
            ..
        } = search;
        let (parks, mut notes, mut choices) = (
            core.parks.borrow(),
            core.notes.borrow_mut(),
            core.choices.borrow_mut(),
        );
        let (point, made) = (search.point?, choices.log().len());
        if made > MOST_CHOICES {
            std::panic::panic_any(Endless::Chooses {
                at: queue.now(),
                choices: made,
            });
        }
        let is_of_interest = made >= notes.wanted.from;
        let mut object = Object::NONE;
        loop {
            let label = |event: &Event| {
                let name = self.name_of(event, &notes);
                Label {
                    name,
                    hash: hashes.of(&name),
                }
            };
            if !agenda.gather(&mut queue, end, label) {
                return None;
            }
            offered.clear();
            firsts.clear();
            let events = agenda.events();
            for (i, held) in events.iter().enumerate() {
                if held.event.handler == HandlerId::WAKE {
                    if !parks.waits(Ticket::unpack(held.event.arg)) {
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
                    object = Object {
                        id: numbers.of(hash),
                        hash,
                    };
                    // Before that it is enough to know that there is a choice, unless the tape or
                    // an order says something of it.
                    if !is_of_interest
                        && !choices.is_planned(point, object)
                        && !choices.is_ordered()
                    {
                        break;
                    }
                }
            }
            if !offered.is_empty() {
                break;
            }
            agenda.clear();
        }
        if let [only] = offered[..] {
            return Some(only);
        }
        let events = agenda.events();
        if is_of_interest {
            let candidates = offered.iter().map(|i| events[*i].sequence());
            let state = notes.state(candidates.clone());
            if known(state) {
                search.known = true;
                return None;
            }
            notes.asked(made, state, candidates);
        }
        let chosen = choices.turn(
            point,
            object,
            agenda.at(),
            offered
                .iter()
                .map(|i| (events[*i].label.hash, events[*i].sequence())),
        );
        Some(offered[chosen as usize])
    }

    fn name_of(&self, event: &Event, notes: &Notes) -> Name {
        if event.handler == HandlerId::WAKE {
            return notes.name_of(Ticket::unpack(event.arg).slot);
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
