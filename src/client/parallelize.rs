//! `workqueue.ParallelizeUntil` (`client-go/util/workqueue/parallelizer.go`).

use crate::kernel::{Ctx, Group, Join, Object};
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

/// Works on `pieces` pieces with so many workers; a worker takes the next piece when it is done with one. `start` does what
/// needs no waiting at once and returns the rest, if there is any.
///
/// Pieces that need no waiting take no virtual time, so the workers are made only once a piece has to wait. That is
/// what upstream's do in effect: whichever worker is free takes such a piece.
pub async fn parallelize<F>(ctx: &Ctx, group: Group, workers: usize, pieces: usize, start: impl Fn(usize) -> Option<F> + 'static)
where
    F: Future<Output = ()> + 'static,
{
    let next = Rc::new(Cell::new(0));
    let start = Rc::new(start);
    let join = Join::new(ctx, workers);
    let mut waiting: Vec<F> = std::iter::from_fn(|| next_waiting(&next, pieces, &*start)).take(workers).collect();
    let busy = waiting.len();
    shuffle(ctx, &mut waiting);
    for work in waiting {
        let (next, start, join) = (next.clone(), start.clone(), join.clone());
        ctx.spawn(group, async move {
            let mut work = Some(work);
            while let Some(w) = work {
                w.await;
                work = next_waiting(&next, pieces, &*start);
            }
            join.done();
        });
    }
    for _ in busy..workers {
        join.done();
    }
    join.wait().await;
}

/// Starts so many goroutines and waits for all of them (`sync.WaitGroup`). Where Go's scheduler is left alone, the one that was
/// started last goes first, and then the others in order.
pub async fn go_all<F>(ctx: &Ctx, group: Group, count: usize, work: impl Fn(usize) -> F + 'static)
where
    F: Future<Output = ()> + 'static,
{
    parallelize(ctx, group, count, count, move |i| Some(work(i.checked_sub(1).unwrap_or(count - 1)))).await;
}

/// Which of several workers goes first is the Go scheduler's affair; they keep that order while they wait equally long.
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

fn next_waiting<F>(next: &Cell<usize>, pieces: usize, start: &impl Fn(usize) -> Option<F>) -> Option<F> {
    while next.get() < pieces {
        let piece = next.get();
        next.set(piece + 1);
        if let Some(work) = start(piece) {
            return Some(work);
        }
    }
    None
}
