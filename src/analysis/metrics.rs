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
    pub(crate) tainting: Option<Spread>,
    /// From the fault to the deletionTimestamp, over evictions.
    pub(crate) eviction: Option<Spread>,
    /// What the run cost all workloads together, see `serving`.
    pub costs: Costs,
    /// What it cost each of them, by name, `Kind/namespace/name`.
    pub workloads: Vec<(String, Costs)>,
    /// Those that were still being made when something was done to them, so that what was missing
    /// before is not counted.
    pub(crate) late: Vec<String>,
}

/// No run counts more of anything than this, nor sums it up to more nanoseconds than the square of
/// it.
const COUNT_MAX: u64 = 1 << 48;

impl Metrics {
    /// Whether a sum of many of these is a number still: they may come from a file that anybody
    /// wrote.
    pub(crate) fn is_sound(&self) -> bool {
        let spreads = [self.detection, self.tainting, self.eviction];
        [self.evicted, self.needless, self.undecided]
            .iter()
            .chain(&spreads.map(|s| s.map_or(0, |s| s.count as u64)))
            .all(|n| *n <= COUNT_MAX)
            && self.costs.is_sound()
            && self.workloads.iter().all(|(_, costs)| costs.is_sound())
    }
}

impl Costs {
    fn is_sound(&self) -> bool {
        let sums =
            [self.missing_ns, self.requests_lost, self.requests, self.ghost_ns, self.pending_ns];
        let counts = [
            self.evicted,
            self.needless,
            self.undecided,
            self.restarts,
            self.pending_at_end,
            self.most_pending,
        ];
        let most = u128::from(COUNT_MAX) * u128::from(COUNT_MAX);
        sums.iter().all(|n| *n <= most) && counts.iter().all(|n| *n <= COUNT_MAX)
    }
}
