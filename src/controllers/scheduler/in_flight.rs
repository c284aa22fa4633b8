//! Pods that are being tried, and what changes meanwhile (`backend/queue/active_queue.go:
//! inFlightPods`, `inFlightEvents`).

use crate::controllers::scheduler::prelude::*;

/// The pods being tried, and the changes since the first of them was taken.
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
