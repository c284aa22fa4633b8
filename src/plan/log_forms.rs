//! In which words a release's controllers write their logs. Nothing but the logs that are rendered
//! of a run depends on it.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

/// How timed workers log (`timed_workers.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WorkerLog {
    /// In free words, up to 1.26.
    #[default]
    Printf,
    /// With keys and values, 1.27 to 1.32.
    Structured,
    /// Each with its item, and when a worker fires and ends, from 1.33.
    EachStep,
}

/// How the taint eviction controller logs (`taint_manager.go`, later `taint_eviction.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EvictionLog {
    /// In free words, up to 1.20.
    #[default]
    Printf,
    /// With keys and values, 1.21 to 1.28, as the NoExecuteTaintManager.
    Structured,
    /// As a controller of its own, from 1.29.
    OwnController,
}

/// In which words a release's controllers write their logs. Where it says `structured`, keys and
/// values stand behind the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogForms {
    /// The node lifecycle controller's are structured, from 1.27; so are objects in them, as JSON.
    pub(crate) node_lifecycle: bool,
    /// A silent node is logged at level 2, from 1.17, and not at 4.
    pub(crate) expired_at_2: bool,
    /// "removed all taints", from 1.32; before, "removing".
    pub(crate) healthy_removed: bool,
    /// The taint eviction controller's.
    pub(crate) taint_eviction: EvictionLog,
    /// Its timers'.
    pub(crate) timed_workers: WorkerLog,
    /// "tolerate forever, cancelling", as switch S1 has it.
    pub(crate) forever_cancelling: bool,
    /// What node controllers share is structured (`controller_utils.go`), from 1.23.
    pub(crate) node_helpers: bool,
    /// The pod garbage collector's are structured, from 1.23.
    pub(crate) pod_gc: bool,
    /// Events, the scheduler's and the ReplicaSet controller's are structured, from 1.19.
    pub(crate) events: bool,
    /// Events are logged at level 3, from 1.31 (1.29 has 0; 1.30 was not looked at).
    pub(crate) events_at_3: bool,
    /// The scheduler tells of bound pods at level 2, from 1.24.
    pub(crate) bound_at_2: bool,
}
