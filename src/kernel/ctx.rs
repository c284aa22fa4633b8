//! The handle through which everything in a simulation reaches the kernel: time, causes, events and
//! processes. What it has for choices is in `chances.rs`. What steps declare to a search comes last:
//! the state that they read and write, and what they are called.

use super::core::{Argument, Command, Core, Event, Handler, HandlerId, NONE};
use super::process::{Group, Process, Ticket, Work};
use super::search::Answer;
use super::{Class, Dur, EventKey, Idler, Key, Keys, Lane, Name, Object, Time};
use std::any::TypeId;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::rc::Rc;
use std::task::Poll;

/// A handle to the kernel; cheap to clone.
#[derive(Clone)]
pub struct Ctx(pub(super) Rc<Core>);

/// Time and causes.
impl Ctx {
    /// The class of the event that is running: events of this instant of lower classes have run.
    pub(crate) fn class(&self) -> Class {
        self.0.class.get()
    }

    /// The present instant.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        self.0.now.get()
    }

    /// The record that led to what is running; [`NONE`](super::NONE) at first. An event takes the
    /// cause of the moment it is posted and gives it back when it runs; a process keeps its own
    /// across awaits, and starts with its spawner's.
    #[inline]
    pub(crate) fn cause(&self) -> u32 {
        self.0.cause.get()
    }

    /// Names the record that leads to what runs from here on.
    #[inline]
    pub(crate) fn set_cause(&self, cause: u32) {
        self.0.cause.set(cause);
    }

    /// The record of the version that the running process acts on; [`NONE`](super::NONE) if it has
    /// looked at none. A process keeps its own across awaits; a handler starts with none.
    #[inline]
    pub(crate) fn saw(&self) -> u32 {
        self.0.saw.get()
    }

    /// Names the record of the version acted on.
    #[inline]
    pub(crate) fn set_saw(&self, saw: u32) {
        self.0.saw.set(saw);
    }
}

/// Events.
impl Ctx {
    /// Makes a handler known, so that events can be posted to it.
    pub(crate) fn register<H: Handler + 'static>(&self, handler: Rc<H>) -> HandlerId<H::Argument> {
        let mut handlers = self.0.handlers.borrow_mut();
        handlers.push(handler);
        HandlerId { number: handlers.len() as u32 - 1, tells: PhantomData }
    }

    /// The FIFO lane of events of `class` that are due `delay` after they are posted; the same pair
    /// gives the same lane.
    pub(crate) fn lane(&self, delay: Dur, class: Class) -> Lane {
        self.0.queue.borrow_mut().lane(delay, class)
    }

    #[inline]
    fn event<A: Argument>(&self, handler: HandlerId<A>, argument: A) -> Event {
        Event { bits: argument.pack(), handler: handler.number, cause: self.cause() }
    }

    /// Posts an event that is due the lane's delay from now. Cheaper than [`Ctx::post_at`]; it
    /// cannot be cancelled.
    #[inline]
    pub(crate) fn post_in<A: Argument>(&self, lane: Lane, handler: HandlerId<A>, argument: A) {
        self.0.posting();
        self.0.queue.borrow_mut().push_in(lane, self.event(handler, argument));
    }

    /// Posts an event for any instant; one that has passed is treated as now.
    #[inline]
    pub(crate) fn post_at<A: Argument>(
        &self,
        at: Time,
        class: Class,
        handler: HandlerId<A>,
        argument: A,
    ) -> EventKey {
        self.0.posting();
        self.0.queue.borrow_mut().push_at(at, class, self.event(handler, argument))
    }

    /// As [`Self::post_at`], for events whose time of posting must not matter: loops that run by the clock, whatever had
    /// them scheduled. They come behind all of their instant and class that have no rank, in the order of ranks, and no
    /// record leads to them.
    pub(crate) fn post_ranked<A: Argument>(
        &self,
        at: Time,
        class: Class,
        rank: u64,
        handler: HandlerId<A>,
        argument: A,
    ) -> EventKey {
        self.0.posting();
        let event = Event { cause: NONE, ..self.event(handler, argument) };
        self.0.queue.borrow_mut().push_ranked(at, class, rank, event)
    }

    /// Takes an event back; false if it ran or was cancelled before.
    #[inline]
    pub(crate) fn cancel(&self, key: EventKey) -> bool {
        self.0.queue.borrow_mut().cancel(key)
    }
}

/// Processes.
impl Ctx {
    /// From now on a run that takes more steps than this without its clock going on ends in a panic
    /// with [`Endless`](super::Endless), as it would never end otherwise.
    pub(crate) fn limit_instant(&self, steps: u64) {
        self.0.most_steps.set(steps);
    }

    /// What the running step is called; what it starts is called the same.
    pub(crate) fn name(&self) -> Name {
        if self.0.searching.get() { self.0.notes.borrow().name } else { Name::NONE }
    }

    /// A new group, with no process in it.
    pub(crate) fn group(&self) -> Group {
        let n = self.0.groups.get();
        self.0.groups.set(n + 1);
        Group(n)
    }

    /// Starts a process. It first runs when its turn comes in this instant, behind the processes
    /// that are ready already.
    pub(crate) fn spawn(&self, group: Group, f: impl Work) {
        self.spawn_named(self.name(), group, f);
    }

    /// As [`Ctx::spawn`], under another name than its spawner's.
    pub(crate) fn spawn_named<F: Work>(&self, name: Name, group: Group, f: F) {
        let core = &*self.0;
        if core.closed.get() {
            return;
        }
        let ticket = core.parks.borrow_mut().occupy();
        core.note(|notes| notes.rename(ticket.slot, name));
        let (cause, saw, kind) = (self.cause(), self.saw(), std::any::type_name::<F>());
        let process = Process { task: Some(Box::pin(f)), group, cause, saw, kind };
        self.command(Command::Start(ticket.slot, process));
        self.wake(ticket);
    }

    /// As [`Ctx::spawn_named`], for one of several workers that are alike: whatever else is started
    /// like this of the same future's type in the same group runs the same code on the same data,
    /// so that it makes no difference which of them starts first.
    pub(crate) fn spawn_alike<F: Work>(&self, name: Name, group: Group, f: F) {
        self.spawn_named(name, group, f);
        self.0.note(|notes| notes.alike(TypeId::of::<F>(), group));
    }

    /// Ends all processes that are in the group by now, as soon as the current step is over: none
    /// of them runs again, and what they hold is dropped. Events that they posted still run.
    pub(crate) fn kill(&self, group: Group) {
        self.command(Command::Kill(group));
    }

    fn command(&self, command: Command) {
        self.0.commands.borrow_mut().push(command);
        self.0.commanded.set(true);
    }

    /// Parks the running process, which must then return to the kernel: what a leaf future calls
    /// just before it is pending. Panics if no process is running.
    #[track_caller]
    pub(crate) fn park(&self) -> Ticket {
        let slot = self.0.running.get().expect("only a process can park");
        self.0.parks.borrow_mut().park(slot)
    }

    /// Claims the right to wake a parked process: true once per ticket, and never for a process
    /// that has gone on or is dead.
    #[inline]
    pub(crate) fn claim(&self, t: Ticket) -> bool {
        let claimed = self.0.parks.borrow_mut().claim(t);
        // Who comes first decides what it is woken by, and so for whom a later one comes too late.
        self.0.note(|notes| notes.touch(Keys::PROCESSES.of(t.slot), claimed));
        claimed
    }

    /// Whether the process still waits at this park, unclaimed.
    #[inline]
    pub(crate) fn alive(&self, t: Ticket) -> bool {
        self.0.parks.borrow().alive(t)
    }

    /// Whether the process still waits at this park, and somebody has claimed it.
    #[inline]
    pub(crate) fn claimed(&self, t: Ticket) -> bool {
        let parks = self.0.parks.borrow();
        parks.waits(t) && !parks.alive(t)
    }

    /// Wakes a parked process: it goes on in this instant, behind those that are ready already. A
    /// stale ticket wakes nobody.
    #[inline]
    pub(crate) fn wake(&self, t: Ticket) {
        self.0.posting();
        self.0.queue.borrow_mut().push_in(self.0.ready, self.0.wake_event(t));
    }

    /// Wakes a parked process at an instant; one that has passed is treated as now.
    #[inline]
    pub(crate) fn wake_at(&self, at: Time, t: Ticket) {
        self.0.posting();
        self.0.queue.borrow_mut().push_at(at, Class::Wake, self.0.wake_event(t));
    }

    /// Parks once, hands the ticket to `register`, and completes when the process is woken. The
    /// body of every leaf; a process awaits one leaf at a time, so there are no joins or selects of
    /// arbitrary futures.
    pub(crate) fn parked(&self, mut register: impl FnMut(Ticket)) -> impl Future<Output = ()> {
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
    pub(crate) fn sleep(&self, d: Dur) -> impl Future<Output = ()> {
        self.parked(move |t| {
            self.0.posting();
            let mut queue = self.0.queue.borrow_mut();
            match queue.find_lane(d, Class::Wake) {
                Some(lane) => queue.push_in(lane, self.0.wake_event(t)),
                None => {
                    queue.push_at(self.now().saturating_add(d), Class::Wake, self.0.wake_event(t));
                }
            }
        })
    }

    /// Goes on at an instant, in class `Wake`; one that has passed is treated as now.
    pub(crate) fn sleep_until(&self, at: Time) -> impl Future<Output = ()> {
        self.parked(move |t| self.wake_at(at, t))
    }

    /// Somebody who can idle: one process at a time.
    pub(crate) fn idler(&self) -> Idler {
        self.0.queue.borrow_mut().idler()
    }

    /// Goes on at a later turn, turns being `period` apart: at the next one after
    /// [`Ctx::take_turn`], or when something else happens in its instant. The order is that of one
    /// who sleeps from each turn to the next; the turns between cost nothing.
    pub(crate) fn idle(&self, idler: Idler, period: Dur) -> impl Future<Output = ()> {
        self.parked(move |t| {
            let event = self.0.wake_event(t);
            let mut queue = self.0.queue.borrow_mut();
            queue.keep_turns(idler, period, event);
        })
    }

    /// The one who idles goes on at its next turn; nothing if it does not idle.
    pub(crate) fn take_turn(&self, idler: Idler) {
        self.0.queue.borrow_mut().take_turn(idler);
    }

    /// Goes on when nobody else goes on in this instant.
    pub(crate) fn after_others(&self) -> impl Future<Output = ()> {
        self.after_steps(NONE)
    }

    /// As [`Self::after_others`], but where turns are drawn any time after so many steps of others.
    pub(crate) fn after_steps(&self, steps: u32) -> impl Future<Output = ()> {
        self.parked(move |t| {
            self.0.posting();
            let mut queue = self.0.queue.borrow_mut();
            // There may be very many in one instant, and a lane takes each at a constant price.
            let lane = queue.lane(Dur::ZERO, Class::Timer);
            queue.push_in(lane, Event { cause: steps, ..self.0.wake_event(t) });
        })
    }
}

/// What steps touch, for searches. It is declared where it happens, and costs no more than a test
/// of a flag where the run is not part of a search.
impl Ctx {
    /// The family of state of this name.
    pub(crate) fn keys(&self, name: &'static str) -> Keys {
        if self.0.searching.get() { self.0.notes.borrow_mut().keys(name) } else { Keys::UNDECLARED }
    }

    /// A new piece of state.
    pub(crate) fn key(&self) -> Key {
        if self.0.searching.get() { self.0.notes.borrow_mut().thing() } else { Key::default() }
    }

    /// The running step reads a piece of state.
    #[inline]
    pub(crate) fn reads(&self, key: Key) {
        self.0.note(|notes| notes.touch(key, false));
    }

    /// The running step changes a piece of state.
    #[inline]
    pub(crate) fn writes(&self, key: Key) {
        self.0.note(|notes| notes.touch(key, true));
    }

    /// The running step answers a request that writes nothing.
    pub(crate) fn answers(&self, about: Object, reads: bool, failed: Option<&'static str>) {
        let about = about.hash;
        self.0.note(|notes| notes.answer(Answer { step: 0, about, reads, failed, saw: None }));
    }

    /// The running step decides about an object by that version of another.
    pub(crate) fn decides(&self, about: Object, saw: u32) {
        let (about, saw) = (about.hash, Some(saw));
        self.0
            .note(|notes| notes.answer(Answer { step: 0, about, reads: true, failed: None, saw }));
    }

    /// The running step works for one whose state nobody declares; see [`Name::home_key`].
    pub(crate) fn at_home(&self, home: Option<Key>) {
        if let Some(key) = home {
            self.writes(key);
        }
    }

    /// The running process is called so from here on. One that only waits for work is [at
    /// rest](Name::at_rest).
    pub(crate) fn becomes(&self, name: Name) {
        if let (true, Some(slot)) = (self.0.searching.get(), self.0.running.get()) {
            let mut notes = self.0.notes.borrow_mut();
            notes.rename(slot, name);
            notes.name = name;
            drop(notes);
            self.at_home(name.home_key());
        }
    }

    /// Does something under another name.
    pub(crate) fn under<R>(&self, name: Name, f: impl FnOnce() -> R) -> R {
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
    pub(crate) fn is_searching(&self) -> bool {
        self.0.searching.get()
    }
}
