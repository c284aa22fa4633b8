//! Containers of pods: their image, their probes, with the fields of the Kubernetes API, and how they end by themselves.

use super::spans::HowLong;
use crate::language::prelude::*;

/// An image, and how long it takes to get it onto a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Image {
    /// Its name. A node has an image for all pods that name it alike.
    pub(crate) name: String,
    /// How long it takes to pull it onto a node that does not have it, from when its turn comes.
    pub(crate) pull: HowLong,
    /// How long a pull takes where the node has it already; half a second where not given.
    pub(crate) check: Option<DurationText>,
    /// How large it is on a node, `"800Mi"`, for which the scheduler likes nodes that have it; not known where not given.
    pub(crate) size: Option<QuantityText>,
    /// `IfNotPresent` where not given.
    #[serde(rename = "imagePullPolicy")]
    pub(crate) image_pull_policy: Option<PullPolicy>,
}

/// `spec.containers[].imagePullPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum PullPolicy {
    /// It is pulled where the node does not have it.
    IfNotPresent,
    /// It is pulled with each start of a container.
    Always,
}

/// `v1.Probe`. How a probe asks is not said, as what it finds is: whether the container serves (`serves_after`,
/// `serves_for`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Probe {
    /// How many seconds a container has to run before it is probed; 0 where not given.
    pub(crate) initial_delay_seconds: Option<i32>,
    /// How many seconds lie between two probes; 10 where not given.
    pub(crate) period_seconds: Option<i32>,
    /// How many probes have to succeed in a row; 1 where not given, and always 1 of a liveness or startup probe.
    pub(crate) success_threshold: Option<i32>,
    /// How many probes have to fail in a row; 3 where not given.
    pub(crate) failure_threshold: Option<i32>,
    /// The grace of a container that a liveness or startup probe ends; that of its pod where not given.
    pub(crate) termination_grace_period_seconds: Option<i64>,
}

/// How a container ends by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ends {
    /// From its start to its end.
    pub(crate) after: HowLong,
    /// What it exits with; 0 where not given.
    pub(crate) exit_code: Option<i32>,
    /// How long one that runs at the start of the run has run already, which was not long enough to end; no time where not
    /// given.
    pub(crate) ran: Option<DurationText>,
}
