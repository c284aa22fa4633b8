//! The lease circuit breaker of 1.37 (gate NodeControllerLeaseCircuitBreaker): a node past its
//! grace is acted on only if the live lease is the one the cache had; otherwise no node is, until
//! the lease cache has caught up.
//!
//! `node_lifecycle_controller.go: tryUpdateNodeHealth` and
//! `pkg/controller/util/consistency/consistency.go`, v1.37.

use super::controller::Controller;
use crate::api::node::Node;
use crate::apiserver::ApiError;
use crate::client::InformerFactory;
use std::cell::Cell;
use std::rc::Rc;

/// The resourceVersion that the lease cache has to reach before nodes are looked at again; zero is
/// none.
#[derive(Default)]
pub(super) struct Breaker {
    wanted: Cell<u64>,
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

impl Controller {
    /// Reads the live lease of a node that is past its grace. True if it is the one of the health
    /// record, or there is none; if it is another one, the breaker opens.
    pub(super) async fn live_lease_agrees(&self, node: &Rc<Node>) -> bool {
        let known = self
            .state
            .with(|s| s.health[node.id.index()].and_then(|h| h.lease))
            .map(|(_, version)| version);
        let id = node.id;
        match self
            .client
            .call(self.object(id), move |api, _| api.get_lease(id))
            .await
        {
            Err(ApiError::NotFound) => true,
            Err(_) => false,
            Ok(live) if Some(live.resource_version) == known => true,
            Ok(live) => {
                self.breaker
                    .wanted
                    .set(self.breaker.wanted.get().max(live.resource_version));
                false
            }
        }
    }
}
