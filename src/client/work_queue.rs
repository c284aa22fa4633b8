//! Work queues (`client-go/util/workqueue/queue.go`, `rate_limiting_queue.go`,
//! `default_rate_limiters.go`).
//!
//! A queue hands out items in the order in which they were first added. An item that is added while
//! it waits is not added again; one that is added while it is worked on is queued again once that
//! is done.

use super::token_bucket::TokenBucket;
use crate::client::prelude::*;
use crate::kernel::Waiters;

/// An item: a copyable key with a dense slot. Several keys may share a slot.
pub(crate) trait QueueKey: Copy + Eq + Ord + 'static {
    /// The slot, an index of about the number of names.
    fn slot(self) -> usize;
}

impl QueueKey for NodeId {
    fn slot(self) -> usize {
        self.index()
    }
}

impl QueueKey for PodId {
    fn slot(self) -> usize {
        self.index()
    }
}

impl QueueKey for WorkloadId {
    fn slot(self) -> usize {
        self.index()
    }
}

/// Names are few where they are keys: all share a slot.
impl QueueKey for TextId {
    fn slot(self) -> usize {
        0
    }
}

/// A queue that was longer than this gives its memory back when it is empty.
const KEPT: usize = 1024;

#[derive(Clone, Copy, Default)]
struct Flags {
    dirty: bool,
    processing: bool,
}

/// An item that waits.
#[derive(Clone, Copy)]
struct Waiting<K> {
    key: K,
    cause: u32,
    since: Time,
}

struct State<K> {
    queue: VecDeque<Waiting<K>>,
    /// What was added up to this time has been taken, or has a worker on its way that waited for it.
    taken: Time,
    /// One key of each slot; further keys of the same slot, which are rare, lie in `more`.
    slots: Vec<Option<(K, Flags)>>,
    more: BTreeMap<K, Flags>,
    waiting: Waiters,
    /// When items come that were added for later.
    delayed: BTreeMap<K, Time>,
}

impl<K: QueueKey> State<K> {
    fn flags(&mut self, key: K) -> &mut Flags {
        if self.slots.len() <= key.slot() {
            self.slots.resize(key.slot() + 1, None);
        }
        let slot = &mut self.slots[key.slot()];
        let taken = slot.is_some_and(|(k, f)| k != key && (f.dirty || f.processing));
        if taken {
            return self.more.entry(key).or_default();
        }
        if slot.is_none_or(|(k, _)| k != key) {
            *slot = Some((key, self.more.remove(&key).unwrap_or_default()));
        }
        &mut slot.get_or_insert((key, Flags::default())).1
    }

    /// Notes that an item was added: whether it is to wait from now on, which it does not if it does
    /// already, or is worked on.
    fn is_to_wait(&mut self, key: K) -> bool {
        let flags = self.flags(key);
        !std::mem::replace(&mut flags.dirty, true) && !flags.processing
    }
}

/// A deduplicating FIFO queue of a process, with the limiter of items that failed.
#[derive(Clone)]
pub(crate) struct WorkQueue<K> {
    ctx: Ctx,
    group: Group,
    key: Key,
    state: Rc<Shared<State<K>>>,
    limiter: Rc<Shared<RateLimiter<K>>>,
}

impl<K: QueueKey> WorkQueue<K> {
    /// An empty queue with the limiter that most have.
    pub(crate) fn new(ctx: &Ctx, group: Group) -> Self {
        Self::with_limiter(ctx, group, RateLimiter::default())
    }

    /// An empty queue.
    pub(crate) fn with_limiter(ctx: &Ctx, group: Group, limiter: RateLimiter<K>) -> Self {
        let state = State {
            queue: VecDeque::new(),
            taken: Time::ZERO,
            slots: Vec::new(),
            more: BTreeMap::new(),
            waiting: Waiters::default(),
            delayed: BTreeMap::new(),
        };
        let (state, limiter) = (Rc::new(Shared::new(state)), Rc::new(Shared::new(limiter)));
        WorkQueue { ctx: ctx.clone(), group, key: ctx.key(), state, limiter }
    }

    /// Adds an item (`Add`); the running step's cause goes with it.
    pub(crate) fn add(&self, key: K) {
        self.ctx.writes(self.key);
        let cause = self.ctx.cause();
        self.state.with(|s| {
            if !s.is_to_wait(key) {
                return;
            }
            s.queue.push_back(Waiting { key, cause, since: self.ctx.now() });
            self.wake_one(s);
        });
    }

    /// Adds an item as if it had been added at one of those times, ascending, of a span in which that
    /// was not simulated: it waits where it would wait now, if it still would.
    pub(crate) fn add_as_of(&self, key: K, times: impl Iterator<Item = Time>) {
        let cause = self.ctx.cause();
        self.state.with(|s| {
            // What was added while somebody waited for it has been taken long since.
            if !s.waiting.is_empty() {
                return;
            }
            let taken = s.taken;
            let Some(since) = times.into_iter().find(|at| *at > taken) else { return };
            if !s.is_to_wait(key) {
                return;
            }
            self.ctx.writes(self.key);
            let place = s.queue.partition_point(|w| w.since <= since);
            s.queue.insert(place, Waiting { key, cause, since });
        });
    }

    fn wake_one(&self, s: &mut State<K>) {
        if s.waiting.wake_first(&self.ctx) {
            s.taken = self.ctx.now();
        }
    }

    /// Waits for an item and takes it (`Get`); the taker goes on with the item's cause.
    pub(crate) async fn get(&self) -> K {
        loop {
            // It makes no difference in which order workers come to wait: they are all alike.
            if self.is_empty() {
                self.ctx.parked(|t| self.state.with(|s| s.waiting.push(t))).await;
                continue;
            }
            self.ctx.writes(self.key);
            let taken = self.state.with(|s| {
                let Waiting { key, cause, since } = s.queue.pop_front()?;
                s.taken = s.taken.max(since);
                if s.queue.is_empty() && s.queue.capacity() > KEPT {
                    s.queue = VecDeque::new();
                }
                *s.flags(key) = Flags { dirty: false, processing: true };
                Some((key, cause))
            });
            if let Some((key, cause)) = taken {
                self.ctx.set_cause(cause);
                return key;
            }
        }
    }

    /// Says that an item was worked on (`Done`); it is queued again if it was added meanwhile.
    pub(crate) fn done(&self, key: K) {
        self.ctx.writes(self.key);
        let cause = self.ctx.cause();
        self.state.with(|s| {
            let flags = s.flags(key);
            flags.processing = false;
            if flags.dirty {
                s.queue.push_back(Waiting { key, cause, since: self.ctx.now() });
                self.wake_one(s);
            }
        });
    }

    /// How many items wait.
    pub(crate) fn len(&self) -> usize {
        self.ctx.reads(self.key);
        self.state.with(|s| s.queue.len())
    }

    /// Whether no item waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A worker of a controller (`processNextWorkItem` in a loop): works on one item after another;
    /// one that failed comes again after its back-off, and one that did not starts over with it.
    pub(crate) async fn work<E>(&self, sync: impl AsyncFn(K) -> Result<(), E>) {
        self.work_once(async |key| match sync(key).await {
            Ok(()) => self.forget(key),
            Err(_) => self.add_rate_limited(key),
        })
        .await;
    }

    /// A worker that works on one item after another; none that failed comes again by itself.
    pub(crate) async fn work_once(&self, sync: impl AsyncFn(K)) {
        loop {
            let key = self.get().await;
            sync(key).await;
            self.done(key);
        }
    }

    /// Adds an item after its back-off (`AddRateLimited`).
    pub(crate) fn add_rate_limited(&self, key: K) {
        self.ctx.writes(self.key);
        self.add_after(self.limiter.with(|l| l.when(&self.ctx, key)), key);
    }

    /// Starts over with an item that may have failed (`Forget`).
    pub(crate) fn forget(&self, key: K) {
        self.limiter.with(|l| l.failures.remove(&key));
    }

    /// How often an item failed since it was last forgotten (`NumRequeues`).
    pub(crate) fn failures(&self, key: K) -> u32 {
        self.limiter.with(|l| l.failures(key))
    }

    /// The back-off after the last failure of an item; none if it did not fail.
    pub(crate) fn backoff(&self, key: K) -> Dur {
        self.limiter.with(|l| l.current(key))
    }

    /// Adds an item some time later, or at once (`AddAfter`): of several times for one item the
    /// earliest stands.
    pub(crate) fn add_after(&self, wait: Dur, key: K) {
        if wait.is_zero() {
            self.add(key);
            return;
        }
        self.ctx.writes(self.key);
        let at = self.ctx.now() + wait;
        let sooner = self.state.with(|s| {
            let due = s.delayed.entry(key).or_insert(Time::MAX);
            let sooner = at < *due;
            *due = at.min(*due);
            sooner
        });
        if !sooner {
            return;
        }
        let queue = self.clone();
        self.ctx.spawn(self.group, async move {
            queue.ctx.sleep_until(at).await;
            queue.ctx.writes(queue.key);
            if queue.state.with(|s| s.delayed.get(&key) == Some(&at)) {
                queue.state.with(|s| s.delayed.remove(&key));
                queue.add(key);
            }
        });
    }
}

/// How long a failed item waits.
pub(crate) struct RateLimiter<K> {
    failures: BTreeMap<K, u32>,
    base: Dur,
    max: Dur,
    bucket: Option<TokenBucket>,
}

/// `DefaultTypedControllerRateLimiter`: the longer of 5 ms doubling per failure up to 1000 s, and a
/// bucket of 10 per second with burst 100.
impl<K: QueueKey> Default for RateLimiter<K> {
    fn default() -> Self {
        let bucket = TokenBucket::new(Limits { qps: 10.0, burst: 100 });
        let exponential = Self::exponential(Dur::from_millis(5), Dur::from_secs(1000));
        RateLimiter { bucket: Some(bucket), ..exponential }
    }
}

impl<K: QueueKey> RateLimiter<K> {
    /// `base`, doubling per failure up to `max` (`NewTypedItemExponentialFailureRateLimiter`).
    pub(crate) fn exponential(base: Dur, max: Dur) -> Self {
        RateLimiter { failures: BTreeMap::new(), base, max, bucket: None }
    }

    /// How long this failure of an item makes it wait (`When`).
    fn when(&mut self, ctx: &Ctx, key: K) -> Dur {
        *self.failures.entry(key).or_default() += 1;
        self.current(key).max(self.bucket.as_mut().map_or(Dur::ZERO, |b| b.take(ctx.now())))
    }

    /// The delay of the last failure of an item; none if it did not fail.
    fn current(&self, key: K) -> Dur {
        let Some(failures) = self.failures(key).checked_sub(1) else { return Dur::ZERO };
        let doubled = u128::from(self.base.as_nanos()) << failures.min(63);
        u64::try_from(doubled).map_or(self.max, Dur::from_nanos).min(self.max)
    }

    /// How often an item failed since it was last forgotten (`NumRequeues`).
    fn failures(&self, key: K) -> u32 {
        self.failures.get(&key).copied().unwrap_or_default()
    }
}
