//! What the controllers of a cluster that has been running remember.

use super::texts::DurationText;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the controllers of an exported cluster remember, as far as the export shows it beside its
/// nodes and pods. With it they go on where they stood; without it those of an export start anew.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Since when the present leader of kube-controller-manager has held office (`acquireTime` of
    /// its lease), from the start of the run: `"-8m3s"`. What happened before, it knows only as a
    /// restart leaves it. Where not given it has been in office for long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub office: Option<DurationText>,
    /// When the node lifecycle controller next looks at all nodes, from the start of the run:
    /// `"3.2s"`. Drawn within its period where not given, as far as conditions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<DurationText>,
    /// When the leases of healthy nodes were last renewed (`renewTime`), from the start of the run,
    /// by the nodes' names: `{"a-0": "-3.25s"}`. A node that is not there has some time within its
    /// period.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub leases: BTreeMap<String, DurationText>,
}
