//! Go's channels: a capacity, direct hand-over to a parked receiver, waiters first come, first
//! served.
//!
//! Left out: closing a channel (no modelled controller depends on it; a component that stops is
//! killed as a group).
//!
//! Go's `select` over two receives.

use super::waiters::Waiters;
use crate::kernel::{Ctx, Key, Shared, Ticket};
use std::collections::VecDeque;

struct State<T> {
    capacity: usize,
    buffer: VecDeque<T>,
    receivers: Waiters,
    senders: VecDeque<(Ticket, T)>,
    /// Values given to receivers that have been woken and have not run yet.
    handed: Vec<(Ticket, T)>,
}

/// A channel. A capacity of zero makes every send wait for a receiver.
pub struct Chan<T> {
    ctx: Ctx,
    key: Key,
    state: Shared<State<T>>,
}

impl<T> Chan<T> {
    /// An empty channel that buffers `capacity` values.
    pub(crate) fn new(ctx: &Ctx, capacity: usize) -> Self {
        let state = State {
            capacity,
            buffer: VecDeque::new(),
            receivers: Waiters::default(),
            senders: VecDeque::new(),
            handed: Vec::new(),
        };
        Self { ctx: ctx.clone(), key: ctx.key(), state: Shared::new(state) }
    }

    /// Sends without waiting: to the receiver that has waited longest, else into the buffer. Gives
    /// the value back if there is room in neither.
    pub(crate) fn try_send(&self, value: T) -> Result<(), T> {
        self.ctx.writes(self.key);
        self.state.with(|s| {
            while let Some(receiver) = s.receivers.pop() {
                if self.ctx.claim(receiver) {
                    s.handed.push((receiver, value));
                    self.ctx.wake(receiver);
                    return Ok(());
                }
            }
            if s.buffer.len() < s.capacity {
                s.buffer.push_back(value);
                return Ok(());
            }
            Err(value)
        })
    }

    /// Sends, waiting for room. A process killed while it waits takes its value with it.
    pub(crate) async fn send(&self, value: T) {
        if let Err(value) = self.try_send(value) {
            let mut value = Some(value);
            let register = |t| self.state.with(|s| s.senders.extend(value.take().map(|v| (t, v))));
            self.ctx.parked(register).await;
        }
    }

    /// Takes a value without waiting, and lets the sender that has waited longest go on.
    pub(crate) fn try_recv(&self) -> Option<T> {
        self.ctx.writes(self.key);
        self.state.with(|s| {
            let value = s.buffer.pop_front();
            // A buffer that was empty has no senders waiting, unless its capacity is zero.
            while let Some((sender, sent)) = s.senders.pop_front() {
                if self.ctx.claim(sender) {
                    self.ctx.wake(sender);
                    if value.is_none() {
                        return Some(sent);
                    }
                    s.buffer.push_back(sent);
                    break;
                }
            }
            value
        })
    }

    /// Takes a value, waiting for one.
    pub(crate) async fn recv(&self) -> T {
        if let Some(value) = self.try_recv() {
            return value;
        }
        let mut ticket = None;
        let register = |t| {
            ticket = Some(t);
            self.wait_for_value(t);
        };
        self.ctx.parked(register).await;
        ticket.and_then(|t| self.take_handed(t)).expect("a receiver is woken by a value")
    }

    /// Whether a receive would not wait.
    pub(crate) fn ready(&self) -> bool {
        self.ctx.reads(self.key);
        self.state.with(|s| {
            while s.senders.front().is_some_and(|w| !self.ctx.alive(w.0)) {
                s.senders.pop_front();
            }
            !s.buffer.is_empty() || !s.senders.is_empty()
        })
    }

    /// Values in the buffer.
    pub fn len(&self) -> usize {
        self.ctx.reads(self.key);
        self.state.with(|s| s.buffer.len())
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The context it was made with.
    pub(super) fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Queues a parked receiver. Those that are gone leave the queue here: a `select` that was
    /// decided by its other channel leaves a stale ticket each time.
    fn wait_for_value(&self, t: Ticket) {
        self.state.with(|s| {
            s.receivers.retain(|w| self.ctx.alive(w));
            s.handed.retain(|h| self.ctx.claimed(h.0));
            s.receivers.push(t);
        });
    }

    /// The value that was given to a receiver when it was woken.
    fn take_handed(&self, t: Ticket) -> Option<T> {
        self.state
            .with(|s| s.handed.iter().position(|h| h.0 == t).map(|i| s.handed.swap_remove(i).1))
    }
}

/// Which of two it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Either<A, B> {
    /// The first.
    A(A),
    /// The second.
    B(B),
}

/// Receives from whichever of two channels has a value; when both have one, `first` says whether
/// the first is taken (Go takes either with equal chance). When neither has one, the first value
/// that is sent to either decides, at the send and for good: another that arrives in the same
/// instant, before this process goes on, changes nothing.
pub(crate) async fn select2<A, B>(
    a: &Chan<A>,
    b: &Chan<B>,
    first: impl FnOnce() -> bool,
) -> Either<A, B> {
    let (a_ready, b_ready) = (a.ready(), b.ready());
    if a_ready && (!b_ready || first()) {
        if let Some(value) = a.try_recv() {
            return Either::A(value);
        }
    } else if b_ready && let Some(value) = b.try_recv() {
        return Either::B(value);
    }
    let mut ticket = None;
    let register = |t| {
        ticket = Some(t);
        a.wait_for_value(t);
        b.wait_for_value(t);
    };
    a.ctx().parked(register).await;
    let ticket = ticket.expect("a process that was woken had parked");
    match a.take_handed(ticket) {
        Some(value) => Either::A(value),
        None => Either::B(b.take_handed(ticket).expect("a receiver is woken by a value")),
    }
}
