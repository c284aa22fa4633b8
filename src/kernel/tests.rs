//! The executor and its handle, by what a log of small processes and events says.

use super::choice::Deviation;
use super::core::NONE;
use super::{
    Choices, Class, Ctx, Dur, Group, Handler, HandlerId, Kernel, Keys, Name, Object, Shared,
    Ticket, Time,
};
use std::cell::Cell;
use std::rc::Rc;

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
    type Argument = u64;

    fn handle(&self, arg: u64) {
        let (cause, saw) = (self.0.0.cause(), self.0.0.saw());
        assert_eq!(saw, NONE, "a handler has seen nothing yet");
        self.0.say(&format!("event {arg} cause {}", cause as i32));
    }
}

const fn ns(n: u64) -> Dur {
    Dur::from_nanos(n)
}

/// How many processes have not ended.
fn live(kernel: &Kernel) -> usize {
    kernel.processes.iter().filter(|process| process.task.is_some()).count()
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
    assert_eq!(ctx.0.queue.borrow().len(), 6);
    while k.step() {}
    log.expect(&[
        "4 event 6 cause -1",
        "5 event 3 cause -1",
        "5 event 2 cause -1",
        "5 event 4 cause -1",
        "5 event 5 cause -1",
        "5 event 1 cause -1",
    ]);
    assert_eq!((k.steps(), ctx.0.queue.borrow().len()), (6, 0));
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
    log.expect(&["10 event 10 cause -1", "10 event 3 cause -1", "11 event 11 cause -1"]);
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
    log.expect(&["0 inherited 7", "3 event 2 cause 9", "5 kept 8 saw 80", "6 event 1 cause 8"]);
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
    while k.step() {}
    log.expect(&["0 a", "0 b", "0 child of a", "0 a again", "0 child of b", "0 b again"]);
    assert_eq!(live(&k), 0);
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
    assert_eq!(live(&k), 0);
    assert!(
        k.processes.len() <= 4096 + 2048,
        "{} slots for at most two generations at once",
        k.processes.len()
    );
}

/// To a search the one need not begin before the other has ended.
#[test]
fn a_process_has_nothing_in_common_with_one_that_ended() {
    let mut kernel = Kernel::searching(Choices::default_order());
    let (ctx, group) = (kernel.ctx(), kernel.ctx().group());
    for what in ["first", "second"] {
        ctx.spawn_named(Name::of(what, Keys::NOTHING), group, async {});
        while kernel.step() {}
    }
    let (notes, _) = kernel.searched();
    assert!(notes.steps.len() == 2 && !notes.depend(0, 1));
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
    assert_eq!(live(&k), 0);
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
    struct Holds(Ctx, #[expect(dead_code, reason = "only its lifetime counts")] Rc<()>);
    impl Handler for Holds {
        type Argument = u64;

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
fn a_free_instant_keeps_only_the_order_of_streams() {
    struct Note(Shared<Vec<u64>>);
    impl Handler for Note {
        type Argument = u64;

        fn handle(&self, arg: u64) {
            self.0.with(|o| o.push(arg));
        }

        fn name(&self, arg: u64) -> Name {
            // 1 and 2 come over one connection.
            Name::of("note", Keys::NOTHING).about(arg.max(2)).stream()
        }
    }
    let run = |seed: u64| {
        let mut k = Kernel::searching(Choices::free(seed));
        let ctx = k.ctx();
        let order = Rc::new(Note(Shared::default()));
        let say = ctx.register(order.clone());
        let (stream, other) = (ctx.lane(ns(5), Class::Delivery), ctx.lane(ns(5), Class::Arrival));
        for (lane, arg) in [(stream, 1), (stream, 2), (other, 3)] {
            ctx.post_in(lane, say, arg);
        }
        ctx.post_at(Time::from_nanos(5), Class::Timer, say, 4);
        ctx.post_at(Time::from_nanos(6), Class::Timer, say, 5);
        ctx.cancel(ctx.post_at(Time::from_nanos(5), Class::Timer, say, 6));
        k.run_until(Time::from_nanos(5));
        assert_eq!(k.steps(), 4);
        while k.step() {}
        order.0.with(std::mem::take)
    };
    let orders: std::collections::BTreeSet<Vec<u64>> = (0..500).map(run).collect();
    // Four events in which 1 stays before 2: 4! / 2 orders, and 5 always last.
    assert_eq!(orders.len(), 12);
    assert!(
        orders
            .iter()
            .all(|o| o.iter().position(|e| *e == 1) < o.iter().position(|e| *e == 2) && o[4] == 5)
    );
}

/// In how many of 500 drawn instants one who was there before comes after a chain of so many changes, each of which
/// sets off the next.
fn comes_after_changes(count: u64) -> usize {
    struct Chain(Log, Cell<Option<HandlerId>>, u64);
    impl Handler for Chain {
        type Argument = u64;

        fn handle(&self, arg: u64) {
            let Self(log, me, count) = self;
            log.say("change");
            if let Some(me) = me.get().filter(|_| arg < *count) {
                log.0.post_in(log.0.lane(Dur::ZERO, Class::Delivery), me, arg + 1);
            }
        }
    }
    let is_last = |seed: &u64| {
        let mut k = Kernel::searching(Choices::natural(*seed));
        let ctx = k.ctx();
        let log = Log::new(&ctx);
        let chain = Rc::new(Chain(log.clone(), Cell::default(), count));
        let changes = ctx.register(chain.clone());
        chain.1.set(Some(changes));
        ctx.post_in(ctx.lane(ns(5), Class::Delivery), changes, 1);
        let (c, other) = (ctx.clone(), log.clone());
        ctx.spawn(ctx.group(), async move {
            c.sleep(ns(5)).await;
            other.say("other");
        });
        while k.step() {}
        log.1.with(|lines| lines.last().is_some_and(|l| l.ends_with("other")))
    };
    (0..500).filter(is_last).count()
}

/// The first of the two is any. From then on the chain goes first in all turns of 200 of 1,000 instants, and in three of
/// four turns of the others: of ten changes in 1/2 (0.2 + 0.8 * 0.75^9), 65 of 500 with a deviation of 8. After twelve
/// steps either goes: of 24 changes in 1/2 (0.2 + 0.8 * 0.75^11) / 2^12.
#[test]
fn changes_go_first_until_an_instant_is_busy() {
    let few = comes_after_changes(10);
    assert!((35..=95).contains(&few), "{few}");
    assert_eq!(comes_after_changes(24), 0);
}

/// Three of them in the order that is drawn, as long as there are others; all of them in the usual order.
#[test]
fn steps_of_others_are_waited_for() {
    let between = |mut k: Kernel| {
        let ctx = k.ctx();
        let log = Log::new(&ctx);
        let (c, patient) = (ctx.clone(), log.clone());
        ctx.spawn(ctx.group(), async move {
            patient.say("waits");
            c.after_steps(3).await;
            patient.say("goes on");
        });
        for _ in 0..8 {
            let other = log.clone();
            ctx.spawn(ctx.group(), async move { other.say("other") });
        }
        while k.step() {}
        log.1.with(|lines| {
            let place = |what| lines.iter().position(|l| l.ends_with(what)).expect("is said");
            let (waits, goes_on) = (place("waits"), place("goes on"));
            (goes_on - waits - 1, lines.len() - waits - 2)
        })
    };
    let natural = |seed| between(Kernel::searching(Choices::natural(seed)));
    let drawn: Vec<_> = (0..200).map(natural).collect();
    assert!(drawn.iter().all(|(waited, others)| *waited >= 3.min(*others)), "{drawn:?}");
    assert!(drawn.iter().any(|(waited, others)| waited < others), "{drawn:?}");
    assert_eq!(between(kernel().0), (8, 8));
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
                c.yield_point(point, 0).await;
                log.say(&format!("{name}2"));
            });
        }
        while k.step() {}
        let made = ctx.0.choices.borrow().log().to_vec();
        (log.1.with(|l| l.join(" ")), made)
    };
    let plain = "0 a1 0 a2 0 b1 0 b2".to_owned();
    assert_eq!(run(Choices::default_order()), (plain.clone(), vec![]));
    assert_eq!(run(Choices::seeded(1)).0, plain);
    let (same, log) = run(Choices::recorded(Choices::seeded(1)));
    assert_eq!((same, log.len()), (plain, 2));
    let deviation = Deviation { value: 1, ..log[0].into() };
    assert_eq!((log[0].object, log[0].ordinal), (Object::NONE.hash, 0));
    assert_eq!(run(Choices::tape(vec![deviation], Choices::seeded(1))).0, "0 a1 0 b1 0 b2 0 a2");
}
