//! The executor: takes events off the queue one by one and runs them, processes and handlers alike.
//!
//! One thread, no wakers, no recursion: what a step starts or kills takes effect when the step is
//! over. A process that is ready waits in the queue like any other event, so that timers and
//! processes of one instant are ordered by the same rule.

use super::choice::{Choices, Drawn, Object, PointId};
use super::ctx::{Command, Core, Ctx, Event, HandlerId, NONE};
use super::process::{Group, Task, Ticket};
use super::queue::Instant;
use super::search::Keys;
use super::searcher::Search;
use super::{Class, Time};
use std::fmt;
use std::rc::Rc;
use std::task::{Context, Waker};

/// The choice of which event of an instant comes next, made for the one that would by default.
pub const NEXT: &str = "next";

/// A process in its slot.
pub(super) struct Process {
    task: Option<Task>,
    group: Group,
    cause: u32,
    saw: u32,
    /// The type of its future.
    kind: &'static str,
}

/// What a run ends with, as the payload of a panic, that would never end or not fit into memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Endless {
    /// Its clock does not go on: two that undo each other's work without any delay do so for ever.
    Spins {
        /// The instant.
        at: Time,
        /// How many steps were taken in it.
        steps: u64,
        /// What would take the next one.
        kind: String,
    },
    /// A search keeps each choice of a run, and they are too many.
    Chooses {
        /// How far it came.
        at: Time,
        /// How many choices it has made.
        choices: usize,
    },
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spins { at, steps, kind } => write!(
                f,
                "the run does not go on: {steps} steps were taken at {at}, and the clock still stands there; the next is of {kind}"
            ),
            Self::Chooses { at, choices } => {
                write!(
                    f,
                    "the run is too large for a search, which keeps each of its choices: {choices} up to {at}"
                )
            }
        }
    }
}

/// A simulation's events and processes. Dropping it ends and frees all of them.
pub struct Kernel {
    pub(super) ctx: Ctx,
    pub(super) processes: Vec<Process>,
    /// An empty list to collect the next commands in.
    pub(super) spare: Vec<Command>,
    steps: u64,
    /// How many of them were taken when the present instant began.
    steps_before: u64,
    shuffle: Option<Shuffle>,
    pub(super) search: Option<Box<Search>>,
}

/// An arbitrary order within each instant.
struct Shuffle {
    instant: Instant,
    choices: Choices,
    point: PointId,
}

impl Kernel {
    /// A kernel at time zero with nothing to do.
    #[must_use]
    pub fn new(choices: Choices) -> Self {
        Self::over(Rc::new(Core::new(choices)), None)
    }

    pub(super) fn over(core: Rc<Core>, search: Option<Box<Search>>) -> Self {
        Self {
            ctx: Ctx(core),
            processes: Vec::new(),
            spare: Vec::new(),
            steps: 0,
            steps_before: 0,
            shuffle: None,
            search,
        }
    }

    /// A handle to it.
    #[must_use]
    pub fn ctx(&self) -> Ctx {
        self.ctx.clone()
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
    pub fn step_until(&mut self, end: Time) -> bool {
        if self.search.is_some() {
            return self.search_until(end, &mut |_| false);
        }
        self.obey();
        let mut queue = self.ctx.0.queue.borrow_mut();
        let popped = match &mut self.shuffle {
            None => queue.pop_until(end),
            Some(Shuffle {
                instant,
                choices,
                point,
            }) => instant.pop_until(&mut queue, end, |n| {
                choices.choose(*point, Object::NONE, n as u32) as usize
            }),
        };
        drop(queue);
        let Some((at, class, event)) = popped else {
            return false;
        };
        self.run_event(at, class, event);
        true
    }

    #[inline]
    pub(super) fn run_event(&mut self, at: Time, class: Class, event: Event) {
        if self.ctx.0.now.replace(at) != at {
            self.steps_before = self.steps;
        } else if self.steps - self.steps_before >= self.ctx.0.most_steps.get() {
            self.spins(at, event);
        }
        self.ctx.0.class.set(class);
        self.steps += 1;
        if event.handler == HandlerId::WAKE {
            self.resume(Ticket::unpack(event.arg));
        } else {
            self.handle(event);
        }
        self.obey();
    }

    /// The clock does not go on.
    #[cold]
    fn spins(&self, at: Time, event: Event) -> ! {
        let kind = if event.handler == HandlerId::WAKE {
            self.processes[Ticket::unpack(event.arg).slot as usize].kind
        } else {
            self.ctx.0.handlers.borrow()[event.handler.0 as usize].kind()
        };
        let kind = kind
            .trim_start_matches("taintsim::controllers::")
            .trim_end_matches("::{{closure}}")
            .to_owned();
        std::panic::panic_any(Endless::Spins {
            at,
            steps: self.steps - self.steps_before,
            kind,
        })
    }

    fn handle(&mut self, event: Event) {
        let core = &*self.ctx.0;
        core.cause.set(event.cause);
        core.saw.set(NONE);
        let handler = core.handlers.borrow()[event.handler.0 as usize].clone();
        handler.handle(event.arg);
    }

    fn resume(&mut self, ticket: Ticket) {
        let core = &*self.ctx.0;
        if !core.parks.borrow().waits(ticket) {
            return;
        }
        let process = &mut self.processes[ticket.slot as usize];
        let Some(task) = process.task.as_mut() else {
            return;
        };
        core.cause.set(process.cause);
        core.saw.set(process.saw);
        core.running.set(Some(ticket.slot));
        let done = task
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready();
        core.running.set(None);
        if done {
            self.retire(ticket.slot);
        } else {
            process.cause = core.cause.get();
            process.saw = core.saw.get();
        }
    }

    /// Starts and kills what was asked for, in that order of asking.
    #[inline]
    pub(super) fn obey(&mut self) {
        if self.ctx.0.commanded.get() {
            self.obey_commands();
        }
    }

    fn obey_commands(&mut self) {
        // What is dropped here may ask for more, hence the loop.
        while self.ctx.0.commanded.replace(false) {
            let mut commands = self.ctx.0.commands.replace(std::mem::take(&mut self.spare));
            for command in commands.drain(..) {
                match command {
                    Command::Start {
                        slot,
                        group,
                        cause,
                        saw,
                        kind,
                        task,
                    } => {
                        self.start(
                            slot,
                            Process {
                                task: Some(task),
                                group,
                                cause,
                                saw,
                                kind,
                            },
                        );
                    }
                    Command::Kill(group) => self.kill(group),
                }
            }
            self.spare = commands;
        }
    }

    fn start(&mut self, slot: u32, process: Process) {
        let slot = slot as usize;
        while self.processes.len() <= slot {
            self.processes.push(Process {
                task: None,
                group: Group(0),
                cause: NONE,
                saw: NONE,
                kind: "",
            });
        }
        self.processes[slot] = process;
    }

    fn kill(&mut self, group: Group) {
        for slot in 0..self.processes.len() {
            if self.processes[slot].group == group && self.processes[slot].task.is_some() {
                self.ctx.writes(Keys::PROCESSES.of(slot as u32));
                self.retire(slot as u32);
            }
        }
    }

    fn retire(&mut self, slot: u32) {
        let task = self.processes[slot as usize].task.take();
        let core = &*self.ctx.0;
        core.parks.borrow_mut().vacate(slot);
        core.live.set(core.live.get() - 1);
        // Dropped last, with nothing borrowed: a future's locals may hand a lock over.
        drop(task);
    }

    /// When the next event is due.
    pub fn next_time(&mut self) -> Option<Time> {
        let mut queue = self.ctx.0.queue.borrow_mut();
        match (&mut self.search, &mut self.shuffle) {
            (Some(search), _) => search.agenda.peek_time(&mut queue),
            (_, Some(shuffle)) => shuffle.instant.peek_time(&mut queue),
            _ => queue.peek_time(),
        }
    }

    /// From here on, events of one instant run in an arbitrary order drawn from the seed, whatever
    /// their class; only those of one FIFO lane keep theirs, but for processes that are ready. A
    /// test mode: what must not hang on such an order is tried under many.
    pub fn shuffle_instants(&mut self, seed: u64) {
        let mut choices = Choices::seeded(seed);
        let point = choices.point("kernel.instant");
        self.shuffle = Some(Shuffle {
            instant: Instant::default(),
            choices,
            point,
        });
    }

    /// Processes that have not ended.
    #[must_use]
    pub fn live(&self) -> usize {
        self.ctx.0.live.get()
    }

    /// Events handled so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Events pending.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.ctx.0.queue.borrow().len()
    }

    /// The choices made so far, if they are being recorded.
    #[must_use]
    pub fn choices_made(&self) -> Vec<Drawn> {
        self.ctx.0.choices.borrow().log().to_vec()
    }
}

impl Kernel {
    /// Ends and frees everything: processes and handlers hold handles to the kernel, and only by
    /// dropping them does the circle open.
    pub(super) fn end(&mut self) {
        let core = &*self.ctx.0;
        core.closed.set(true);
        core.searching.set(false);
        self.processes.clear();
        // Taken out while what they hold is dropped, for that may ask for more.
        let (mut commands, mut handlers) = (core.commands.take(), core.handlers.take());
        commands.clear();
        handlers.clear();
        core.commands.replace(commands);
        core.handlers.replace(handlers);
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.end();
        self.ctx.0.queue.borrow_mut().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Dur, Handler, Shared};
    use std::cell::Cell;

    /// What happened, each line with its time.
    #[derive(Clone)]
    struct Log(Ctx, Rc<Shared<Vec<String>>>);

    impl Log {
        fn new(ctx: &Ctx) -> Self {
            Self(ctx.clone(), Rc::default())
        }

        fn say(&self, what: &str) {
            let line = format!("{} {what}", self.0.now().as_nanos());
            self.1.with(|l| l.push(line));
        }

        #[track_caller]
        fn expect(&self, lines: &[&str]) {
            self.1.with(|l| assert_eq!(l, lines));
        }
    }

    struct Say(Log);

    impl Handler for Say {
        fn handle(&self, arg: u64) {
            let (cause, saw) = (self.0.0.cause(), self.0.0.saw());
            assert_eq!(saw, NONE, "a handler has seen nothing yet");
            self.0.say(&format!("event {arg} cause {}", cause as i32));
        }
    }

    const fn ns(n: u64) -> Dur {
        Dur::from_nanos(n)
    }

    fn kernel() -> (Kernel, Ctx, Log) {
        let kernel = Kernel::new(Choices::default_order());
        let (ctx, log) = (kernel.ctx(), Log::new(&kernel.ctx()));
        (kernel, ctx, log)
    }

    #[test]
    fn one_instant_goes_by_class_then_by_order_of_posting() {
        let (mut k, ctx, log) = kernel();
        let say = ctx.register(Rc::new(Say(log.clone())));
        let delivery = ctx.lane(ns(5), Class::Delivery);
        ctx.post_at(Time::from_nanos(5), Class::Timer, say, 1);
        ctx.post_in(delivery, say, 2);
        ctx.post_at(Time::from_nanos(5), Class::Outside, say, 3);
        ctx.post_at(Time::from_nanos(5), Class::Delivery, say, 4);
        ctx.post_in(delivery, say, 5);
        ctx.post_at(Time::from_nanos(4), Class::Timer, say, 6);
        assert_eq!((k.pending(), k.next_time()), (6, Some(Time::from_nanos(4))));
        while k.step() {}
        log.expect(&[
            "4 event 6 cause -1",
            "5 event 3 cause -1",
            "5 event 2 cause -1",
            "5 event 4 cause -1",
            "5 event 5 cause -1",
            "5 event 1 cause -1",
        ]);
        assert_eq!((k.steps(), k.pending()), (6, 0));
    }

    #[test]
    fn a_timer_is_cancelled_once_and_not_after_it_fired() {
        let (mut k, ctx, log) = kernel();
        let say = ctx.register(Rc::new(Say(log.clone())));
        let first = ctx.post_at(Time::from_nanos(1), Class::Timer, say, 1);
        let second = ctx.post_at(Time::from_nanos(2), Class::Timer, say, 2);
        assert!(ctx.cancel(second) && !ctx.cancel(second));
        k.run_until(Time::from_nanos(10));
        assert!(!ctx.cancel(first));
        log.expect(&["1 event 1 cause -1"]);
    }

    #[test]
    fn run_until_includes_its_end_and_stops_there() {
        let (mut k, ctx, log) = kernel();
        let say = ctx.register(Rc::new(Say(log.clone())));
        for t in [10, 11] {
            ctx.post_at(Time::from_nanos(t), Class::Timer, say, t);
        }
        k.run_until(Time::from_nanos(10));
        log.expect(&["10 event 10 cause -1"]);
        ctx.post_at(Time::from_nanos(3), Class::Timer, say, 3); // has passed: now
        k.run_until(Time::from_nanos(20));
        assert_eq!(ctx.now(), Time::from_nanos(20));
        log.expect(&[
            "10 event 10 cause -1",
            "10 event 3 cause -1",
            "11 event 11 cause -1",
        ]);
    }

    #[test]
    fn causes_follow_events_and_stay_with_processes() {
        let (mut k, ctx, log) = kernel();
        let say = ctx.register(Rc::new(Say(log.clone())));
        let group = ctx.group();
        ctx.set_cause(7);
        ctx.spawn(group, {
            let (ctx, log) = (ctx.clone(), log.clone());
            async move {
                log.say(&format!("inherited {}", ctx.cause()));
                ctx.set_cause(8);
                ctx.set_saw(80);
                ctx.sleep(ns(5)).await;
                log.say(&format!("kept {} saw {}", ctx.cause(), ctx.saw()));
                ctx.post_at(Time::from_nanos(6), Class::Timer, say, 1);
            }
        });
        ctx.set_cause(9);
        ctx.post_at(Time::from_nanos(3), Class::Timer, say, 2);
        while k.step() {}
        log.expect(&[
            "0 inherited 7",
            "3 event 2 cause 9",
            "5 kept 8 saw 80",
            "6 event 1 cause 8",
        ]);
    }

    #[test]
    fn what_is_spawned_waits_behind_what_is_ready() {
        let (mut k, ctx, log) = kernel();
        let group = ctx.group();
        for name in ["a", "b"] {
            let (ctx, log) = (ctx.clone(), log.clone());
            ctx.clone().spawn(group, async move {
                log.say(name);
                let inner = log.clone();
                ctx.spawn(group, async move { inner.say(&format!("child of {name}")) });
                ctx.sleep(Dur::ZERO).await;
                log.say(&format!("{name} again"));
            });
        }
        assert_eq!(k.live(), 2);
        while k.step() {}
        log.expect(&[
            "0 a",
            "0 b",
            "0 child of a",
            "0 a again",
            "0 child of b",
            "0 b again",
        ]);
        assert_eq!(k.live(), 0);
    }

    #[test]
    fn a_tree_of_spawns_is_flat_and_uses_slots_again() {
        fn grow(ctx: &Ctx, group: Group, depth: u32, count: Rc<Cell<u32>>) {
            let c = ctx.clone();
            ctx.spawn(group, async move {
                count.set(count.get() + 1);
                c.sleep(ns(1)).await;
                for _ in 0..if depth > 0 { 2 } else { 0 } {
                    grow(&c, group, depth - 1, count.clone());
                }
            });
        }
        let (mut k, ctx, _) = kernel();
        let (count, group) = (Rc::new(Cell::new(0)), ctx.group());
        grow(&ctx, group, 12, count.clone());
        while k.step() {}
        assert_eq!(count.get(), 8191); // 2^13 - 1 nodes of a binary tree of depth 12
        assert_eq!(k.live(), 0);
        assert!(
            k.processes.len() <= 4096 + 2048,
            "{} slots for at most two generations at once",
            k.processes.len()
        );
    }

    #[test]
    fn killing_ends_a_group_even_from_within() {
        struct Tell(Log, &'static str);
        impl Drop for Tell {
            fn drop(&mut self) {
                self.0.say(self.1);
            }
        }
        let (mut k, ctx, log) = kernel();
        let (doomed, other) = (ctx.group(), ctx.group());
        ctx.spawn(doomed, {
            let (ctx, log) = (ctx.clone(), log.clone());
            async move {
                let _tell = Tell(log.clone(), "sleeper dropped");
                ctx.sleep(ns(100)).await;
                log.say("never");
            }
        });
        ctx.spawn(doomed, {
            let (ctx, log) = (ctx.clone(), log.clone());
            async move {
                ctx.sleep(ns(5)).await;
                ctx.kill(doomed);
                let inner = log.clone();
                ctx.spawn(doomed, async move { inner.say("started after the kill") });
                log.say("still in the step");
                ctx.sleep(ns(1)).await;
                log.say("never");
            }
        });
        ctx.spawn(other, {
            let (ctx, log) = (ctx.clone(), log.clone());
            async move {
                ctx.sleep(ns(7)).await;
                log.say("other");
            }
        });
        while k.step() {}
        log.expect(&[
            "5 still in the step",
            "5 sleeper dropped",
            "5 started after the kill",
            "7 other",
        ]);
        assert_eq!(k.live(), 0);
    }

    #[test]
    fn one_ticket_wakes_once_and_stale_ones_never() {
        let (mut k, ctx, log) = kernel();
        let tickets: Rc<Shared<Vec<Ticket>>> = Rc::default();
        let group = ctx.group();
        ctx.spawn(group, {
            let (ctx, log, tickets) = (ctx.clone(), log.clone(), tickets.clone());
            async move {
                for round in 0..2 {
                    ctx.parked(|t| tickets.with(|v| v.push(t))).await;
                    log.say(&format!("woken {round}"));
                }
            }
        });
        k.run_until(Time::from_nanos(1));
        let first = tickets.with(|v| v[0]);
        assert!(ctx.alive(first) && ctx.claim(first) && !ctx.claim(first) && ctx.claimed(first));
        ctx.wake(first);
        ctx.wake(first);
        ctx.wake_at(Time::from_nanos(3), first);
        k.run_until(Time::from_nanos(5));
        log.expect(&["1 woken 0"]);
        let second = tickets.with(|v| v[1]);
        assert!(!ctx.alive(first) && ctx.alive(second));
        ctx.kill(group);
        k.run_until(Time::from_nanos(6));
        assert!(!ctx.claim(second));
        ctx.wake(second);
        k.run_until(Time::from_nanos(7));
        log.expect(&["1 woken 0"]);
    }

    #[test]
    fn dropping_the_kernel_frees_processes_and_handlers() {
        let (mut k, ctx, log) = kernel();
        let alive = Rc::new(());
        struct Holds(
            Ctx,
            #[expect(dead_code, reason = "only its lifetime counts")] Rc<()>,
        );
        impl Handler for Holds {
            fn handle(&self, _: u64) {
                self.0.set_cause(0);
            }
        }
        ctx.register(Rc::new(Holds(ctx.clone(), alive.clone())));
        for started in [true, false] {
            let (c, alive) = (ctx.clone(), alive.clone());
            ctx.spawn(ctx.group(), async move {
                let _alive = alive;
                c.sleep(ns(1_000)).await;
            });
            if started {
                k.run_until(Time::from_nanos(5));
            }
        }
        let core = Rc::downgrade(&ctx.0);
        drop((k, ctx, log));
        assert_eq!(Rc::strong_count(&alive), 1);
        assert_eq!(core.strong_count(), 0);
    }

    #[test]
    fn a_shuffled_instant_keeps_only_the_order_of_streams() {
        struct Note(Shared<Vec<u64>>);
        impl Handler for Note {
            fn handle(&self, arg: u64) {
                self.0.with(|o| o.push(arg));
            }
        }
        let run = |seed: u64| {
            let (mut k, ctx, _) = kernel();
            k.shuffle_instants(seed);
            let order = Rc::new(Note(Shared::default()));
            let say = ctx.register(order.clone());
            let (stream, other) = (
                ctx.lane(ns(5), Class::Delivery),
                ctx.lane(ns(5), Class::Arrival),
            );
            for (lane, arg) in [(stream, 1), (stream, 2), (other, 3)] {
                ctx.post_in(lane, say, arg);
            }
            ctx.post_at(Time::from_nanos(5), Class::Timer, say, 4);
            ctx.post_at(Time::from_nanos(6), Class::Timer, say, 5);
            ctx.cancel(ctx.post_at(Time::from_nanos(5), Class::Timer, say, 6));
            assert_eq!(k.next_time(), Some(Time::from_nanos(5)));
            k.run_until(Time::from_nanos(5));
            assert_eq!(
                (k.steps(), k.pending(), k.next_time()),
                (4, 1, Some(Time::from_nanos(6)))
            );
            while k.step() {}
            order.0.with(std::mem::take)
        };
        let orders: std::collections::BTreeSet<Vec<u64>> = (0..500).map(run).collect();
        // Four events in which 1 stays before 2: 4! / 2 orders, and 5 always last.
        assert_eq!(orders.len(), 12);
        assert!(
            orders.iter().all(
                |o| o.iter().position(|e| *e == 1) < o.iter().position(|e| *e == 2) && o[4] == 5
            )
        );
    }

    #[test]
    fn a_yield_point_is_free_unless_the_tape_says_otherwise() {
        let run = |choices: Choices| {
            let mut k = Kernel::new(choices);
            let (ctx, log) = (k.ctx(), Log::new(&k.ctx()));
            let (group, point) = (ctx.group(), ctx.point("between"));
            for name in ["a", "b"] {
                let (c, log) = (ctx.clone(), log.clone());
                ctx.spawn(group, async move {
                    log.say(&format!("{name}1"));
                    c.yield_point(point).await;
                    log.say(&format!("{name}2"));
                });
            }
            while k.step() {}
            (log.1.with(|l| l.join(" ")), k.choices_made())
        };
        let plain = "0 a1 0 a2 0 b1 0 b2".to_owned();
        assert_eq!(run(Choices::default_order()), (plain.clone(), vec![]));
        assert_eq!(run(Choices::seeded(1)).0, plain);
        let (same, log) = run(Choices::recorded(Choices::seeded(1)));
        assert_eq!((same, log.len()), (plain, 2));
        let deviation = super::super::choice::Deviation {
            value: 1,
            ..log[0].into()
        };
        assert_eq!((log[0].object, log[0].ordinal), (Object::NONE.hash, 0));
        assert_eq!(
            run(Choices::tape(vec![deviation], Choices::seeded(1))).0,
            "0 a1 0 b1 0 b2 0 a2"
        );
    }
}
