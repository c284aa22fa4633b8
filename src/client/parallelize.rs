//! `workqueue.ParallelizeUntil` (`client-go/util/workqueue/parallelizer.go`).

use crate::client::prelude::*;
use crate::kernel::{Join, Work};

/// How many times in a thousand goroutines that are started one right after the other go on in Go's usual order where turns
/// are drawn: the last one first, then the others as they were started. Go's scheduler has it so
/// nearly always of a few, and in two thirds of sixteen (`extra/recorder/odds/turns_test.go`).
const IN_ORDER: u32 = 970;

/// Works on `pieces` pieces with `workers` workers; a worker takes the next piece when it is done
/// with one. `start` does what needs no waiting at once and returns the rest, if there is any.
pub(crate) async fn parallelize<F: Work>(
    ctx: &Ctx,
    group: Group,
    workers: usize,
    pieces: usize,
    start: impl Fn(usize) -> Option<F> + 'static,
) {
    let taken = Cell::new(0);
    let next = move || {
        while taken.get() < pieces {
            taken.set(taken.get() + 1);
            if let Some(work) = start(taken.get() - 1) {
                return Some(work);
            }
        }
        None
    };
    parallelize_list(ctx, group, workers, next).await;
}

/// As [`parallelize`], over a list that may change: `next` takes pieces off it and does what needs
/// no waiting at once, up to one that has to wait, whose work it returns; none when the list is at
/// its end.
///
/// Pieces that need no waiting take no virtual time, so the workers are made only once a piece has
/// to wait. That is what upstream's do in effect: whichever worker is free takes such a piece.
pub(crate) async fn parallelize_list<F: Work>(
    ctx: &Ctx,
    group: Group,
    workers: usize,
    next: impl Fn() -> Option<F> + 'static,
) {
    let mut waiting: Vec<F> = std::iter::from_fn(&next).take(workers).collect();
    if waiting.is_empty() {
        return;
    }
    let next = Rc::new(next);
    let join = Join::new(ctx, waiting.len());
    shuffle(ctx, &mut waiting);
    for work in waiting {
        let (next, join) = (next.clone(), join.clone());
        ctx.spawn(group, async move {
            let mut work = Some(work);
            while let Some(w) = work {
                w.await;
                work = next();
            }
            join.done();
        });
    }
    join.wait().await;
}

/// Starts `count` goroutines and waits for all of them (`sync.WaitGroup`). Where Go's scheduler is
/// left alone, the one that was started last goes first, and then the others in order.
pub(crate) async fn go_all<F: Work>(
    ctx: &Ctx,
    group: Group,
    count: usize,
    work: impl Fn(usize) -> F + 'static,
) {
    go_all_but(ctx, group, count, |_| false, work).await;
}

/// As [`go_all`], for pieces of which some are `idle`: their goroutines would end in the step in
/// which they start, and leave no trace. So only the others are started; where there is none, one
/// is, as whoever waits for them lets others in meanwhile. In a search, where each step
/// counts, all are.
pub(crate) async fn go_all_but<F: Work>(
    ctx: &Ctx,
    group: Group,
    count: usize,
    idle: impl Fn(usize) -> bool,
    work: impl Fn(usize) -> F,
) {
    if count == 0 {
        return;
    }
    let all = ctx.is_searching();
    let piece = |i: usize| (i, (all || !idle(i)).then(|| work(i)));
    let mut waiting: Vec<(usize, Option<F>)> =
        std::iter::once(count - 1).chain(0..count - 1).map(piece).collect();
    let in_order = ctx.yields(ctx.point("go-in-order"), Object::NONE, IN_ORDER);
    if !in_order {
        shuffle(ctx, &mut waiting);
    }
    if waiting.iter().all(|(_, piece)| piece.is_none()) {
        waiting.truncate(1);
        waiting[0].1 = Some(work(waiting[0].0));
    }
    let busy: Vec<F> = waiting.into_iter().filter_map(|(_, piece)| piece).collect();
    let join = Join::new(ctx, busy.len());
    if in_order {
        start_in_order(ctx, group, busy.into_iter(), &join);
    } else {
        for work in busy {
            let join = join.clone();
            ctx.spawn(group, async move {
                work.await;
                join.done();
            });
        }
    }
    join.wait().await;
}

/// Starts pieces so that none has its turn before the one in front of it, whatever turns are drawn.
fn start_in_order<F: Work>(ctx: &Ctx, group: Group, mut rest: std::vec::IntoIter<F>, join: &Join) {
    let Some(work) = rest.next() else { return };
    let (next, join) = (ctx.clone(), join.clone());
    ctx.spawn(group, async move {
        start_in_order(&next, group, rest, &join);
        work.await;
        join.done();
    });
}

/// Which of several workers goes first is the Go scheduler's affair; they keep that order while
/// they wait equally long.
fn shuffle<F>(ctx: &Ctx, waiting: &mut [F]) {
    if waiting.len() < 2 {
        return;
    }
    let point = ctx.point("parallelize");
    for i in 0..waiting.len() - 1 {
        let left = (waiting.len() - i) as u32;
        waiting.swap(i, i + ctx.choose(point, Object::NONE, left) as usize);
    }
}
