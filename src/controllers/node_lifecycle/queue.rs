//! The queue of a zone: unique names by the time they may be worked on, with a limiter
//! (`scheduler/rate_limited_queue.go`).

use crate::client::TokenBucket;
use crate::controllers::prelude::*;
use crate::kernel::{Heap, Lock};
use crate::plan::Limits;
use std::future::Future;

/// `EvictionRateLimiterBurst`
const BURST: u32 = 1;

/// A limiter of a zone; none is `NewFakeNeverRateLimiter`, which says that its rate is 1.
type Limiter = Option<TokenBucket>;

fn try_accept(limiter: &mut Limiter, now: Time) -> bool {
    limiter.as_mut().is_some_and(|bucket| bucket.try_accept(now))
}

/// Entries in order of `ProcessAt`, equal times in order of insertion, and the set of names that
/// may not be added.
///
/// Upstream has a binary heap; the clocks of real machines give distinct times, and then the order
/// is this one. In virtual time, where a pass stamps all with one time, it is the heap's, and so it
/// is where the order within an instant is drawn. As entries are mostly stamped with the present,
/// the order is that of a list to which they are appended. An entry that is taken out stays in the
/// list and is passed over, which makes restamping a waiting node cheap.
#[derive(Default)]
struct UniqueQueue {
    entries: VecDeque<(Time, u64, NodeId)>,
    /// The numbers of each node's entries that were not taken out: one, except for a bug of some
    /// releases.
    places: Vec<Vec<u64>>,
    set: Vec<bool>,
    live: usize,
    pushed: u64,
    /// In place of all of these but the set, where the order within an instant is drawn.
    heap: Option<Heap<(Time, NodeId)>>,
}

impl UniqueQueue {
    fn push(&mut self, node: NodeId, at: Time) {
        if let Some(heap) = &mut self.heap {
            return heap.push((at, node));
        }
        self.pushed += 1;
        slot(&mut self.places, node.index()).push(self.pushed);
        self.live += 1;
        let entry = (at, self.pushed, node);
        if self.entries.back().is_none_or(|last| last.0 <= at) {
            self.entries.push_back(entry);
        } else {
            let place = self.entries.partition_point(|e| e.0 <= at);
            self.entries.insert(place, entry);
        }
        if self.entries.len() > 64 && self.entries.len() > 4 * self.live {
            let places = &self.places;
            self.entries.retain(|(_, number, n)| places[n.index()].contains(number));
        }
    }

    /// Takes one entry of a name out; the first of them where a bug of the release left several.
    fn take(&mut self, node: NodeId) -> bool {
        if let Some(heap) = &mut self.heap {
            return heap.remove(|entry| entry.1 == node).is_some();
        }
        match self.places.get_mut(node.index()) {
            Some(places) if !places.is_empty() => {
                places.remove(0);
                self.live -= 1;
                true
            }
            _ => false,
        }
    }

    fn head(&mut self) -> Option<(NodeId, Time)> {
        if let Some(heap) = &self.heap {
            return heap.first().map(|(at, node)| (*node, *at));
        }
        while let Some(&(at, number, node)) = self.entries.front() {
            if self.places[node.index()].contains(&number) {
                return Some((node, at));
            }
            self.entries.pop_front();
        }
        None
    }

    /// The names that may be worked on from the same time on as an entry; of their order nothing is
    /// known but that of a heap.
    fn tied(&self, at: Time) -> Vec<NodeId> {
        let waiting = self.entries.iter().skip_while(|e| e.0 < at).take_while(|e| e.0 == at);
        let waiting = waiting.filter(|(_, number, n)| self.places[n.index()].contains(number));
        waiting.map(|e| e.2).collect()
    }

    /// Puts a name into the set; false if it is there.
    fn mark(&mut self, node: NodeId) -> bool {
        !std::mem::replace(slot(&mut self.set, node.index()), true)
    }

    /// Takes a name out of the set; false if it is not there.
    fn unmark(&mut self, node: NodeId) -> bool {
        self.set.get_mut(node.index()).is_some_and(std::mem::take)
    }

    fn is_marked(&self, node: NodeId) -> bool {
        self.set.get(node.index()).copied().unwrap_or(false)
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
            queue: Shared::new(UniqueQueue {
                heap: ctx.draws_turns().then(|| Heap::new(|a: &(Time, NodeId), b| a.0 < b.0)),
                ..UniqueQueue::default()
            }),
            limiter: Shared::new(Some(limiter)),
            limiter_lock: Lock::new(ctx),
        }
    }

    /// A queue of a zone that was worked on before the start of the run: at no rate, or at one,
    /// with that part of a token.
    pub(super) fn recalled(ctx: &Ctx, qps: f32, tokens: f64) -> Self {
        let queue = Self::new(ctx, qps);
        let bucket = || TokenBucket::with_tokens(Limits { qps, burst: BURST }, tokens);
        queue.limiter.with(|l| *l = (qps > 0.0).then(bucket));
        queue
    }

    /// Adds a name, to be worked on at once; refused while it is in the set.
    pub(super) fn add(&self, node: NodeId) -> bool {
        let now = self.ctx.now();
        self.queue.with(|q| {
            let new = q.mark(node);
            if new {
                q.push(node, now);
            }
            new
        })
    }

    /// A name that was worked on before the start of the run: it stays in the set until it is
    /// removed.
    pub(super) fn worked_on(&self, node: NodeId) {
        self.queue.with(|q| q.mark(node));
    }

    /// Takes a name from set and heap. True if it was in the set.
    pub(super) fn remove(&self, node: NodeId) -> bool {
        self.queue.with(|q| {
            let had = q.unmark(node);
            if had {
                q.take(node);
            }
            had
        })
    }

    /// Takes a name from the set only, as a release with the heap-duplicate bug does.
    pub(super) fn forget(&self, node: NodeId) {
        self.queue.with(|q| q.unmark(node));
    }

    /// Whether any entry waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.with(|q| q.head().is_none())
    }

    /// Works on entries in order while the limiter grants tokens (`Try`). A token is taken before
    /// the head is looked at. The action says whether the entry is done, or how long it has to
    /// wait.
    ///
    /// Of nodes that came in one instant any may be first: a pass's workers put them there, and
    /// where the clock stands still, as in recorded timelines, a heap gives equal times in an order
    /// of its own.
    pub(super) async fn try_each<F: Future<Output = Result<(), Dur>>>(
        &self,
        object: impl Fn(NodeId) -> Object,
        action: impl Fn(NodeId) -> F,
    ) {
        let Some(mut val) = self.queue.with(|q| q.head()) else { return };
        let _held = self.limiter_lock.lock().await;
        loop {
            let now = self.ctx.now();
            if !self.limiter.with(|l| try_accept(l, now)) || now < val.1 {
                return;
            }
            val.0 = self.first_of_tied(val, &object);
            match action(val.0).await {
                Err(wait) => self.queue.with(|q| {
                    if q.take(val.0) {
                        q.push(val.0, now + wait + Dur::from_nanos(1));
                    }
                }),
                Ok(()) => self.queue.with(|q| {
                    if q.is_marked(val.0) {
                        q.take(val.0);
                    }
                }),
            }
            let Some(next) = self.queue.with(|q| q.head()) else { return };
            val = next;
        }
    }

    /// Which of those that tie with an entry comes first.
    fn first_of_tied(
        &self,
        (node, at): (NodeId, Time),
        object: impl Fn(NodeId) -> Object,
    ) -> NodeId {
        if !self.ctx.is_choosing() {
            return node;
        }
        let mut tied = self.queue.with(|q| q.tied(at));
        if tied.first() != Some(&node) {
            return node;
        }
        self.ctx.order_ties(self.ctx.point("zone-queue-tie"), &mut tied, |n| object(*n));
        tied[0]
    }

    /// Changes the limiter if its rate differs (`SwapLimiter`); waits for a running
    /// [`Self::try_each`].
    pub(super) async fn swap_limiter(&self, qps: f32) {
        let _held = self.limiter_lock.lock().await;
        let now = self.ctx.now();
        self.limiter.with(|current| {
            if current.as_ref().map_or(1.0, TokenBucket::qps) == qps {
                return;
            }
            if qps <= 0.0 {
                *current = None;
                return;
            }
            let mut fresh = TokenBucket::new(Limits { qps, burst: BURST });
            if !try_accept(current, now) {
                fresh.try_accept(now);
            }
            *current = Some(fresh);
        });
    }
}
