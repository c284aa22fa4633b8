//! What the controllers of a cluster that has been running remember.

use crate::language::prelude::*;

/// What the controllers of an exported cluster remember, as far as the export shows it beside its
/// nodes and pods. With it they go on where they stood; without it those of an export start anew.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Memory {
    /// Since when the present leader of kube-controller-manager has held office (`acquireTime` of
    /// its lease), from the start of the run: `"-8m3s"`. What happened before, it knows only as a
    /// restart leaves it. Where not given it has been in office for long.
    pub(crate) office: Option<DurationText>,
    /// When the node lifecycle controller next looks at all nodes, from the start of the run:
    /// `"3.2s"`. Drawn within its period where not given, as far as conditions do not tell.
    pub(crate) pass: Option<DurationText>,
    /// When it was last seen to do so, as its events tell, from the start of the run: `"-34.518s"`.
    pub(crate) passed: Option<DurationText>,
    /// When the leases of healthy nodes were last renewed (`renewTime`), from the start of the run,
    /// by the nodes' names: `{"a-0": "-3.25s"}`. A node that is not there has some time within its
    /// period.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) leases: BTreeMap<String, DurationText>,
    /// Pods that the scheduler tried and found no node for, by `namespace/name`. Those that are not
    /// there are tried at once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) waiting: BTreeMap<String, Waiting>,
    /// When pods were bound (`PodScheduled`, to its second) to a node that had a NoExecute taint by then, from the start of
    /// the run, by `namespace/name`: `{"shop/web-7": "-50s"}`. Timers of others begin with their nodes' taints.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) bound: BTreeMap<String, DurationText>,
    /// When pods came to be, by `namespace/name`; others came with the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) ages: BTreeMap<String, Age>,
    /// Pods whose volumes are still attached to another node than theirs, which says that they are in use
    /// there though no pod has them, by `namespace/name`: `{"shop/db-0": "n1"}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) attached: BTreeMap<String, String>,
    /// Since when nobody wants the volumes of a pod under `attached` where they are, by `namespace/name`: 6 minutes later they
    /// are detached by force. From the start of the run where not given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) detach_requested: BTreeMap<String, DetachRequested>,
    /// Jobs with failed pods, by `namespace/name`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) failures: BTreeMap<String, Failures>,
    /// What disruption budgets were last counted to, by `namespace/name`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) budgets: BTreeMap<String, Counted>,
}

/// When a pod came to be, from the start of the run: which of several like pods goes first depends on it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Age {
    /// `metadata.creationTimestamp`: `"-26h"`
    pub(crate) created: DurationText,
    /// `status.startTime`; as `created` where not given.
    pub(crate) started: Option<DurationText>,
    /// Since when one that starts `Running` has been Ready; from the start of the run where not given.
    pub(crate) ready: Option<DurationText>,
}

/// Since when nobody wants a volume where it is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetachRequested {
    /// At the earliest, from the start of the run: `"-5m"`.
    pub(crate) from: DurationText,
    /// At the latest; drawn between both.
    pub(crate) until: DurationText,
}

/// A pod that waits for a node: what its back-off is computed from.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waiting {
    /// Since when its condition PodScheduled has been False, from the start of the run: `"-4m"`.
    pub(crate) since: DurationText,
    /// How often it was tried; drawn where not given, within what the time since allows.
    pub(crate) tries: Option<u32>,
    /// When it was last tried, from the start of the run; drawn where not given.
    pub(crate) last: Option<DurationText>,
}

/// Failures of a Job's pods since its last success: what its back-off is computed from.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Failures {
    /// How many there were at least.
    pub(crate) least: u32,
    /// How many there were at most; drawn between both.
    pub(crate) most: u32,
    /// When the last one was at the earliest, from the start of the run: `"-12s"`.
    pub(crate) from: DurationText,
    /// When it was at the latest; drawn between both.
    pub(crate) until: DurationText,
}

/// The status of a disruption budget.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counted {
    /// `status.disruptionsAllowed`
    pub(crate) allowed: i32,
    /// `status.currentHealthy`
    pub(crate) healthy: i32,
    /// `status.desiredHealthy`
    pub(crate) desired: i32,
    /// `status.expectedPods`
    pub(crate) expected: i32,
    /// `status.disruptedPods`: when the eviction of a pod was granted, from the start of the run, by
    /// the pods' names without their namespace.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) disrupted: BTreeMap<String, DurationText>,
}
