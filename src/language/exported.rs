//! What an export says beside its objects.

use crate::language::Flags;
use std::collections::BTreeMap;

/// What an export says beside its objects, and where they begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// The release of its newest kubelet, where the scenario says none and that is taken.
    pub release: Option<String>,
    /// Flags of the control plane, read from its pods.
    pub flags: Flags,
    /// Its feature gates.
    pub feature_gates: BTreeMap<String, bool>,
    /// How many pod groups the scenario writes itself; those behind them are the export's.
    pub own_pods: usize,
}
