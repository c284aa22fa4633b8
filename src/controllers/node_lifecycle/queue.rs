//! The queue of a zone: unique names by the time they may be worked on, with a limiter (`scheduler/rate_limited_queue.go`).

use crate::api::names::NodeId;
use crate::client::{Limits, TokenBucket};
use crate::kernel::{Ctx, Dur, Lock, Shared, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

/// `EvictionRateLimiterBurst`
const BURST: u32 = 1;

/// A limiter of a zone.
enum Limiter {
    Bucket(TokenBucket),
    /// `NewFakeNeverRateLimiter`, which says that its rate is 1.
    Never,
}

impl Limiter {
    fn qps(&self) -> f32 {
        match self {
            Limiter::Bucket(b) => b.qps(),
            Limiter::Never => 1.0,
        }
    }

    fn try_accept(&mut self, now: Time) -> bool {
        match self {
            Limiter::Bucket(b) => b.try_accept(now),
            Limiter::Never => false,
        }
    }
}

/// Entries in order of `ProcessAt`, equal times in order of insertion, and the set of names that may not be added.
///
/// Upstream has a binary heap; the clocks of real machines give distinct times, and then the order is this one.
#[derive(Default)]
struct UniqueQueue {
    entries: BTreeMap<(Time, u64), NodeId>,
    places: BTreeMap<NodeId, Vec<(Time, u64)>>,
    set: BTreeSet<NodeId>,
    pushed: u64,
}

impl UniqueQueue {
    fn push(&mut self, node: NodeId, at: Time) {
        self.pushed += 1;
        self.entries.insert((at, self.pushed), node);
        self.places.entry(node).or_default().push((at, self.pushed));
    }

    /// Takes one entry of a name out; the first of them where a bug of the release left several.
    fn take(&mut self, node: NodeId) -> bool {
        let Some(places) = self.places.get_mut(&node) else { return false };
        let place = places.remove(0);
        if places.is_empty() {
            self.places.remove(&node);
        }
        self.entries.remove(&place);
        true
    }

    fn head(&self) -> Option<(NodeId, Time)> {
        self.entries.first_key_value().map(|(&(at, _), &n)| (n, at))
    }
}

/// A zone's queue.
pub(super) struct RateLimitedTimedQueue {
    ctx: Ctx,
    queue: Shared<UniqueQueue>,
    limiter: Shared<Limiter>,
    limiter_lock: Lock,
}

impl RateLimitedTimedQueue {
    /// An empty queue with a full bucket.
    pub(super) fn new(ctx: &Ctx, qps: f32) -> Self {
        let limiter = TokenBucket::new(Limits { qps, burst: BURST });
        RateLimitedTimedQueue {
            ctx: ctx.clone(),
            queue: Shared::new(UniqueQueue::default()),
            limiter: Shared::new(Limiter::Bucket(limiter)),
            limiter_lock: Lock::new(ctx),
        }
    }

    /// Adds a name, to be worked on at once; refused while it is in the set.
    pub(super) fn add(&self, node: NodeId) -> bool {
        let now = self.ctx.now();
        self.queue.with(|q| {
            let new = q.set.insert(node);
            if new {
                q.push(node, now);
            }
            new
        })
    }

    /// Takes a name from set and heap. True if it was in the set.
    pub(super) fn remove(&self, node: NodeId) -> bool {
        self.queue.with(|q| {
            let had = q.set.remove(&node);
            if had {
                q.take(node);
            }
            had
        })
    }

    /// Takes a name from the set only, as a release with the heap-duplicate bug does.
    pub(super) fn forget(&self, node: NodeId) {
        self.queue.with(|q| q.set.remove(&node));
    }

    /// Whether any entry waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.with(|q| q.entries.is_empty())
    }

    /// Works on entries in order while the limiter grants tokens (`Try`). A token is taken before the head is looked at. The
    /// action says whether the entry is done, or how long it has to wait.
    pub(super) async fn try_each<F: Future<Output = Result<(), Dur>>>(&self, action: impl Fn(NodeId) -> F) {
        let Some(mut val) = self.queue.with(|q| q.head()) else { return };
        let _held = self.limiter_lock.lock().await;
        loop {
            let now = self.ctx.now();
            if !self.limiter.with(|l| l.try_accept(now)) || now < val.1 {
                return;
            }
            match action(val.0).await {
                Err(wait) => self.queue.with(|q| {
                    if q.take(val.0) {
                        q.push(val.0, now + wait + Dur::from_nanos(1));
                    }
                }),
                Ok(()) => self.queue.with(|q| {
                    if q.set.contains(&val.0) {
                        q.take(val.0);
                    }
                }),
            }
            let Some(next) = self.queue.with(|q| q.head()) else { return };
            val = next;
        }
    }

    /// Changes the limiter if its rate differs (`SwapLimiter`); waits for a running [`Self::try_each`].
    pub(super) async fn swap_limiter(&self, qps: f32) {
        let _held = self.limiter_lock.lock().await;
        let now = self.ctx.now();
        self.limiter.with(|current| {
            if current.qps() == qps {
                return;
            }
            if qps <= 0.0 {
                *current = Limiter::Never;
                return;
            }
            let mut fresh = Limiter::Bucket(TokenBucket::new(Limits { qps, burst: BURST }));
            if !current.try_accept(now) {
                fresh.try_accept(now);
            }
            *current = fresh;
        });
    }
}
