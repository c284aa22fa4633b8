//! What the kernel shares with all its handles: the clock, the event queue, the handlers, who is
//! parked, and the choices.

use super::choice::Choices;
use super::process::{Group, Parks, Task, Ticket};
use super::queue::{EventQueue, Lane};
use super::search::{Name, Notes};
use super::{Class, Dur, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The cause of what nothing caused, and the version seen by one who saw none.
pub const NONE: u32 = u32::MAX;

/// Receives events that are data rather than processes: arrivals, deliveries, timers.
pub trait Handler {
    /// Runs one event; `arg` is what it was posted with.
    fn handle(&self, arg: u64);

    /// What it is, for the message of a run that does not go on.
    fn kind(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// What the event is called in a search: asked for once, when it is due, and without asking the
    /// kernel anything.
    fn name(&self, arg: u64) -> Name {
        let _ = arg;
        Name::NONE
    }
}

/// Names a registered handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandlerId(pub(super) u32);

impl HandlerId {
    /// Not a handler: the event wakes the process whose ticket is in the argument.
    pub(super) const WAKE: Self = Self(u32::MAX);
}

/// What the queue carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) arg: u64,
    pub(super) handler: HandlerId,
    pub(super) cause: u32,
}

/// What a step asked of the set of processes; done when the step is over, in this order.
pub(super) enum Command {
    Start {
        slot: u32,
        group: Group,
        cause: u32,
        saw: u32,
        kind: &'static str,
        task: Task,
    },
    Kill(Group),
}

/// The tables of a run: emptied, they serve the next.
#[derive(Default)]
pub(super) struct Tables {
    queue: EventQueue<Event>,
    parks: Parks,
    handlers: Vec<Rc<dyn Handler>>,
    commands: Vec<Command>,
    pub(super) notes: Notes,
}

/// What the kernel and all its handles share.
pub(super) struct Core {
    pub(super) now: Cell<Time>,
    pub(super) class: Cell<Class>,
    pub(super) cause: Cell<u32>,
    pub(super) saw: Cell<u32>,
    /// Slot of the process that is being polled.
    pub(super) running: Cell<Option<u32>>,
    pub(super) queue: RefCell<EventQueue<Event>>,
    pub(super) parks: RefCell<Parks>,
    pub(super) handlers: RefCell<Vec<Rc<dyn Handler>>>,
    pub(super) commands: RefCell<Vec<Command>>,
    /// Whether `commands` holds any: read at every step.
    pub(super) commanded: Cell<bool>,
    pub(super) choices: RefCell<Choices>,
    pub(super) groups: Cell<u32>,
    pub(super) live: Cell<usize>,
    /// Lane of processes that are ready.
    pub(super) ready: Lane,
    /// The kernel is gone: nothing is started any more.
    pub(super) closed: Cell<bool>,
    /// Whether the run is part of a search and notes what it does.
    pub(super) searching: Cell<bool>,
    pub(super) notes: RefCell<Notes>,
    /// At most this many steps may follow each other in one instant.
    pub(super) most_steps: Cell<u64>,
}

impl Core {
    pub(super) fn new(choices: Choices) -> Self {
        Self::of(choices, Tables::default(), false)
    }

    /// In the tables of a run that is over.
    pub(super) fn of(choices: Choices, tables: Tables, searching: bool) -> Self {
        let Tables {
            mut queue,
            parks,
            handlers,
            commands,
            notes,
        } = tables;
        let ready = queue.lane(Dur::ZERO, Class::Wake);
        Self {
            now: Cell::new(Time::ZERO),
            class: Cell::new(Class::Outside),
            cause: Cell::new(NONE),
            saw: Cell::new(NONE),
            running: Cell::new(None),
            queue: RefCell::new(queue),
            parks: RefCell::new(parks),
            handlers: RefCell::new(handlers),
            commands: RefCell::new(commands),
            commanded: Cell::new(false),
            choices: RefCell::new(choices),
            groups: Cell::new(0),
            live: Cell::new(0),
            ready,
            closed: Cell::new(false),
            searching: Cell::new(searching),
            notes: RefCell::new(notes),
            most_steps: Cell::new(u64::MAX),
        }
    }

    /// Hands out the tables of a run that is over, and for good: its handles are of no use after
    /// that.
    pub(super) fn tables(&self) -> Tables {
        Tables {
            queue: self.queue.take().again(),
            parks: self.parks.take().again(),
            handlers: self.handlers.take(),
            commands: self.commands.take(),
            notes: self.notes.take(),
        }
    }

    pub(super) fn wake_event(&self, t: Ticket) -> Event {
        // A process keeps its own cause, so the event carries none.
        Event {
            arg: t.pack(),
            handler: HandlerId::WAKE,
            cause: NONE,
        }
    }

    /// An event is about to be posted.
    #[inline]
    pub(super) fn posting(&self) {
        if self.searching.get() {
            self.notes.borrow_mut().post();
        }
    }

    /// Has choices made; those that are not the default ones make another step of the running one.
    #[inline]
    pub(super) fn choosing<R>(&self, f: impl FnOnce(&mut Choices) -> R) -> R {
        let mut choices = self.choices.borrow_mut();
        let before = choices.log().len();
        let result = f(&mut choices);
        if self.searching.get() {
            let mut notes = self.notes.borrow_mut();
            for drawn in choices.log()[before..].iter().filter(|d| d.deviates()) {
                notes.chose(drawn.value);
            }
        }
        result
    }
}
