//! Delays, limits, and how kubelets and users behave, as a scenario states them.

use super::spans::HowLong;
use crate::language::prelude::*;
use crate::plan::UserMode;

/// Delays and limits.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
pub enum Timing {
    /// As timelines are recorded: no delays to speak of, kubelets without jitter, clients without
    /// limits.
    Ideal,
    /// As on a real control plane.
    Typical,
    /// As stated; what is not stated is as in `Typical`.
    Custom {
        /// From sending a request to its being applied.
        request: Option<DelayText>,
        /// From applying a request to its reply.
        response: Option<DelayText>,
        /// From applying a change to its delivery to every watch.
        watch: Option<DelayText>,
        /// Added to the monitor period, for the time a pass takes.
        pass_overhead: Option<DurationText>,
        /// The limits of the controllers' clients.
        clients: Option<ClientLimits>,
        /// How long the driver of volumes takes.
        attacher: Option<AttacherTiming>,
        /// How kubelets behave.
        kubelet: Option<KubeletTiming>,
        /// How the timeline's user writes.
        user: Option<UserMode>,
    },
}

/// How long the driver of volumes takes, from its being asked by a VolumeAttachment.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttacherTiming {
    /// To attach a volume.
    pub(crate) attach: Option<DurationText>,
    /// To detach it.
    pub(crate) detach: Option<DurationText>,
}

/// The limits of the controllers' clients.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientLimits {
    /// The node lifecycle controller's client.
    pub(crate) node_lifecycle: Option<ClientLimit>,
    /// The taint eviction controller's client, which up to 1.28 is the other one.
    pub(crate) taint_eviction: Option<ClientLimit>,
    /// The pod garbage collector's client.
    pub(crate) pod_gc: Option<ClientLimit>,
    /// The client of the garbage collector of owner references, which has twice the others' rate.
    pub(crate) garbage_collector: Option<ClientLimit>,
    /// The Deployment controller's client.
    pub(crate) deployment: Option<ClientLimit>,
    /// The ReplicaSet controller's client.
    pub(crate) replica_set: Option<ClientLimit>,
    /// The StatefulSet controller's client.
    pub(crate) stateful_set: Option<ClientLimit>,
    /// The DaemonSet controller's client.
    pub(crate) daemon_set: Option<ClientLimit>,
    /// The Job controller's client.
    pub(crate) job: Option<ClientLimit>,
    /// The cloud controllers' client.
    pub(crate) cloud: Option<ClientLimit>,
    /// The disruption controller's client.
    pub(crate) disruption: Option<ClientLimit>,
    /// The scheduler's client.
    pub(crate) scheduler: Option<ClientLimit>,
    /// The attach/detach controller's client.
    pub(crate) attach_detach: Option<ClientLimit>,
    /// The device taint eviction controller's client.
    pub(crate) device_taint_eviction: Option<ClientLimit>,
    /// The resourceclaim controller's client.
    pub(crate) resource_claim: Option<ClientLimit>,
    /// The node readiness controller's, which has none where not given.
    pub(crate) node_readiness: Option<ClientLimit>,
}

/// The limit of a client.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) enum ClientLimit {
    /// None.
    Unlimited,
    /// client-go's token bucket.
    Limited {
        /// Requests per second (`--kube-api-qps`).
        qps: f64,
        /// How many may go at once after a quiet time (`--kube-api-burst`).
        burst: u32,
    },
}

/// How kubelets behave.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum KubeletTiming {
    /// As the recorder imitates them: no jitter, no retries, no admission.
    Imitated {
        /// From a pod's binding to Running and Ready.
        start: Option<DurationText>,
        /// From a pod's deletionTimestamp to its end.
        stop: Option<DurationText>,
        /// How old the last status post may become; without leases of nodes each check posts.
        status_report: Option<DurationText>,
        /// Pods that were marked NotReady are set back to Ready at the next status check.
        repost_pod_ready: Option<bool>,
    },
    /// With their own loops; their frequencies are flags of the kubelet.
    Real {
        /// From a pod's binding to Running and Ready.
        pod_start: Option<HowLong>,
        /// How long containers take to stop once asked to; the grace period cuts it short.
        pod_stop: Option<HowLong>,
        /// How long a machine takes to boot.
        boot: Option<DurationText>,
    },
}
