//! Go's `sync.WaitGroup`: waits until a number of processes are done.

use super::waiters::Waiters;
use crate::kernel::{Ctx, Key, Shared};
use std::rc::Rc;

struct State {
    left: usize,
    waiters: Waiters,
}

/// A count of work that is still to be done; clones share it.
#[derive(Clone)]
pub(crate) struct Join {
    ctx: Ctx,
    key: Key,
    state: Rc<Shared<State>>,
}

impl Join {
    /// Waits for `n` calls of [`Join::done`].
    pub(crate) fn new(ctx: &Ctx, n: usize) -> Self {
        let state = Rc::new(Shared::new(State { left: n, waiters: Waiters::default() }));
        Self { ctx: ctx.clone(), key: ctx.key(), state }
    }

    /// One is done; the last one wakes those who wait. Panics, as Go does, if all were done
    /// already.
    #[track_caller]
    pub(crate) fn done(&self) {
        self.ctx.writes(self.key);
        self.state.with(|s| {
            s.left = s.left.checked_sub(1).expect("more done than there was to do");
            while s.left == 0 && s.waiters.wake_first(&self.ctx) {}
        });
    }

    /// Waits until all are done; goes on at once if they are.
    pub(crate) async fn wait(&self) {
        self.ctx.reads(self.key);
        if self.state.with(|s| s.left > 0) {
            self.ctx.parked(|t| self.state.with(|s| s.waiters.push(t))).await;
        }
    }
}
