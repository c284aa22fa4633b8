//! The handle through which everything in a simulation reaches the kernel: time, causes, events,
//! processes, choices.

use super::choice::{Choices, Deviation, Object, PointId};
use super::process::{Group, Parks, Task, Ticket};
use super::queue::{EventKey, EventQueue, Lane};
use super::search::{Key, Keys, Name, Notes};
use super::{Class, Dur, Time};
use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// The cause of what nothing caused, and the version seen by one who saw none.
pub const NONE: u32 = u32::MAX;

/// Receives events that are data rather than processes: arrivals, deliveries, timers.
pub trait Handler {
    /// Runs one event; `arg` is what it was posted with.
    fn handle(&self, arg: u64);

    /// What it is, for a run that does not go on.
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
    /// So many steps may follow each other in one instant.
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

    fn wake_event(&self, t: Ticket) -> Event {
        // A process keeps its own cause, so the event carries none.
        Event {
            arg: t.pack(),
            handler: HandlerId::WAKE,
            cause: NONE,
        }
    }

    /// An event is about to be posted.
    #[inline]
    fn posting(&self) {
        if self.searching.get() {
            self.notes.borrow_mut().post();
        }
    }

    /// Has choices made; those that are not the default ones make another step of the running one.
    #[inline]
    fn choosing<R>(&self, f: impl FnOnce(&mut Choices) -> R) -> R {
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

/// A handle to the kernel; cheap to clone.
#[derive(Clone)]
pub struct Ctx(pub(super) Rc<Core>);

/// Time and causes.
impl Ctx {
    /// The class of the event that is running: events of this instant of lower classes have run.
    #[must_use]
    pub fn class(&self) -> Class {
        self.0.class.get()
    }

    /// The present instant.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        self.0.now.get()
    }

    /// The record that led to what is running; [`NONE`] at first. An event takes the cause of the
    /// moment it is posted and gives it back when it runs; a process keeps its own across awaits,
    /// and starts with its spawner's.
    #[inline]
    #[must_use]
    pub fn cause(&self) -> u32 {
        self.0.cause.get()
    }

    /// Names the record that leads to what runs from here on.
    #[inline]
    pub fn set_cause(&self, cause: u32) {
        self.0.cause.set(cause);
    }

    /// The record of the version that the running process acts on; [`NONE`] if it has looked at
    /// none. A process keeps its own across awaits; a handler starts with [`NONE`].
    #[inline]
    #[must_use]
    pub fn saw(&self) -> u32 {
        self.0.saw.get()
    }

    /// Names the record of the version acted on.
    #[inline]
    pub fn set_saw(&self, saw: u32) {
        self.0.saw.set(saw);
    }
}

/// Events.
impl Ctx {
    /// Makes a handler known, so that events can be posted to it.
    pub fn register(&self, handler: Rc<dyn Handler>) -> HandlerId {
        let mut handlers = self.0.handlers.borrow_mut();
        handlers.push(handler);
        HandlerId(handlers.len() as u32 - 1)
    }

    /// The FIFO lane of events of `class` that are due `delay` after they are posted; the same pair
    /// gives the same lane.
    #[must_use]
    pub fn lane(&self, delay: Dur, class: Class) -> Lane {
        self.0.queue.borrow_mut().lane(delay, class)
    }

    /// Posts an event that is due the lane's delay from now. Cheaper than [`Ctx::post_at`]; it
    /// cannot be cancelled.
    #[inline]
    pub fn post_in(&self, lane: Lane, handler: HandlerId, arg: u64) {
        self.0.posting();
        self.0.queue.borrow_mut().push_in(
            lane,
            Event {
                arg,
                handler,
                cause: self.cause(),
            },
        );
    }

    /// Posts an event for any instant; one that has passed is treated as now.
    #[inline]
    pub fn post_at(&self, at: Time, class: Class, handler: HandlerId, arg: u64) -> EventKey {
        self.0.posting();
        self.0.queue.borrow_mut().push_at(
            at,
            class,
            Event {
                arg,
                handler,
                cause: self.cause(),
            },
        )
    }

    /// As [`Self::post_at`], for events of which it must not matter when they were posted: they
    /// come behind all of their instant and class that have no rank, in the order of ranks.
    pub fn post_ranked(
        &self,
        at: Time,
        class: Class,
        rank: u64,
        handler: HandlerId,
        arg: u64,
    ) -> EventKey {
        self.0.posting();
        self.0.queue.borrow_mut().push_ranked(
            at,
            class,
            rank,
            Event {
                arg,
                handler,
                cause: self.cause(),
            },
        )
    }

    /// Takes an event back; false if it ran or was cancelled before.
    #[inline]
    pub fn cancel(&self, key: EventKey) -> bool {
        self.0.queue.borrow_mut().cancel(key)
    }
}

/// Processes.
impl Ctx {
    /// From now on a run that takes more steps than this without its clock going on ends in a panic
    /// with [`Endless`](super::Endless), as it would never end otherwise.
    pub fn limit_instant(&self, steps: u64) {
        self.0.most_steps.set(steps);
    }

    /// A new group, with no process in it.
    #[must_use]
    pub fn group(&self) -> Group {
        let n = self.0.groups.get();
        self.0.groups.set(n + 1);
        Group(n)
    }

    /// Starts a process. It first runs when its turn comes in this instant, behind the processes
    /// that are ready already.
    pub fn spawn(&self, group: Group, f: impl Future<Output = ()> + 'static) {
        let name = self.name();
        self.spawn_named(name, group, f);
    }

    /// As [`Ctx::spawn`], under another name than its spawner's.
    pub fn spawn_named<F: Future<Output = ()> + 'static>(&self, name: Name, group: Group, f: F) {
        let core = &*self.0;
        if core.closed.get() {
            return;
        }
        let ticket = core.parks.borrow_mut().occupy();
        if core.searching.get() {
            core.notes.borrow_mut().start(ticket.slot, name);
        }
        core.live.set(core.live.get() + 1);
        let (cause, saw) = (self.cause(), self.saw());
        let kind = std::any::type_name::<F>();
        self.command(Command::Start {
            slot: ticket.slot,
            group,
            cause,
            saw,
            kind,
            task: Box::pin(f),
        });
        self.wake(ticket);
    }

    /// As [`Ctx::spawn_named`], for one of several workers that are alike: whatever else is started
    /// like this of the same future's type in the same group runs the same code on the same data,
    /// so that it makes no difference which of them starts first.
    pub fn spawn_alike<F: Future<Output = ()> + 'static>(&self, name: Name, group: Group, f: F) {
        self.spawn_named(name, group, f);
        if self.0.searching.get() {
            self.0.notes.borrow_mut().alike(TypeId::of::<F>(), group);
        }
    }

    /// Ends all processes that are in the group by now, as soon as the current step is over: none
    /// of them runs again, and what they hold is dropped. Events that they posted still run.
    pub fn kill(&self, group: Group) {
        self.command(Command::Kill(group));
    }

    fn command(&self, command: Command) {
        self.0.commands.borrow_mut().push(command);
        self.0.commanded.set(true);
    }

    /// Parks the running process, which must then return to the kernel: what a leaf future calls
    /// just before it is pending. Panics if no process is running.
    #[track_caller]
    pub fn park(&self) -> Ticket {
        let slot = self.0.running.get().expect("only a process can park");
        self.0.parks.borrow_mut().park(slot)
    }

    /// Claims the right to wake a parked process: true once per ticket, and never for a process
    /// that has gone on or is dead.
    #[inline]
    pub fn claim(&self, t: Ticket) -> bool {
        let claimed = self.0.parks.borrow_mut().claim(t);
        // Who comes first decides what it is woken by, and so for whom a later one comes too late.
        if self.0.searching.get() {
            self.0
                .notes
                .borrow_mut()
                .touch(Keys::PROCESSES.of(t.slot), claimed);
        }
        claimed
    }

    /// Whether the process still waits at this park, unclaimed.
    #[inline]
    #[must_use]
    pub fn alive(&self, t: Ticket) -> bool {
        self.0.parks.borrow().alive(t)
    }

    /// Whether the process still waits at this park, and somebody has claimed it.
    #[inline]
    #[must_use]
    pub fn claimed(&self, t: Ticket) -> bool {
        let parks = self.0.parks.borrow();
        parks.waits(t) && !parks.alive(t)
    }

    /// Wakes a parked process: it goes on in this instant, behind those that are ready already. A
    /// stale ticket wakes nobody.
    #[inline]
    pub fn wake(&self, t: Ticket) {
        self.wake_in(self.0.ready, t);
    }

    /// Wakes a parked process when the lane's delay has passed.
    #[inline]
    pub fn wake_in(&self, lane: Lane, t: Ticket) {
        self.0.posting();
        self.0
            .queue
            .borrow_mut()
            .push_in(lane, self.0.wake_event(t));
    }

    /// Wakes a parked process at an instant; one that has passed is treated as now.
    #[inline]
    pub fn wake_at(&self, at: Time, t: Ticket) {
        self.0.posting();
        self.0
            .queue
            .borrow_mut()
            .push_at(at, Class::Wake, self.0.wake_event(t));
    }

    /// Parks once, hands the ticket to `register`, and completes when the process is woken. The
    /// body of every leaf; a process awaits one leaf at a time, so there are no joins or selects of
    /// arbitrary futures.
    #[must_use = "a future does nothing unless awaited"]
    pub fn parked(&self, mut register: impl FnMut(Ticket)) -> impl Future<Output = ()> {
        let mut armed = false;
        poll_fn(move |_| {
            if armed {
                return Poll::Ready(());
            }
            armed = true;
            register(self.park());
            Poll::Pending
        })
    }

    /// Goes on after `d`, in class `Wake`. Sleeping for no time lets those go first that are ready
    /// already.
    #[must_use = "a future does nothing unless awaited"]
    pub fn sleep(&self, d: Dur) -> impl Future<Output = ()> {
        self.parked(move |t| {
            self.0.posting();
            let mut queue = self.0.queue.borrow_mut();
            match queue.find_lane(d, Class::Wake) {
                Some(lane) => queue.push_in(lane, self.0.wake_event(t)),
                None => {
                    let at = self.now().saturating_add(d);
                    queue.push_at(at, Class::Wake, self.0.wake_event(t));
                }
            }
        })
    }

    /// Goes on at an instant, in class `Wake`; one that has passed is treated as now.
    #[must_use = "a future does nothing unless awaited"]
    pub fn sleep_until(&self, at: Time) -> impl Future<Output = ()> {
        self.parked(move |t| self.wake_at(at, t))
    }

    /// A place where upstream lets others in between two steps. Costs nothing, and no event, unless
    /// the choices let all others of this instant go first here.
    pub async fn yield_point(&self, point: PointId) {
        if self.yields(point, Object::NONE) {
            self.after_others().await;
        }
    }

    /// Goes on when nobody else goes on in this instant.
    #[must_use = "a future does nothing unless awaited"]
    pub fn after_others(&self) -> impl Future<Output = ()> {
        self.parked(|t| {
            self.0.posting();
            let mut queue = self.0.queue.borrow_mut();
            // There may be very many in one instant, and a lane takes each at a constant price.
            let lane = queue.lane(Dur::ZERO, Class::Timer);
            queue.push_in(lane, self.0.wake_event(t));
        })
    }
}

/// What steps touch, for searches: declared where it happens, and nothing but a test where nobody
/// searches.
impl Ctx {
    /// The family of state of this name.
    #[must_use]
    pub fn keys(&self, name: &'static str) -> Keys {
        if self.0.searching.get() {
            self.0.notes.borrow_mut().keys(name)
        } else {
            Keys::UNDECLARED
        }
    }

    /// A new piece of state.
    #[must_use]
    pub fn key(&self) -> Key {
        if self.0.searching.get() {
            self.0.notes.borrow_mut().thing()
        } else {
            Key::default()
        }
    }

    /// The running step reads a piece of state.
    #[inline]
    pub fn reads(&self, key: Key) {
        if self.0.searching.get() {
            self.0.notes.borrow_mut().touch(key, false);
        }
    }

    /// The running step changes a piece of state.
    #[inline]
    pub fn writes(&self, key: Key) {
        if self.0.searching.get() {
            self.0.notes.borrow_mut().touch(key, true);
        }
    }

    /// What the running step is called; what it starts is called the same.
    #[must_use]
    pub fn name(&self) -> Name {
        if self.0.searching.get() {
            self.0.notes.borrow().name
        } else {
            Name::NONE
        }
    }

    /// The running step works for one whose state nobody declares; see [`Name::home_key`].
    pub fn at_home(&self, home: Option<Key>) {
        if let Some(key) = home {
            self.writes(key);
        }
    }

    /// The running process is called so from here on. One that only waits for work is [at
    /// rest](Name::at_rest).
    pub fn becomes(&self, name: Name) {
        if let (true, Some(slot)) = (self.0.searching.get(), self.0.running.get()) {
            let mut notes = self.0.notes.borrow_mut();
            notes.rename(slot, name);
            notes.name = name;
            drop(notes);
            self.at_home(name.home_key());
        }
    }

    /// Does something under another name.
    pub fn under<R>(&self, name: Name, f: impl FnOnce() -> R) -> R {
        if !self.0.searching.get() {
            return f();
        }
        let before = std::mem::replace(&mut self.0.notes.borrow_mut().name, name);
        let result = f();
        self.0.notes.borrow_mut().name = before;
        result
    }

    /// Whether the run is part of a search.
    #[inline]
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.0.searching.get()
    }
}

/// Choices.
impl Ctx {
    /// The choice point of this name.
    #[must_use]
    pub fn point(&self, name: &'static str) -> PointId {
        self.0.choices.borrow_mut().point(name)
    }

    /// The deviations of the tape whose choice has not come up, sorted.
    #[must_use]
    pub fn unmet(&self) -> Vec<Deviation> {
        self.0.choices.borrow().unmet()
    }

    /// One of `0..alternatives`; 0, and no draw, where there is no choice.
    pub fn choose(&self, point: PointId, object: Object, alternatives: u32) -> u32 {
        self.0.choosing(|c| c.choose(point, object, alternatives))
    }

    /// Whether others come first at a place where upstream lets them; never but in a search.
    pub fn yields(&self, point: PointId, object: Object) -> bool {
        self.0.choosing(|c| c.yields(point, object))
    }

    /// Whether another than the usual order can be asked for at all.
    #[must_use]
    pub fn is_choosing(&self) -> bool {
        self.0.choices.borrow().is_choosing()
    }

    /// Puts things that upstream treats at one time into the order in which it comes to them: as
    /// given, but in a search.
    pub fn order_ties<T>(&self, point: PointId, items: &mut [T], object: impl Fn(&T) -> Object) {
        self.0.choosing(|c| c.order_ties(point, items, object));
    }

    /// A number from `min` to `max`, both included; `min`, and no draw, where there is no choice.
    pub fn uniform(&self, point: PointId, object: Object, min: u64, max: u64) -> u64 {
        self.0.choosing(|c| c.uniform(point, object, min, max))
    }

    /// How long the next turn of a loop that has been running for long is away: less than its
    /// period.
    pub fn phase(&self, point: PointId, period: Dur) -> Dur {
        Dur::from_nanos(self.uniform(point, Object::NONE, 0, period.as_nanos().saturating_sub(1)))
    }

    /// The number of a given ordinal, for what may be skipped: the same whichever draws came
    /// before.
    pub fn uniform_at(
        &self,
        point: PointId,
        object: Object,
        ordinal: u32,
        min: u64,
        max: u64,
    ) -> u64 {
        self.0
            .choosing(|c| c.uniform_at(point, object, ordinal, min, max))
    }

    /// 64 uniform bits; 0 in the default order.
    pub fn draw(&self, point: PointId, object: Object) -> u64 {
        self.0.choosing(|c| c.draw(point, object))
    }

    /// Puts items into the order in which Go walks a map: an arbitrary one. Each item draws its own
    /// rank, so that one more item changes nothing in the order of the others. Without randomness
    /// the order stays as given.
    pub fn order<T>(&self, point: PointId, items: &mut [T], object: impl Fn(&T) -> Object) {
        self.0.choosing(|c| c.order(point, items, object));
    }

    /// The order of a given ordinal of some of `whole` items, as they have it among all of them;
    /// `place` says how many of all come before an item as given.
    pub fn order_some_at<T>(
        &self,
        point: PointId,
        ordinal: u32,
        whole: usize,
        items: &mut [T],
        place: impl Fn(&T) -> usize,
        object: impl Fn(&T) -> Object,
    ) {
        self.0
            .choosing(|c| c.order_some_at(point, ordinal, whole, items, place, object));
    }

    /// The order of a given ordinal, for walks that may be skipped: the same whichever came before.
    pub fn order_at<T>(
        &self,
        point: PointId,
        ordinal: u32,
        items: &mut [T],
        object: impl Fn(&T) -> Object,
    ) {
        self.0
            .choosing(|c| c.order_at(point, ordinal, items, object));
    }
}
