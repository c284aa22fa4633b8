//! What a controller has written and its caches may not have yet (`pkg/controller/util/consistency`, 1.36).
//!
//! A sync of a workload that runs ahead of its own writes gives up and is tried again. Left out: volume claims.

use crate::api::meta::Uid;
use crate::api::names::WorkloadId;
use crate::client::{InformerFactory, Resource};
use std::collections::BTreeMap;

/// The newest version of each resource that was written for a workload.
#[derive(Default)]
pub(super) struct Written(BTreeMap<WorkloadId, (Uid, Vec<(Resource, u64)>)>);

impl Written {
    /// Notes the version that a write made (`WroteAt`).
    pub(super) fn wrote_at(&mut self, owner: WorkloadId, uid: Uid, resource: Resource, version: u64) {
        let entry = self.0.entry(owner).or_insert((uid, Vec::new()));
        if entry.0 != uid {
            *entry = (uid, Vec::new());
        }
        match entry.1.iter_mut().find(|(r, _)| *r == resource) {
            Some((_, newest)) => *newest = version.max(*newest),
            None => entry.1.push((resource, version)),
        }
    }

    /// Whether the caches have everything that was written for a workload; what they have is forgotten (`EnsureReady`).
    pub(super) fn ensure_ready(&mut self, owner: WorkloadId, informers: &InformerFactory) -> bool {
        let ready = self.0.get(&owner).is_none_or(|(_, writes)| writes.iter().all(|(r, v)| informers.delivered(*r) >= *v));
        if ready {
            self.0.remove(&owner);
        }
        ready
    }

    /// The workload is gone (`Clear`).
    pub(super) fn forget(&mut self, owner: WorkloadId) {
        self.0.remove(&owner);
    }
}
