//! Heartbeats that are computed instead of simulated one by one.
//!
//! Heartbeats that change nothing are not simulated; the latest one is computed on demand. Simulating
//! each one stays possible (eager mode), and must give the same trace.

use crate::apiserver::prelude::*;

/// What is to be expected of a node's heartbeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Beat {
    /// Each one is simulated.
    Awake,
    /// They come as usual, and are computed.
    Asleep,
    /// None come.
    Silent,
}

/// Knows of heartbeats that are not simulated.
pub(crate) trait Heartbeats {
    /// What is to be expected of a node's heartbeats.
    fn beat(&self, node: NodeId) -> Beat;
    /// The latest renewal of a sleeping node's lease at or before `t`, if there was one since it
    /// fell asleep. Times asked for of one node may not go back by more than one renewal.
    fn last_renewal(&self, node: NodeId, t: Time) -> Option<Time>;
    /// The heartbeat of the latest status post of a sleeping node at or before `t`, if there was
    /// one since it fell asleep.
    fn last_post(&self, node: NodeId, t: Time) -> Option<Timestamp>;
    /// The latest two status posts of a sleeping node at or before `t` since it fell asleep, the
    /// earlier one first.
    fn last_posts(&self, node: NodeId, t: Time) -> [Option<Time>; 2];
    /// Whether those of healthy nodes are computed at present: not while a fault keeps all of them
    /// from arriving in time.
    fn are_computed(&self) -> bool;
    /// A node is read or written, or a pod of its own is: its heartbeats are simulated for a while.
    fn wake(&self, node: NodeId);
}

/// The version of a lease that was renewed then: newer ones are greater, and the same renewal has
/// the same version whether it was simulated or computed.
pub(crate) fn lease_version(renewed: Time) -> u64 {
    renewed.as_nanos() + 1
}

/// When a lease of that version was renewed.
pub(crate) fn lease_renewed(version: u64) -> Time {
    Time::from_nanos(version.saturating_sub(1))
}
