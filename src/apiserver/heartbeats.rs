//! Heartbeats that are computed instead of simulated one by one.
//!
//! While nothing can differ, a healthy node's lease renewals and periodic status posts leave no
//! trace and change nobody's mind: they sleep, and whoever wants to know the latest one as of some
//! time has it computed. Simulating each one stays possible (eager mode), and must give the same
//! trace.

use super::nodes::put;
use super::server::ApiServer;
use crate::api::lease::Lease;
use crate::api::meta::Timestamp;
use crate::api::names::NodeId;
use crate::kernel::Time;
use std::rc::Rc;

/// What is to be expected of a node's heartbeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beat {
    /// Each one is simulated.
    Awake,
    /// They come as ever, and are computed.
    Asleep,
    /// None come.
    Silent,
}

/// Knows of heartbeats that are not simulated.
pub trait Heartbeats {
    /// What is to be expected of a node's heartbeats.
    fn beat(&self, node: NodeId) -> Beat;
    /// The latest renewal of a sleeping node's lease at or before `t`, if there was one since it
    /// fell asleep. Times asked for of one node may not go back by more than one renewal.
    fn last_renewal(&self, node: NodeId, t: Time) -> Option<Time>;
    /// The heartbeat of the latest status post of a sleeping node at or before `t`, if there was
    /// one since it fell asleep.
    fn last_post(&self, node: NodeId, t: Time) -> Option<Timestamp>;
    /// Whether a node's heartbeats were computed until that time or later, and no more since.
    fn was_woken_since(&self, node: NodeId, t: Time) -> bool;
    /// Whether those of healthy nodes are computed at present: not while a fault keeps all of them
    /// from arriving in time.
    fn are_computed(&self) -> bool;
    /// A node is read or written, or a pod of its own is: its heartbeats are simulated for a while.
    fn wake(&self, node: NodeId);
}

/// The version of a lease that was renewed then: newer ones are greater, and the same renewal has
/// the same version whether it was simulated or computed.
pub fn lease_version(renewed: Time) -> u64 {
    renewed.as_nanos() + 1
}

impl ApiServer {
    /// Lets heartbeats be computed by `source`.
    pub fn compute_heartbeats(&self, source: Rc<dyn Heartbeats>) {
        *self.heartbeats.borrow_mut() = Some(source);
    }

    /// Who computes heartbeats, if anybody does.
    pub fn heartbeats(&self) -> Option<Rc<dyn Heartbeats>> {
        self.heartbeats.borrow().clone()
    }

    /// Has a node's heartbeats simulated, as something is about to happen to it.
    pub fn touch(&self, node: NodeId) {
        let source = self.heartbeats.borrow().clone();
        if let Some(source) = source {
            source.wake(node);
        }
    }

    /// Writes what a node's heartbeats have come to while they were computed, and tells watchers,
    /// who may still wait for the last ones. `renewals` are the latest renewals with the kubelet's
    /// time in microseconds, `posts` the latest status posts, both in order of time.
    pub fn catch_up(&self, node: NodeId, renewals: &[(Time, i64)], posts: &[(Time, Timestamp)]) {
        for &(at, renew_time_us) in renewals {
            self.writes(self.keys.leases, node.index());
            let lease = self.store.with(|s| {
                let uid = s
                    .leases
                    .get(node.index())
                    .and_then(Option::as_ref)
                    .map(|l| l.uid)?;
                let lease = Lease {
                    node,
                    uid,
                    resource_version: lease_version(at),
                    renew_time_us,
                };
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
            self.store
                .with(|s| put(&mut s.nodes, node.index(), new.clone()));
            self.tell(|w| w.heartbeat(&old, &new, at));
        }
    }

    /// Tells watchers, before it is so, that a node's heartbeats will be simulated that were
    /// computed, or come again.
    pub fn waking(&self, node: NodeId) {
        self.tell(|w| w.waking(node));
    }

    /// Tells watchers that something may come of a node that was quiet.
    pub fn stir(&self) {
        self.tell(|w| w.stirred());
    }
}
