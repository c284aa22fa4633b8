//! How kubelets behave: as the recorder imitates them, or by their own loops.

use crate::kernel::Dur;

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
    /// How old the last status post may become.
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
