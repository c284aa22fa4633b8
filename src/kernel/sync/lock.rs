//! What several processes use: a cell that lends itself to closures only, so that no guard can be held across
//! an `await`; and a mutex that is passed on first come, first served.
//!
//! Go's `sync.Mutex` lets a newcomer barge in before a waiter for up to a millisecond; here the
//! waiter that has waited longest always has it next, which is one of the orders that Go allows.

use super::waiters::Waiters;
use crate::kernel::{Ctx, Key, Ticket};
use std::cell::RefCell;
use std::rc::Rc;

/// A cell whose content is reached only inside a closure.
///
/// The state inside should hold neither a `Ctx` nor an `Rc` to what owns the cell: then a closure
/// cannot come back to the cell it is in. If one does, it panics at the line of the inner call.
#[derive(Default, Debug)]
pub(crate) struct Shared<T>(RefCell<T>);

impl<T> Shared<T> {
    /// Puts a value into a cell.
    pub(crate) const fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    /// Lends the value for change.
    #[track_caller]
    #[inline]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.0.borrow_mut())
    }

    /// Lends the value for reading.
    #[track_caller]
    #[inline]
    pub(crate) fn with_ref<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        f(&self.0.borrow())
    }
}

#[derive(Default, Debug)]
struct State {
    held: bool,
    waiters: Waiters,
}

/// A mutex; clones share it.
#[derive(Clone)]
pub(crate) struct Lock {
    ctx: Ctx,
    key: Key,
    state: Rc<Shared<State>>,
}

/// The lock is held as long as this lives.
#[must_use = "the lock is released when this is dropped"]
pub(crate) struct Held(Lock);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// A place in the queue of waiters. Dropped by a kill between hand-over and wake-up, it passes the
/// lock on.
struct Waiting<'a> {
    lock: &'a Lock,
    ticket: Option<Ticket>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(t) = self.ticket.take() {
            let queued = self.lock.state.with(|s| s.waiters.remove(t));
            if !queued {
                self.lock.release();
            }
        }
    }
}

impl Lock {
    /// A lock that nobody holds.
    pub(crate) fn new(ctx: &Ctx) -> Self {
        Self { ctx: ctx.clone(), key: ctx.key(), state: Rc::default() }
    }

    /// Takes the lock, waiting for it.
    pub(crate) async fn lock(&self) -> Held {
        self.ctx.writes(self.key);
        let free = self.state.with(|s| !std::mem::replace(&mut s.held, true));
        if !free {
            let mut waiting = Waiting { lock: self, ticket: None };
            let register = |t| {
                waiting.ticket = Some(t);
                self.state.with(|s| s.waiters.push(t));
            };
            self.ctx.parked(register).await;
            waiting.ticket = None;
        }
        Held(self.clone())
    }

    /// Whether somebody holds it.
    pub(crate) fn is_held(&self) -> bool {
        self.ctx.reads(self.key);
        self.state.with_ref(|s| s.held)
    }

    /// Hands the lock to the waiter that has waited longest, or leaves it free.
    fn release(&self) {
        self.ctx.writes(self.key);
        self.state.with(|s| s.held = s.waiters.wake_first(&self.ctx));
    }
}
