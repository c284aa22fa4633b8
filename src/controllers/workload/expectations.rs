//! What a controller has asked for and not yet seen (`pkg/controller/controller_utils.go:
//! ControllerExpectations`, `UIDTrackingControllerExpectations`).

use crate::controllers::prelude::*;

/// After this long nobody waits any more (`ExpectationsTimeout`).
const EXPECTATIONS_TIMEOUT: Dur = Dur::from_secs(300);

/// Pods that are to go.
pub(super) trait Deletions {
    /// All of them went, or are about to.
    fn are_seen(&self) -> bool;
}

/// Which they are.
impl Deletions for BTreeSet<Uid> {
    fn are_seen(&self) -> bool {
        self.is_empty()
    }
}

/// How many they are. A pod counts as gone when its deletion begins, and once more when it ends: the number may
/// fall below zero.
impl Deletions for i64 {
    fn are_seen(&self) -> bool {
        *self <= 0
    }
}

struct Expected<D> {
    creations: i64,
    deletions: D,
    since: Time,
}

/// Expectations by workload.
#[derive(Default)]
pub(super) struct Expectations<D>(Vec<Option<Expected<D>>>);

impl<D: Deletions> Expectations<D> {
    fn get(&mut self, workload: WorkloadId) -> Option<&mut Expected<D>> {
        self.0.get_mut(workload.index()).and_then(Option::as_mut)
    }

    /// Nothing more is to be seen, or not for long (`SatisfiedExpectations`).
    pub(super) fn satisfied(&mut self, workload: WorkloadId, now: Time) -> bool {
        let over = |e: &mut Expected<D>| {
            e.creations <= 0 && e.deletions.are_seen() || now.since(e.since) > EXPECTATIONS_TIMEOUT
        };
        self.get(workload).is_none_or(over)
    }

    /// That number of pods is to appear, and these are to go (`SetExpectations`, `ExpectDeletions`).
    pub(super) fn expect(
        &mut self,
        workload: WorkloadId,
        creations: usize,
        deletions: D,
        now: Time,
    ) {
        let expected = Expected { creations: creations as i64, deletions, since: now };
        *slot(&mut self.0, workload.index()) = Some(expected);
    }

    /// A pod appeared, or will not (`CreationObserved`).
    pub(super) fn creation_observed(&mut self, workload: WorkloadId) {
        if let Some(e) = self.get(workload) {
            e.creations -= 1;
        }
    }

    /// The workload is gone (`DeleteExpectations`).
    pub(super) fn forget(&mut self, workload: WorkloadId) {
        if let Some(e) = self.0.get_mut(workload.index()) {
            *e = None;
        }
    }
}

impl Expectations<BTreeSet<Uid>> {
    /// That number of pods is to appear (`ExpectCreations`).
    pub(super) fn expect_creations(&mut self, workload: WorkloadId, count: usize, now: Time) {
        self.expect(workload, count, BTreeSet::new(), now);
    }

    /// A pod went, is about to, or will not (`DeletionObserved`).
    pub(super) fn deletion_observed(&mut self, workload: WorkloadId, pod: Uid) {
        if let Some(e) = self.get(workload) {
            e.deletions.remove(&pod);
        }
    }
}

impl Expectations<i64> {
    /// A pod went, is about to, or will not (`DeletionObserved`).
    pub(super) fn deletion_observed(&mut self, workload: WorkloadId) {
        if let Some(e) = self.get(workload) {
            e.deletions -= 1;
        }
    }
}
