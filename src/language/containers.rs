//! Containers of pods: their image, their probes, with the fields of the Kubernetes API, and how they end by themselves.

use super::spans::HowLong;
use crate::language::prelude::*;

/// An image, and how long it takes to get it onto a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
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

/// A container of a pod beside its main one, of which the template itself tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Container {
    /// `name`
    pub(crate) name: String,
    /// Its image, which is pulled right before it starts. Where not given, the pull takes no time of its own.
    pub(crate) image: Option<Image>,
    /// `readinessProbe`
    pub(crate) readiness_probe: Option<Probe>,
    /// `livenessProbe`
    pub(crate) liveness_probe: Option<Probe>,
    /// `startupProbe`
    pub(crate) startup_probe: Option<Probe>,
    /// From its start until it serves; at once where not given.
    #[serde(rename = "serves_after")]
    pub(crate) serves_after: Option<HowLong>,
    /// For how long it serves then; until it ends where not given.
    #[serde(rename = "serves_for")]
    pub(crate) serves_for: Option<HowLong>,
    /// It ends by itself, as init containers do that are no sidecars: `(after: "5s")`.
    pub(crate) ends: Option<Ends>,
    /// `restartPolicy` of an init container, which makes it a sidecar.
    pub(crate) restart_policy: Option<ContainerRestartPolicy>,
}

/// `spec.initContainers[].restartPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum ContainerRestartPolicy {
    /// What comes after it starts once it has started, and it runs on beside the others.
    Always,
}
