//! What a controller has written and its caches may not have yet
//! (`pkg/controller/util/consistency`, 1.36).
//!
//! A sync of a workload that runs ahead of its own writes gives up and is tried again. Left out:
//! volume claims.

use crate::controllers::prelude::*;

/// The newest version of each resource that was written for a workload, by its life.
type Writes = BTreeMap<WorkloadId, (Uid, Vec<(Resource, u64)>)>;

/// What was written for workloads; nothing is kept where the release does not wait for it.
#[derive(Clone)]
pub(super) struct Written(Option<Rc<Shared<Writes>>>);

impl Written {
    /// Nothing was written yet. `waits`: syncs wait for what they wrote.
    pub(super) fn new(waits: bool) -> Self {
        Written(waits.then(|| Rc::new(Shared::new(Writes::new()))))
    }

    /// Notes the version that a write for a workload made (`WroteAt`).
    pub(super) fn wrote_at(&self, owner: &Workload, resource: Resource, version: u64) {
        let Some(writes) = &self.0 else { return };
        writes.with(|w| {
            let entry = w.entry(owner.id).or_insert((owner.uid, Vec::new()));
            if entry.0 != owner.uid {
                *entry = (owner.uid, Vec::new());
            }
            match entry.1.iter_mut().find(|(r, _)| *r == resource) {
                Some((_, newest)) => *newest = version.max(*newest),
                None => entry.1.push((resource, version)),
            }
        });
    }

    /// Whether the caches have everything that was written for a workload; what they have is
    /// forgotten (`EnsureReady`).
    pub(super) fn is_seen(&self, owner: WorkloadId, informers: &InformerFactory) -> bool {
        let Some(writes) = &self.0 else { return true };
        writes.with(|w| {
            let seen = w.get(&owner).is_none_or(|(_, writes)| {
                writes.iter().all(|(r, v)| informers.delivered(*r) >= *v)
            });
            if seen {
                w.remove(&owner);
            }
            seen
        })
    }

    /// The workload is gone (`Clear`).
    pub(super) fn forget(&self, owner: WorkloadId) {
        if let Some(writes) = &self.0 {
            writes.with(|w| w.remove(&owner));
        }
    }
}
