//! What the kernel shares with all its handles: the clock, the event queue, the handlers, who is
//! parked, and the choices.

use super::process::{Group, Parks, Process, Ticket};
use super::search::{Name, Notes};
use super::{Choices, Class, Dur, EventQueue, Lane, Time};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

/// The cause of what nothing caused, and the version seen by one who saw none.
pub(crate) const NONE: u32 = u32::MAX;

/// What an event tells its handler, in the 64 bits that the queue has for it.
pub(crate) trait Argument: Copy {
    /// As bits.
    fn pack(self) -> u64;

    /// From the bits that [`Argument::pack`] made.
    fn unpack(bits: u64) -> Self;
}

impl Argument for u32 {
    fn pack(self) -> u64 {
        u64::from(self)
    }

    fn unpack(bits: u64) -> Self {
        bits as u32
    }
}

impl Argument for u64 {
    fn pack(self) -> u64 {
        self
    }

    fn unpack(bits: u64) -> Self {
        bits
    }
}

/// Receives events that are data rather than processes: arrivals, deliveries, timers.
pub(crate) trait Handler {
    /// What its events tell it.
    type Argument: Argument;

    /// Runs one event; `argument` is what it was posted with.
    fn handle(&self, argument: Self::Argument);

    /// What it is, for the message of a run that does not go on.
    fn kind(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// What the event is called in a search: asked for once, when it is due, and without asking the
    /// kernel anything.
    fn name(&self, _argument: Self::Argument) -> Name {
        Name::NONE
    }
}

/// A handler as the kernel keeps it, whatever its events tell it.
pub(super) trait Receive {
    fn receive(&self, bits: u64);
    fn kind(&self) -> &'static str;
    fn name(&self, bits: u64) -> Name;
}

impl<H: Handler> Receive for H {
    fn receive(&self, bits: u64) {
        self.handle(H::Argument::unpack(bits));
    }

    fn kind(&self) -> &'static str {
        Handler::kind(self)
    }

    fn name(&self, bits: u64) -> Name {
        Handler::name(self, H::Argument::unpack(bits))
    }
}

/// Names a registered handler, and says what its events tell it.
#[derive(Clone, Copy)]
pub(crate) struct HandlerId<A = u64> {
    pub(super) number: u32,
    pub(super) tells: PhantomData<A>,
}

/// In the place of a handler's number: the event wakes the process whose ticket is in its bits.
pub(super) const WAKE: u32 = u32::MAX;

/// What the queue carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) bits: u64,
    pub(super) handler: u32,
    pub(super) cause: u32,
}

/// What a step asked of the set of processes; done when the step is over, in this order.
pub(super) enum Command {
    Start(u32, Process),
    Kill(Group),
}

/// The tables of a run: emptied, they serve the next.
#[derive(Default)]
pub(super) struct Tables {
    queue: EventQueue<Event>,
    parks: Parks,
    handlers: Vec<Rc<dyn Receive>>,
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
    pub(super) handlers: RefCell<Vec<Rc<dyn Receive>>>,
    pub(super) commands: RefCell<Vec<Command>>,
    /// Whether `commands` holds any: read at every step.
    pub(super) commanded: Cell<bool>,
    pub(super) choices: RefCell<Choices>,
    pub(super) groups: Cell<u32>,
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
    /// One in these tables, of a run that is over or new ones.
    pub(super) fn new(choices: Choices, tables: Tables, searching: bool) -> Self {
        let Tables { mut queue, parks, handlers, commands, notes } = tables;
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
        // A process keeps its own cause, so the event carries none; `Ctx::after_steps` puts in that place for how
        // many steps it waits.
        Event { bits: t.pack(), handler: WAKE, cause: NONE }
    }

    /// Notes something of the run where it is part of a search.
    #[inline]
    pub(super) fn note(&self, f: impl FnOnce(&mut Notes)) {
        if self.searching.get() {
            f(&mut self.notes.borrow_mut());
        }
    }

    /// An event is about to be posted.
    #[inline]
    pub(super) fn posting(&self) {
        self.note(Notes::post);
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
