//! The server's part in heartbeats that are computed: whom it asks for them, and how the store
//! catches up with them.

use super::store::put;
use super::{ApiServer, Heartbeats, lease_version};
use crate::apiserver::prelude::*;

impl ApiServer {
    /// Lets heartbeats be computed by `source`.
    pub(crate) fn compute_heartbeats(&self, source: Rc<dyn Heartbeats>) {
        *self.heartbeats.borrow_mut() = Some(source);
    }

    /// Who computes heartbeats, if anybody does.
    pub(crate) fn source_of_heartbeats(&self) -> Option<Rc<dyn Heartbeats>> {
        self.heartbeats.borrow().clone()
    }

    /// Has a node's heartbeats simulated, as something is about to happen to it.
    pub(crate) fn touch(&self, node: NodeId) {
        let source = self.heartbeats.borrow().clone();
        if let Some(source) = source {
            source.wake(node);
        }
    }

    /// Stores the heartbeats of a node that were computed, and reports them to the watchers, who
    /// may still wait for the last ones. `renewals` are the latest renewals with the kubelet's
    /// time in microseconds, `posts` the latest status posts, both in order of time.
    pub(crate) fn catch_up(
        &self,
        node: NodeId,
        renewals: &[(Time, i64)],
        posts: &[(Time, Timestamp)],
    ) {
        for &(at, renew_time_us) in renewals {
            self.writes(self.keys.leases, node.index());
            let lease = self.store.with(|s| {
                let uid = s.leases.get(node.index()).and_then(Option::as_ref).map(|l| l.uid)?;
                let lease = Lease { node, uid, resource_version: lease_version(at), renew_time_us };
                put(&mut s.leases, node.index(), lease.clone());
                Some(lease)
            });
            if let Some(lease) = lease {
                self.tell(|w| w.lease(node, Some(&lease), at));
            }
        }
        for &(at, heartbeat) in posts {
            let Some(old) = self.node(node) else { return };
            self.writes(self.keys.nodes, node.index());
            let mut new = (*old).clone();
            for c in &mut new.conditions {
                c.last_heartbeat_time = heartbeat;
            }
            new.resource_version = self.store.with(|s| s.next_version());
            let new = Rc::new(new);
            self.store.with(|s| put(&mut s.nodes, node.index(), new.clone()));
            self.tell(|w| w.heartbeat(&old, &new, at));
        }
    }

    /// Announces to the watchers, in advance, that a node's heartbeats will be simulated after they
    /// were computed, or will come again.
    pub(crate) fn waking(&self, node: NodeId) {
        self.tell(|w| w.waking(node));
    }

    /// Announces to the watchers that a node that was quiet may no longer be so.
    pub(crate) fn stir(&self) {
        self.tell(|w| w.stirred());
    }
}
