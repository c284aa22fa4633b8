//! Where the pods in the queue wait: to be tried next (`backend/queue/active_queue.go`), for the end
//! of a back-off (`backoff_queue.go`), or for a change (`unschedulable_pods.go`); and those that are being
//! tried.

use super::queued_pod::{ActiveKey, Place};
use crate::controllers::scheduler::prelude::*;
use crate::kernel::{GROUP_SLOTS, Heap};

/// The first and the longest back-off (`podInitialBackoffSeconds`, `podMaxBackoffSeconds`).
const INITIAL_BACKOFF: Dur = Dur::from_secs(1);
const MAX_BACKOFF: Dur = Dur::from_secs(10);
/// The longest where pods are tried again by time alone (`CreateDefaultPodBackoff`).
const MAX_SLEEP: Dur = Dur::from_secs(60);

/// Keys in order. Where the order within an instant is drawn, keys of one time come as upstream's heap has
/// them; otherwise first come, first served.
enum Sorted<K> {
    Set(BTreeSet<K>),
    Heap(Heap<K>),
}

impl<K: Ord> Sorted<K> {
    fn new(less: Option<fn(&K, &K) -> bool>) -> Self {
        less.map_or_else(|| Self::Set(BTreeSet::new()), |less| Self::Heap(Heap::new(less)))
    }

    fn insert(&mut self, key: K) -> bool {
        match self {
            Self::Set(keys) => keys.insert(key),
            Self::Heap(keys) => {
                keys.push(key);
                true
            }
        }
    }

    fn remove(&mut self, key: &K) -> bool {
        match self {
            Self::Set(keys) => keys.remove(key),
            Self::Heap(keys) => keys.remove(|k| k == key).is_some(),
        }
    }

    fn first(&self) -> Option<&K> {
        match self {
            Self::Set(keys) => keys.first(),
            Self::Heap(keys) => keys.first(),
        }
    }
}

/// The pods in the queue, each in its place.
pub(super) struct Waiting {
    entries: BTreeMap<PodId, (Place, QueuedPod)>,
    active: Sorted<ActiveKey>,
    backoff: Sorted<(Time, ActiveKey)>,
    error_backoff: BTreeSet<(Time, PodId)>,
    /// Each with its slot of the map that upstream keeps them in (`podInfoMap`): the first that was free.
    unschedulable: BTreeMap<PodId, usize>,
    /// Where the order within an instant is drawn, how that map is walked.
    walk: Option<(Client, PointId)>,
}

impl Waiting {
    /// None. Where the order within an instant is drawn, with heaps and a map as upstream's.
    pub(super) fn new(walk: Option<(Client, PointId)>) -> Self {
        let heaps = walk.is_some();
        let by_age: fn(&ActiveKey, &ActiveKey) -> bool = |a, b| (a.0, a.1) < (b.0, b.1);
        let by_end: fn(&(Time, ActiveKey), &(Time, ActiveKey)) -> bool =
            |(end, a), (other, b)| (end, a.0, a.1) < (other, b.0, b.1);
        Self {
            entries: BTreeMap::new(),
            active: Sorted::new(heaps.then_some(by_age)),
            backoff: Sorted::new(heaps.then_some(by_end)),
            error_backoff: BTreeSet::new(),
            unschedulable: BTreeMap::new(),
            walk,
        }
    }

    /// Puts a pod in a place.
    pub(super) fn put(&mut self, place: Place, entry: QueuedPod) {
        let id = entry.pod.id;
        match place {
            Place::Active => self.active.insert(entry.active_key()),
            Place::Backoff(until) => self.backoff.insert((until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.insert((until, id)),
            Place::Unschedulable => self.unschedulable.insert(id, self.free_slot()).is_none(),
        };
        self.entries.insert(id, (place, entry));
    }

    /// Takes a pod out.
    pub(super) fn take(&mut self, id: PodId) -> Option<(Place, QueuedPod)> {
        let (place, entry) = self.entries.remove(&id)?;
        match place {
            Place::Active => self.active.remove(&entry.active_key()),
            Place::Backoff(until) => self.backoff.remove(&(until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.remove(&(until, id)),
            Place::Unschedulable => self.unschedulable.remove(&id).is_some(),
        };
        Some((place, entry))
    }

    /// A pod and its place.
    pub(super) fn entry(&self, id: PodId) -> Option<(Place, &QueuedPod)> {
        self.entries.get(&id).map(|(place, entry)| (*place, entry))
    }

    /// The pod to be tried next.
    pub(super) fn first_active(&self) -> Option<PodId> {
        self.active.first().map(|key| key.3)
    }

    /// The pod that plugins rejected whose back-off ends first, and when.
    pub(super) fn first_backoff(&self) -> Option<(Time, PodId)> {
        self.backoff.first().map(|(until, key)| (*until, key.3))
    }

    /// As [`Self::first_backoff`], of those that failed without being rejected.
    pub(super) fn first_error_backoff(&self) -> Option<(Time, PodId)> {
        self.error_backoff.first().copied()
    }

    fn free_slot(&self) -> usize {
        let is_free = |slot: &usize| !self.unschedulable.values().any(|taken| taken == slot);
        let is_small = self.unschedulable.len() < GROUP_SLOTS;
        (0..GROUP_SLOTS).find(|slot| is_small && is_free(slot)).unwrap_or(GROUP_SLOTS)
    }

    /// Whether any waits for a change.
    pub(super) fn has_unschedulable(&self) -> bool {
        !self.unschedulable.is_empty()
    }

    /// Those that wait for a change, in the order in which upstream comes to them. Where pods of one age are
    /// tried as they came, that order plays no part.
    pub(super) fn unschedulable(&self) -> Vec<PodId> {
        let mut all: Vec<PodId> = self.unschedulable.keys().copied().collect();
        if let Some((client, point)) = &self.walk {
            let slot = |id: &PodId| self.unschedulable.get(id).copied().unwrap_or(GROUP_SLOTS);
            let whole = all.len();
            let object = |id: &PodId| client.pod_object(*id);
            client.api().ctx().order_some(*point, None, whole, &mut all, slot, object);
        }
        all
    }
}

/// The back-off of a release.
pub(super) struct Backoff(pub(super) Switches);

impl Backoff {
    /// When a pod's back-off ends (`getBackoffTime`).
    pub(super) fn get_backoff_time(&self, entry: &QueuedPod) -> Time {
        if let Some(before) = entry.before {
            return self.align(before.backoff_ends);
        }
        let by_time = self.0.retries == Retries::ByTime;
        let count = match self.0.backoff_counts_rejections {
            false => entry.attempts,
            true if entry.errors > 0 => entry.errors,
            true => entry.rejections,
        };
        let longest = if by_time { MAX_SLEEP } else { MAX_BACKOFF };
        if count == 0 || self.0.retries == Retries::AtOnce {
            return Time::ZERO;
        }
        let doubled = 1_u64
            .checked_shl(count - 1)
            .and_then(|n| INITIAL_BACKOFF.checked_mul(n))
            .unwrap_or(longest);
        self.align(entry.timestamp + doubled.min(longest))
    }

    fn align(&self, t: Time) -> Time {
        // Who sleeps is not looked up once a second.
        let is_whole = self.0.pops_from_backoff || self.0.retries == Retries::ByTime;
        if is_whole { Time::from_secs(t.as_secs()) } else { t }
    }

    /// Whether a back-off that ends then is still on (`isPodBackingoff`).
    pub(super) fn is_pod_backing_off(&self, until: Time, now: Time) -> bool {
        if until == Time::ZERO {
            false
        } else if self.0.pops_from_backoff {
            until >= self.align(now)
        } else {
            until > now
        }
    }
}

/// The pods being tried, and the changes since the first of them was taken (`inFlightPods`,
/// `inFlightEvents`).
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// With how many changes there had been when each was taken.
    pods: BTreeMap<PodId, u64>,
    changes: VecDeque<Change>,
    dropped: u64,
}

impl InFlight {
    fn changes_so_far(&self) -> u64 {
        self.dropped + self.changes.len() as u64
    }

    /// A pod begins to be tried.
    pub(super) fn begin(&mut self, pod: PodId) {
        self.pods.insert(pod, self.changes_so_far());
    }

    /// A pod is no longer being tried; changes that nobody else waits for are forgotten.
    pub(super) fn done(&mut self, pod: PodId) {
        if self.pods.remove(&pod).is_none() {
            return;
        }
        let oldest = self.pods.values().min().copied();
        let needed = oldest.unwrap_or(self.changes_so_far());
        while self.dropped < needed {
            self.changes.pop_front();
            self.dropped += 1;
        }
    }

    /// Whether a pod is being tried.
    pub(super) fn has(&self, pod: PodId) -> bool {
        self.pods.contains_key(&pod)
    }

    /// Notes a change, if any pod is being tried.
    pub(super) fn note(&mut self, change: &Change) {
        if !self.pods.is_empty() {
            self.changes.push_back(change.clone());
        }
    }

    /// The changes since a pod was taken; none if it is not being tried.
    pub(super) fn changes_since(&self, pod: PodId) -> Option<impl Iterator<Item = &Change>> {
        let skip = (self.pods.get(&pod)? - self.dropped) as usize;
        Some(self.changes.iter().skip(skip))
    }
}
