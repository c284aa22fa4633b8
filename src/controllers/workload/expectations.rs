//! What a controller has asked for and not yet seen (`pkg/controller/controller_utils.go: UIDTrackingControllerExpectations`).

use crate::api::meta::Uid;
use crate::kernel::{Dur, Time};
use std::collections::{BTreeMap, BTreeSet};

/// After so long nobody waits any more (`ExpectationsTimeout`).
const EXPECTATIONS_TIMEOUT: Dur = Dur::from_secs(300);

struct Expected {
    creations: i64,
    deletions: BTreeSet<Uid>,
    since: Time,
}

/// Expectations by key.
pub(super) struct Expectations<K>(BTreeMap<K, Expected>);

impl<K: Ord + Copy> Default for Expectations<K> {
    fn default() -> Self {
        Expectations(BTreeMap::new())
    }
}

impl<K: Ord + Copy> Expectations<K> {
    /// Nothing more is to be seen, or not for long (`SatisfiedExpectations`).
    pub(super) fn satisfied(&self, key: K, now: Time) -> bool {
        self.0.get(&key).is_none_or(|e| e.creations <= 0 && e.deletions.is_empty() || now.since(e.since) > EXPECTATIONS_TIMEOUT)
    }

    /// So many pods are to appear (`ExpectCreations`).
    pub(super) fn expect_creations(&mut self, key: K, count: usize, now: Time) {
        self.0.insert(key, Expected { creations: count as i64, deletions: BTreeSet::new(), since: now });
    }

    /// These pods are to go (`ExpectDeletions`).
    pub(super) fn expect_deletions(&mut self, key: K, pods: impl IntoIterator<Item = Uid>, now: Time) {
        self.0.insert(key, Expected { creations: 0, deletions: pods.into_iter().collect(), since: now });
    }

    /// A pod appeared (`CreationObserved`).
    pub(super) fn creation_observed(&mut self, key: K) {
        if let Some(e) = self.0.get_mut(&key) {
            e.creations -= 1;
        }
    }

    /// A pod went, or is about to (`DeletionObserved`).
    pub(super) fn deletion_observed(&mut self, key: K, pod: Uid) {
        if let Some(e) = self.0.get_mut(&key) {
            e.deletions.remove(&pod);
        }
    }

    /// The workload is gone (`DeleteExpectations`).
    pub(super) fn forget(&mut self, key: K) {
        self.0.remove(&key);
    }
}
