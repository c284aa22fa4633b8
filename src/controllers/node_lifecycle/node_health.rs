//! What the controller remembers of a node's health (`nodeHealthData`), and what one try to update
//! it found.

use crate::controllers::prelude::*;
use crate::plan::switches::node_lifecycle::Switches;

/// The Ready condition of the status that a health record points to. Times are nanoseconds from the
/// start: what the controller wrote itself keeps its fraction of a second in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SavedReady {
    pub(super) status: ConditionStatus,
    pub(super) heartbeat: Timestamp,
    pub(super) transition_ns: i64,
}

/// `nodeHealthData`
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Health {
    /// The Ready condition of the saved status.
    pub(super) ready: Option<SavedReady>,
    /// `probeTimestamp`, ns from the start.
    pub(super) probe_ns: i64,
    /// `readyTransitionTimestamp`, ns from the start.
    pub(super) transition_ns: i64,
    /// The lease that was last seen: renewTime in microseconds, resourceVersion.
    pub(super) lease: Option<(i64, u64)>,
}

impl Health {
    /// That of a node that was heard of just then, of its status and not of its lease.
    pub(super) fn fresh(ready: Option<SavedReady>, at_ns: i64) -> Self {
        Self { ready, probe_ns: at_ns, transition_ns: at_ns, lease: None }
    }
}

/// When a node was listed from the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub(super) at: Time,
    /// Its latest post by then, if it woke since and that was computed.
    pub(super) heard: Option<Timestamp>,
}

/// What one try found.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    /// Ready before this try.
    pub(super) observed: ConditionStatus,
    /// Ready after it; none if the node never had any and is within its grace.
    pub(super) current: Option<ConditionStatus>,
    /// The status to write, if the node was silent for too long.
    pub(super) write: Option<Node>,
    /// The node is past its grace (and the live lease has to be looked at first, where the release
    /// does).
    pub(super) expired: bool,
}

impl Tried {
    /// The status that decides about taints; none while a node never had a Ready condition and is
    /// within its grace.
    pub(super) fn decisive(&self, switches: &Switches) -> Option<ConditionStatus> {
        let current = self.current?;
        Some(if switches.taint_on_observed { self.observed } else { current })
    }
}

pub(super) fn seconds(t: Timestamp) -> i64 {
    t.0.saturating_mul(1_000_000_000)
}

pub(super) fn saved(c: &NodeCondition, heartbeat: Timestamp) -> SavedReady {
    SavedReady { status: c.status, heartbeat, transition_ns: seconds(c.last_transition_time) }
}
