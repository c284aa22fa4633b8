//! The controller's configuration.

use crate::client::Recalled;
use crate::kernel::Dur;
use crate::plan::Flags;
use crate::plan::switches::node_lifecycle::Switches;

/// `nodeEvictionPeriod`: how often the NoExecute pass runs.
pub(super) const NODE_EVICTION_PERIOD: Dur = Dur::from_millis(100);

/// The controller's flags and what its release does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) flags: Flags,
    /// Added to the period, for the time a pass takes.
    pub(crate) pass_overhead: Dur,
    /// What it remembers, if it has been running for long and the objects are an export's.
    pub(crate) memory: Option<Recalled>,
    pub(crate) switches: Switches,
}
