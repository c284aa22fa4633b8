//! What the controller goes by.

use crate::client::Recalled;
use crate::plan::switches::taint_eviction::Switches;

/// What the controller's release does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// What the release does.
    pub(crate) switches: Switches,
    /// No two clock readings are equal, as on a real machine.
    pub(crate) clock_advances: bool,
    /// What it remembers, if it has been running for long and the objects are an export's.
    pub(crate) memory: Option<Recalled>,
}
