//! Where the pods in the queue wait: to be tried next (`backend/queue/active_queue.go`), for the end
//! of a back-off (`backoff_queue.go`), or for a change (`unschedulable_pods.go`).

use super::queued_pod::{ActiveKey, Place, QueuedPod};
use crate::api::names::PodId;
use crate::kernel::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The pods in the queue, each in its place.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: BTreeMap<PodId, (Place, QueuedPod)>,
    active: BTreeSet<ActiveKey>,
    backoff: BTreeSet<(Time, ActiveKey)>,
    error_backoff: BTreeSet<(Time, PodId)>,
    unschedulable: BTreeSet<PodId>,
}

impl Waiting {
    /// Puts a pod in a place.
    pub(super) fn put(&mut self, place: Place, entry: QueuedPod) {
        let id = entry.pod.id;
        match place {
            Place::Active => self.active.insert(entry.active_key()),
            Place::Backoff(until) => self.backoff.insert((until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.insert((until, id)),
            Place::Unschedulable => self.unschedulable.insert(id),
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
            Place::Unschedulable => self.unschedulable.remove(&id),
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

    /// Those that wait for a change.
    pub(super) fn unschedulable(&self) -> &BTreeSet<PodId> {
        &self.unschedulable
    }
}
