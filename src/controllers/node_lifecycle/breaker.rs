//! The lease circuit breaker of 1.37 (gate NodeControllerLeaseCircuitBreaker): a node past its
//! grace is acted on only if the live lease is the one the cache had; otherwise no node is, until
//! the lease cache has caught up.
//!
//! `node_lifecycle_controller.go: tryUpdateNodeHealth` and
//! `pkg/controller/util/consistency/consistency.go`, v1.37.

use crate::client::InformerFactory;
use std::cell::Cell;

/// The resourceVersion that the lease cache has to reach before nodes are looked at again; zero is
/// none.
#[derive(Default)]
pub(super) struct Breaker {
    pub(super) wanted: Cell<u64>,
}

impl Breaker {
    /// Whether the lease cache is known to lag (`EnsureReady`); once it has caught up that is
    /// forgotten.
    pub(super) fn is_waiting(&self, informers: &InformerFactory) -> bool {
        if self.wanted.get() > informers.lease_version() {
            return true;
        }
        self.wanted.set(0);
        false
    }
}
