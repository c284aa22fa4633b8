//! What a controller has asked for and not yet seen (`pkg/controller/controller_utils.go:
//! ControllerExpectations`, `UIDTrackingControllerExpectations`).

use crate::controllers::prelude::*;

/// After this long nobody waits any more (`ExpectationsTimeout`).
const EXPECTATIONS_TIMEOUT: Dur = Dur::from_secs(300);

struct Expected {
    creations: i64,
    deletions: BTreeSet<Uid>,
    since: Time,
}

/// Expectations by workload.
#[derive(Default)]
pub(super) struct Expectations(Vec<Option<Expected>>);

impl Expectations {
    fn get(&mut self, workload: WorkloadId) -> Option<&mut Expected> {
        self.0.get_mut(workload.index()).and_then(Option::as_mut)
    }

    fn set(&mut self, workload: WorkloadId, creations: usize, deletions: BTreeSet<Uid>, now: Time) {
        let expected = Expected { creations: creations as i64, deletions, since: now };
        *slot(&mut self.0, workload.index()) = Some(expected);
    }

    /// Nothing more is to be seen, or not for long (`SatisfiedExpectations`).
    pub(super) fn satisfied(&mut self, workload: WorkloadId, now: Time) -> bool {
        let over = |e: &mut Expected| {
            e.creations <= 0 && e.deletions.is_empty() || now.since(e.since) > EXPECTATIONS_TIMEOUT
        };
        self.get(workload).is_none_or(over)
    }

    /// That number of pods is to appear (`ExpectCreations`).
    pub(super) fn expect_creations(&mut self, workload: WorkloadId, count: usize, now: Time) {
        self.set(workload, count, BTreeSet::new(), now);
    }

    /// These pods are to go (`ExpectDeletions`).
    pub(super) fn expect_deletions(
        &mut self,
        workload: WorkloadId,
        pods: impl IntoIterator<Item = Uid>,
        now: Time,
    ) {
        self.set(workload, 0, pods.into_iter().collect(), now);
    }

    /// A pod appeared (`CreationObserved`).
    pub(super) fn creation_observed(&mut self, workload: WorkloadId) {
        if let Some(e) = self.get(workload) {
            e.creations -= 1;
        }
    }

    /// A pod went, or is about to (`DeletionObserved`).
    pub(super) fn deletion_observed(&mut self, workload: WorkloadId, pod: Uid) {
        if let Some(e) = self.get(workload) {
            e.deletions.remove(&pod);
        }
    }

    /// The workload is gone (`DeleteExpectations`).
    pub(super) fn forget(&mut self, workload: WorkloadId) {
        if let Some(e) = self.0.get_mut(workload.index()) {
            *e = None;
        }
    }
}

#[derive(Clone, Copy)]
struct Counted {
    creations: i64,
    deletions: i64,
    since: Time,
}

/// Expectations by workload where deletions are only counted. A pod counts as gone when its
/// deletion begins, and once more when it ends: the numbers may fall below zero.
#[derive(Default)]
pub(super) struct ControllerExpectations(BTreeMap<WorkloadId, Counted>);

impl ControllerExpectations {
    /// Nothing more is to be seen, or not for long (`SatisfiedExpectations`).
    pub(super) fn satisfied(&self, workload: WorkloadId, now: Time) -> bool {
        let over = |e: &Counted| {
            e.creations <= 0 && e.deletions <= 0 || now.since(e.since) > EXPECTATIONS_TIMEOUT
        };
        self.0.get(&workload).is_none_or(over)
    }

    /// These numbers of pods are to appear and to go (`SetExpectations`).
    pub(super) fn expect(
        &mut self,
        workload: WorkloadId,
        creations: usize,
        deletions: usize,
        now: Time,
    ) {
        let expected =
            Counted { creations: creations as i64, deletions: deletions as i64, since: now };
        self.0.insert(workload, expected);
    }

    /// A pod appeared, or will not (`CreationObserved`).
    pub(super) fn creation_observed(&mut self, workload: WorkloadId) {
        if let Some(e) = self.0.get_mut(&workload) {
            e.creations -= 1;
        }
    }

    /// A pod went, is about to, or will not (`DeletionObserved`).
    pub(super) fn deletion_observed(&mut self, workload: WorkloadId) {
        if let Some(e) = self.0.get_mut(&workload) {
            e.deletions -= 1;
        }
    }

    /// The workload is gone (`DeleteExpectations`).
    pub(super) fn forget(&mut self, workload: WorkloadId) {
        self.0.remove(&workload);
    }
}
