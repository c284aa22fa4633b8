//! The controller's configuration.

use crate::client::Recalled;
use crate::kernel::Dur;
use crate::plan::switches::node_lifecycle::Switches;

/// `nodeEvictionPeriod`: how often the NoExecute pass runs.
pub(super) const NODE_EVICTION_PERIOD: Dur = Dur::from_millis(100);

/// The controller's flags and what its release does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    /// `--node-monitor-period`
    pub monitor_period: Dur,
    /// Added to the period, for the time a pass takes.
    pub pass_overhead: Dur,
    /// `--node-monitor-grace-period`
    pub grace_period: Dur,
    /// `--node-startup-grace-period`
    pub startup_grace_period: Dur,
    /// `--node-eviction-rate`
    pub eviction_rate: f32,
    /// `--secondary-node-eviction-rate`
    pub secondary_eviction_rate: f32,
    /// `--large-cluster-size-threshold`
    pub large_cluster_threshold: i32,
    /// `--unhealthy-zone-threshold`
    pub unhealthy_zone_threshold: f32,
    /// `--pod-eviction-timeout`, in releases that have it.
    pub pod_eviction_timeout: Dur,
    /// What it remembers, if it has been running for long and the objects are an export's.
    pub memory: Option<Recalled>,
    /// What the release does.
    pub switches: Switches,
}
