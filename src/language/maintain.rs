//! Drains and maintenances of nodes: flags, and what happens afterwards.

use super::texts::DurationText;
use crate::language::prelude::*;

/// The flags of `kubectl drain` in a maintenance.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrainFlags {
    /// `--force`: pods without a controller go, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) force: bool,
    /// `--ignore-daemonsets`: their pods stay, and go down with the machine; true where not given,
    /// as no machine could be maintained otherwise.
    pub(crate) ignore_daemonsets: Option<bool>,
    /// `--delete-emptydir-data`: pods with an emptyDir go, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) delete_emptydir_data: bool,
    /// `--disable-eviction`: plain deletions, which no budget stops.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disable_eviction: bool,
    /// `--grace-period`; the pods' own where not given.
    #[serde(rename = "gracePeriodSeconds")]
    pub(crate) grace_period_seconds: Option<i64>,
    /// `--timeout` of each node; it waits for ever where not given.
    pub(crate) timeout: Option<DurationText>,
    /// `--skip-wait-for-delete-timeout`
    pub(crate) skip_wait_for_delete_timeout: Option<DurationText>,
}

/// What comes of a node that is Ready again after its maintenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Afterwards {
    /// It is uncordoned.
    Uncordon,
    /// It stays cordoned.
    Leave,
}
