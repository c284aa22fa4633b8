//! The executor of a search: every event of an instant that could come next is offered to the
//! choices.
//!
//! Events of one stream keep their order, and so do those that are alike (the same handler, the
//! same argument): of these only the first is offered. A wake-up that has gone stale is passed
//! over: it has no effect.
//!
//! Where the tables of a search's run wait for the next run.
//!
//! Here is also the run, step by step: in the usual order, or as a search has it.

use super::choice::{Choices, Drawn, Object};
use super::core::{Command, Core, Event, Tables, WAKE};
use super::process::{Process, Ticket};
use super::search::{Keys, Name, Notes, Searched, Wanted};
use super::turns::{Label, NEXT, Search};
use super::{Endless, EventQueue, Kernel, Time};
use std::rc::Rc;

/// More choices than this are not kept of one run: they would need more than a gigabyte.
const MOST_CHOICES: usize = 1 << 24;

impl Kernel {
    /// A kernel that asks its choices which event of an instant comes next, and notes what its
    /// steps do. Without deviations it runs as any other.
    pub fn searching(choices: Choices) -> Self {
        Self::searching_in(&mut Room::default(), choices, Wanted::default())
    }

    /// As [`Kernel::searching`], in the tables of an earlier run.
    pub(crate) fn searching_in(room: &mut Room, choices: Choices, wanted: Wanted) -> Self {
        let mut choices = room.take_in(choices);
        if !wanted.no_choices {
            choices = choices.recorded_in(std::mem::take(&mut room.log));
        }
        let mut search = room.search.take().unwrap_or_default();
        search.point = Some(choices.point(NEXT));
        choices.note_turns();
        search.began = (None, 0);
        search.goroutine = None;
        search.known = false;
        let mut tables = std::mem::take(&mut room.tables);
        tables.notes = tables.notes.again(std::mem::take(&mut room.noted), wanted);
        let core = placed(Core::new(choices, tables, true), room.core.take());
        let mut kernel = Self::over(core, Some(search));
        kernel.processes = std::mem::take(&mut room.processes);
        kernel.spare = std::mem::take(&mut room.commands);
        kernel
    }

    /// Ends the run of a search, and leaves its tables in the room. Nothing else of the run may be
    /// in use any more.
    pub(crate) fn leave(mut self, room: &mut Room) {
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

    /// Runs one event if it is due at `end` or earlier; false when there is none, or when the run
    /// need not go on. The latter is for `known` to say in each state in which there is a choice of
    /// interest; it is given the state's fingerprint.
    pub(crate) fn search_until(&mut self, end: Time, known: &mut dyn FnMut(u64) -> bool) -> bool {
        self.obey();
        let Some(mut search) = self.search.take() else { return false };
        let place = self.take_next(&mut search, end, known);
        let popped = place.map(|p| search.agenda.take(&mut self.ctx.0.queue.borrow_mut(), p));
        let at = search.agenda.at();
        let goes_on = popped.filter(|held| held.label.name.goes_on);
        search.goroutine = goes_on.map(|held| held.label.hash);
        self.search = Some(search);
        let Some(held) = popped else { return false };
        let event = held.event;
        {
            let mut notes = self.ctx.0.notes.borrow_mut();
            let choices = self.ctx.0.choices.borrow().log().len();
            notes.begin(at, held.sequence(), choices, held.label.name);
            if event.handler == WAKE {
                notes.touch(Keys::PROCESSES.of(Ticket::unpack(event.bits).slot), true);
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
        let (mut notes, mut choices) = (core.notes.borrow_mut(), core.choices.borrow_mut());
        let (point, made) = (search.point?, choices.log().len());
        if made > MOST_CHOICES {
            std::panic::panic_any(Endless::Chooses { at: queue.now(), choices: made });
        }
        let is_of_interest = made >= notes.wanted.from;
        // Of a choice that is of no interest it is enough to know that there is one, unless the
        // tape says something about it.
        let two_suffice =
            |object| !is_of_interest && !choices.may_turn() && !choices.is_planned(point, object);
        let object = self.offer_next(search, &mut queue, end, &notes, two_suffice)?;
        let at = search.agenda.at();
        if search.began.0 != Some(at) {
            search.began = (Some(at), self.steps());
            search.goroutine = None;
        }
        let mut next = None;
        if choices.draws_turns() {
            search.let_others_go(self.steps());
            if choices.is_natural() {
                let step = (self.steps() - search.began.1) as u32;
                let goes_on = || choices.goes_on(point, at.as_nanos(), step);
                let newest = || search.newest(step).filter(|_| goes_on());
                next = search.next_of_goroutine().or_else(newest);
            }
        }
        let Search { agenda, offered, known: ended_known, .. } = search;
        if let [only] = offered[..] {
            return Some(only);
        }
        let events = agenda.events();
        if is_of_interest {
            let candidates = offered.iter().map(|i| events[*i].sequence());
            let state = notes.state(candidates.clone());
            if known(state) {
                *ended_known = true;
                return None;
            }
            notes.asked(made, state, candidates);
        }
        let hashes = offered.iter().map(|i| events[*i].label.hash);
        let chosen = choices.turn(point, object, hashes, next);
        Some(offered[chosen as usize])
    }

    /// Lays out the next instant in which anything can happen, and offers the events of it that can
    /// come next; the result is the object that a choice among them is made for. Nothing if no
    /// event is due at `end` or earlier.
    fn offer_next(
        &self,
        search: &mut Search,
        queue: &mut EventQueue<Event>,
        end: Time,
        notes: &Notes,
        two_suffice: impl Fn(Object) -> bool,
    ) -> Option<Object> {
        let parks = self.ctx.0.parks.borrow();
        loop {
            let Search { agenda, hashes, .. } = search;
            let label = |event: &Event| {
                let name = self.name_of(event, notes);
                Label { name, hash: hashes.of(&name), step: self.steps() }
            };
            if !agenda.gather(queue, end, label) {
                return None;
            }
            let object = search.offer(&parks, &two_suffice);
            if !search.offered.is_empty() {
                return Some(object);
            }
            search.agenda.clear();
        }
    }

    fn name_of(&self, event: &Event, notes: &Notes) -> Name {
        if event.handler == WAKE {
            return notes.name_of(Ticket::unpack(event.bits).slot);
        }
        self.ctx.0.handlers.borrow()[event.handler as usize].name(event.bits)
    }

    /// Whether the run ended in a state that was known.
    pub(crate) fn ended_known(&self) -> bool {
        self.search.as_ref().is_some_and(|s| s.known)
    }

    /// Hands out what was noted and which choices were made.
    pub(crate) fn searched(&self) -> (Searched, Vec<Drawn>) {
        let notes = std::mem::take(&mut self.ctx.0.notes.borrow_mut().so_far);
        (notes, self.ctx.0.choices.borrow_mut().take_log())
    }

    /// Runs one event; false when there is none.
    pub fn step(&mut self) -> bool {
        self.step_until(Time::MAX)
    }

    /// Runs all events that are due at `end` or earlier; then it is `end`.
    pub fn run_until(&mut self, end: Time) {
        while self.step_until(end) {}
        let core = &*self.ctx.0;
        core.now.set(core.now.get().max(end));
        core.queue.borrow_mut().advance_to(end);
    }

    /// Runs one event if it is due at `end` or earlier; false when there is none.
    pub(crate) fn step_until(&mut self, end: Time) -> bool {
        if self.search.is_some() {
            return self.search_until(end, &mut |_| false);
        }
        self.obey();
        let popped = self.ctx.0.queue.borrow_mut().pop_until(end);
        let Some((at, class, event)) = popped else { return false };
        self.run_event(at, class, event);
        true
    }
}

/// The tables of a search's run that is over, for the next: a run is short, and making tables is
/// much of it.
#[derive(Default)]
pub(crate) struct Room {
    /// The place of the kernel itself.
    pub(super) core: Option<Rc<Core>>,
    pub(super) tables: Tables,
    pub(super) processes: Vec<Process>,
    pub(super) commands: Vec<Command>,
    pub(super) search: Option<Box<Search>>,
    pub(super) choices: Option<Choices>,
    pub(super) log: Vec<Drawn>,
    pub(super) noted: Searched,
}

/// Puts a kernel into the place of one that is gone, unless somebody still has a handle to that.
pub(super) fn placed(core: Core, old: Option<Rc<Core>>) -> Rc<Core> {
    if let Some(mut old) = old
        && let Some(place) = Rc::get_mut(&mut old)
    {
        *place = core;
        return old;
    }
    Rc::new(core)
}

impl Room {
    /// These choices in the tables of the last run.
    pub(super) fn take_in(&mut self, choices: Choices) -> Choices {
        if let Some(over) = self.choices.take() { choices.in_tables_of(over) } else { choices }
    }

    /// Takes back what a run noted.
    pub(crate) fn take_back(&mut self, noted: Searched, log: Vec<Drawn>) {
        (self.noted, self.log) = (noted, log);
    }
}
