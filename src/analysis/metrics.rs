//! The figures of a run that a planner compares.

use super::costs::Costs;
use super::statistics::Spread;
use crate::kernel::Dur;

/// How soon a node must be back for an eviction to have been needless, where nothing else is said:
/// five minutes, the tolerationSeconds that Kubernetes gives to pods which state none.
pub const DEFAULT_NEEDLESS_WINDOW: Dur = Dur::from_secs(300);

/// The figures of a run. Their definitions are those of [`summary`](super::summary).
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Metrics {
    /// Pods that were evicted; one that is created again and evicted again counts twice.
    pub evicted: u64,
    /// Evictions whose node was back within [`Metrics::window`].
    pub needless: u64,
    /// Evictions of which the run ended too early to tell.
    pub undecided: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub window: Dur,
    /// From the fault to the Ready condition turning Unknown, over nodes.
    pub detection: Option<Spread>,
    /// From the fault to the NoExecute taint, over nodes.
    pub tainting: Option<Spread>,
    /// From the fault to the deletionTimestamp, over evictions.
    pub eviction: Option<Spread>,
    /// What the run cost all workloads together, see `serving`.
    pub costs: Costs,
    /// What it cost each of them, by name, `Kind/namespace/name`.
    pub workloads: Vec<(String, Costs)>,
}
