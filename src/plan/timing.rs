//! Delays and limits, and how kubelets and the timeline's user behave.

use crate::kernel::Dur;
use crate::trace::Actor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Delays, limits, and how kubelets and users behave.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// `Ideal`, `Typical`, `Custom` or `Recorded`.
    pub name: String,
    /// From sending a request to its being applied.
    pub request: Delay,
    /// From applying a request to its reply.
    pub response: Delay,
    /// From applying a change to its delivery to every watch.
    pub watch: Delay,
    /// Of a request that the API server works on in steps, an eviction: from reading to writing.
    /// None in recorded timelines.
    pub step: Delay,
    /// Added to the monitor period, for the time a pass takes.
    pub pass_overhead: Dur,
    /// Added to the period of the pod garbage collector, for the same reason.
    pub pod_gc_overhead: Dur,
    /// No two readings of a controller's clock are equal, as on a real machine; otherwise the clock
    /// stands still within an instant, as in recorded timelines.
    pub clock_advances: bool,
    /// The uids of pods go up, as in recorded timelines; otherwise which of two is the lower one is a choice.
    pub numbered_uids: bool,
    /// The limit of the node lifecycle controller's client; none is unlimited.
    pub node_lifecycle_client: Option<Limits>,
    /// The limit of the taint eviction controller's client; up to 1.28 it has none of its own.
    pub taint_eviction_client: Option<Limits>,
    /// The limits of the other controllers' clients; one that is not there is unlimited.
    pub clients: BTreeMap<Actor, Limits>,
    /// Watches that broke with the API server come back after client-go's back-off; otherwise at
    /// once.
    pub reconnects: bool,
    /// How the controllers' process holds its office, if it has to.
    pub leader_election: Option<LeaderElection>,
    /// How long the driver of volumes takes to attach one, and to detach it.
    pub attacher: (Dur, Dur),
    /// How kubelets behave.
    pub kubelet: KubeletMode,
    /// How the timeline's user writes.
    pub user: UserMode,
}

impl Timing {
    /// As timelines are recorded, but for uids: no delays but 1 ns for a reply, so that a writer goes on only
    /// after its own write has reached all caches, and 1 us for a pass, without which the strict
    /// comparison with the grace period costs one more pass.
    pub fn ideal() -> Self {
        let none = Delay::constant(Dur::ZERO);
        Timing {
            name: "Ideal".to_owned(),
            request: none,
            response: Delay::constant(Dur::from_nanos(1)),
            watch: none,
            step: none,
            pass_overhead: Dur::from_micros(1),
            pod_gc_overhead: Dur::from_micros(1),
            clock_advances: false,
            numbered_uids: false,
            node_lifecycle_client: None,
            taint_eviction_client: None,
            clients: BTreeMap::new(),
            reconnects: false,
            leader_election: None,
            attacher: (Dur::ZERO, Dur::ZERO),
            kubelet: KubeletMode::Imitated(Imitated::default()),
            user: UserMode::Raw,
        }
    }
}

/// Leader election of kube-controller-manager (`component-base/config`, `LeaderElectionConfiguration`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaderElection {
    /// `--leader-elect-lease-duration`
    pub(crate) lease_duration: Dur,
    /// `--leader-elect-renew-deadline`
    pub(crate) renew_deadline: Dur,
    /// `--leader-elect-retry-period`
    pub(crate) retry_period: Dur,
}

/// How the timeline's user writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "User")]
pub enum UserMode {
    /// Straight into the store, without latency or rules.
    Raw,
    /// As kubectl does, refusals included.
    Kubectl,
}

/// A rate limit (`rest.Config` QPS and Burst).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Per second.
    pub qps: f32,
    /// How many may go at once after a quiet time.
    pub burst: u32,
}

/// A delay: constant, or uniform between two values, drawn each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Delay {
    /// At least.
    pub min: Dur,
    /// At most.
    pub max: Dur,
}

impl Delay {
    /// The same delay each time.
    pub const fn constant(d: Dur) -> Self {
        Delay { min: d, max: d }
    }

    /// Whether nothing is drawn.
    pub(crate) fn is_constant(self) -> bool {
        self.min == self.max
    }
}

/// How kubelets behave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KubeletMode {
    /// The recorder's rules: no jitter, no retries, no admission.
    Imitated(Imitated),
    /// The kubelet's own loops.
    Real(Real),
}

/// Settings of imitated kubelets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imitated {
    /// From a pod's binding to Running and Ready.
    pub start: Dur,
    /// From a pod's deletionTimestamp to its end.
    pub stop: Dur,
    /// How old the last status post may become; without leases of nodes each check posts.
    pub status_report: Dur,
    /// Pods that were marked NotReady are set back to Ready at the next status check.
    pub repost_pod_ready: bool,
}

impl Default for Imitated {
    fn default() -> Self {
        let second = Dur::from_secs(1);
        let status_report = Dur::from_secs(300);
        Imitated { start: second, stop: second, status_report, repost_pod_ready: true }
    }
}

/// Settings of real kubelets; flags under their names in KubeletConfiguration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Real {
    /// `nodeLeaseDurationSeconds` as a duration; leases are renewed every quarter of it.
    pub node_lease_duration: Dur,
    /// `nodeStatusUpdateFrequency`
    pub node_status_update_frequency: Dur,
    /// `nodeStatusReportFrequency`
    pub node_status_report_frequency: Dur,
    /// From a pod's binding to Running and Ready.
    pub pod_start: Dur,
    /// How long containers take to stop once asked to; the grace period cuts it short.
    pub pod_stop: Dur,
    /// How long a machine takes to boot.
    pub boot: Dur,
    /// They are the recorder's: the loops of those that run from the start begin at the offsets of
    /// their nodes, where those are not zero, and not just anywhere; what stands for pod workers and
    /// containers in one that starts is imitated.
    pub recorded: bool,
}
