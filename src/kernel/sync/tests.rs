//! Orders that Go's channels, `select`, mutexes and wait groups give, on small cases worked out by
//! hand.

use super::{Chan, Either, Join, Lock, select2};
use crate::kernel::{Choices, Ctx, Dur, Group, Kernel, Shared, Time};
use std::rc::Rc;

/// A kernel, and what happened in it.
struct Rig {
    kernel: Kernel,
    ctx: Ctx,
    lines: Rc<Shared<Vec<String>>>,
}

impl Rig {
    fn new() -> Self {
        let kernel = Kernel::new(Choices::default_order());
        let ctx = kernel.ctx();
        Self { kernel, ctx, lines: Rc::default() }
    }

    /// Starts a process that is given a context and a way to say what it does.
    fn spawn<F: Future<Output = ()> + 'static>(
        &self,
        group: Group,
        f: impl FnOnce(Ctx, Box<dyn Fn(String)>) -> F,
    ) {
        let (ctx, lines) = (self.ctx.clone(), self.lines.clone());
        let say = Box::new(move |what| {
            let line = format!("{} {what}", ctx.now().as_nanos());
            lines.with(|l| l.push(line));
        });
        self.ctx.spawn(group, f(self.ctx.clone(), say));
    }

    #[track_caller]
    fn expect(&mut self, lines: &[&str]) {
        while self.kernel.step() {}
        self.lines.with(|l| assert_eq!(l, lines));
    }
}

const fn ns(n: u64) -> Dur {
    Dur::from_nanos(n)
}

#[test]
fn a_full_channel_holds_its_sender_back() {
    let mut rig = Rig::new();
    let (group, chan) = (rig.ctx.group(), Rc::new(Chan::new(&rig.ctx, 1)));
    let c = chan.clone();
    rig.spawn(group, |ctx, say| async move {
        loop {
            let value = c.recv().await;
            say(format!("got {value}"));
            ctx.sleep(ns(10)).await;
        }
    });
    rig.spawn(group, |_, say| async move {
        for i in 0..4 {
            chan.send(i).await;
            say(format!("sent {i}"));
        }
    });
    // 0 is handed to the waiting receiver, 1 is buffered, 2 waits until the receiver is back at 10.
    rig.expect(&[
        "0 sent 0",
        "0 sent 1",
        "0 got 0",
        "10 got 1",
        "10 sent 2",
        "20 got 2",
        "20 sent 3",
        "30 got 3",
    ]);
}

#[test]
fn a_channel_without_capacity_meets_its_receiver() {
    let mut rig = Rig::new();
    let (group, chan) = (rig.ctx.group(), Rc::new(Chan::new(&rig.ctx, 0)));
    let c = chan.clone();
    rig.spawn(group, |_, say| async move {
        for i in 0..2 {
            c.send(i).await;
            say(format!("sent {i}"));
        }
    });
    rig.spawn(group, |ctx, say| async move {
        ctx.sleep(ns(5)).await;
        for _ in 0..2 {
            let value = chan.recv().await;
            say(format!("got {value}"));
        }
        assert_eq!(chan.try_send(9), Err(9));
    });
    // At 5 the receiver takes 0 from the parked sender and parks; the sender hands 1 over.
    rig.expect(&["5 got 0", "5 sent 0", "5 sent 1", "5 got 1"]);
}

#[test]
fn receivers_are_served_in_the_order_they_came() {
    let mut rig = Rig::new();
    let (group, chan) = (rig.ctx.group(), Rc::new(Chan::new(&rig.ctx, 8)));
    for name in ["a", "b", "c"] {
        let c = chan.clone();
        rig.spawn(group, |_, say| async move { say(format!("{name} got {}", c.recv().await)) });
    }
    rig.spawn(group, |ctx, _| async move {
        ctx.sleep(ns(1)).await;
        for i in 0..3 {
            chan.send(i).await;
        }
    });
    rig.expect(&["1 a got 0", "1 b got 1", "1 c got 2"]);
}

#[test]
fn select_is_decided_when_the_value_is_sent() {
    let mut rig = Rig::new();
    let (group, a, b) =
        (rig.ctx.group(), Rc::new(Chan::new(&rig.ctx, 10)), Rc::new(Chan::new(&rig.ctx, 1)));
    let (ra, rb) = (a.clone(), b.clone());
    rig.spawn(group, |_, say| async move {
        loop {
            match select2(&ra, &rb, || true).await {
                Either::A(v) => say(format!("a {v}")),
                Either::B(v) => say(format!("b {v}")),
            }
        }
    });
    let (sa, sb) = (a.clone(), b.clone());
    rig.spawn(group, |ctx, _| async move {
        ctx.sleep(ns(5)).await;
        for (chan, value) in [(&sb, 1), (&sa, 2), (&sb, 3), (&sb, 4)] {
            chan.send(value).await;
        }
        for i in 100..103 {
            ctx.sleep(ns(1)).await;
            sa.send(i).await;
        }
    });
    // b's 1 finds the receiver parked, so it wins although a is preferred and has a value by the
    // time the receiver runs.
    rig.expect(&["5 b 1", "5 a 2", "5 b 3", "5 b 4", "6 a 100", "7 a 101", "8 a 102"]);
    rig.ctx.kill(group);
    rig.kernel.step();
    assert!(rig.kernel.processes.iter().all(|process| process.task.is_none()));
    assert_eq!(a.try_send(9), Ok(()), "nobody waits any more: it is buffered");
    assert_eq!((a.try_recv(), b.try_recv()), (Some(9), None));
}

#[test]
fn select_asks_only_when_both_are_ready() {
    let mut rig = Rig::new();
    let (group, a, b) =
        (rig.ctx.group(), Rc::new(Chan::new(&rig.ctx, 2)), Rc::new(Chan::new(&rig.ctx, 2)));
    for (chan, value) in [(&a, 1), (&b, 2)] {
        assert_eq!(chan.try_send(value), Ok(()));
    }
    rig.spawn(group, |_, say| async move {
        say(format!("{:?}", select2(&a, &b, || false).await));
        say(format!("{:?}", select2(&a, &b, || unreachable!()).await));
    });
    rig.expect(&["0 B(2)", "0 A(1)"]);
}

#[test]
fn a_dead_senders_value_is_gone() {
    let mut rig = Rig::new();
    let (group, chan) = (rig.ctx.group(), Rc::new(Chan::new(&rig.ctx, 1)));
    let c = chan.clone();
    rig.spawn(group, |_, _| async move {
        c.send(1).await;
        c.send(2).await;
    });
    rig.kernel.run_until(Time::from_nanos(1));
    assert!(chan.ready());
    rig.ctx.kill(group);
    rig.kernel.run_until(Time::from_nanos(2));
    assert_eq!((chan.try_recv(), chan.ready(), chan.try_recv()), (Some(1), false, None));
}

#[test]
fn a_lock_is_passed_on_in_the_order_asked_for() {
    let mut rig = Rig::new();
    let (group, lock) = (rig.ctx.group(), Lock::new(&rig.ctx));
    for name in ["a", "b", "c"] {
        let lock = lock.clone();
        rig.spawn(group, |ctx, say| async move {
            let held = lock.lock().await;
            say(format!("{name} has it"));
            ctx.sleep(ns(10)).await;
            drop(held);
            // It has been passed on already: nobody barges in.
            let _again = lock.lock().await;
            say(format!("{name} again"));
        });
    }
    rig.expect(&[
        "0 a has it",
        "10 b has it",
        "20 c has it",
        "30 a again",
        "30 b again",
        "30 c again",
    ]);
    assert!(!lock.is_held());
}

#[test]
fn a_lock_survives_the_death_of_holder_waiter_and_heir() {
    let mut rig = Rig::new();
    let groups: Vec<Group> = (0..4).map(|_| rig.ctx.group()).collect();
    let lock = Lock::new(&rig.ctx);
    for (i, group) in groups.iter().enumerate() {
        let lock = lock.clone();
        rig.spawn(*group, move |ctx, say| async move {
            let _held = lock.lock().await;
            say(format!("{i} has it"));
            ctx.sleep(ns(100)).await;
        });
    }
    rig.kernel.run_until(Time::from_nanos(1));
    // 1 dies waiting; then the holder dies and the lock goes to 2, which dies before it has run.
    for doomed in [groups[1], groups[0], groups[2]] {
        rig.ctx.kill(doomed);
    }
    rig.expect(&["0 0 has it", "1 3 has it"]);
    assert!(!lock.is_held());
}

#[test]
fn a_join_waits_for_all() {
    let mut rig = Rig::new();
    let (group, join) = (rig.ctx.group(), Join::new(&rig.ctx, 3));
    for i in 1..=3 {
        let join = join.clone();
        rig.spawn(group, move |ctx, _| async move {
            ctx.sleep(ns(10 * i)).await;
            join.done();
        });
    }
    rig.spawn(group, |_, say| async move {
        join.wait().await;
        say("all done".to_owned());
        join.wait().await;
        say("still".to_owned());
    });
    rig.expect(&["30 all done", "30 still"]);
}
