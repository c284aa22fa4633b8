//! What a source says happened, when, and where it says so.

use crate::import::{SECOND_US, Stamp};
use crate::kernel::Dur;
use crate::language::counted;
use serde_json::Value;
use std::fmt;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Said {
    /// The node lifecycle controller has given a node up: Ready is Unknown.
    NodeUnknown { node: String },
    /// It gives a node up at the first pass that can, so long after it last heard of it.
    NodeOverdue { node: String, after: Dur },
    /// Ready is not True, and who says so is not known.
    NodeNotReady { node: String },
    /// Its kubelet says that a node is not ready: it lives.
    KubeletNotReady { node: String },
    /// A pass of the node lifecycle controller found that its kubelet says so.
    FoundNotReady { node: String },
    /// A node is Ready.
    NodeReady { node: String },
    /// A kubelet was heard of.
    NodeHeard { node: String },
    /// The controllers have learnt of a node: they have just started, or the node has.
    NodeRegistered { node: String },
    /// A node was deleted.
    NodeDeleted { node: String, by: String },
    /// Taints were added, `key=value:Effect`, by controllers or by somebody who is not named.
    Tainted { node: String, taints: Vec<String> },
    /// The NoExecute taints that a node has from then on, by whomever.
    NoExecuteAre { node: String, taints: Vec<String> },
    /// A person wrote which taints a node has from then on.
    TaintsAre { node: String, taints: Vec<String>, by: String },
    /// A person changed something of a node, and what it was is not said.
    NodeWritten { node: String, by: String },
    /// A node was cordoned, or uncordoned.
    Cordoned { node: String, cordoned: bool, by: String },
    /// The taint eviction controller evicts a pod.
    Evicted { pod: String },
    /// A timer of the taint eviction controller was set, for so many seconds, where a source tells.
    TimerSet { pod: String, seconds: Option<i64> },
    /// Somebody else deleted a pod, or had it evicted through the API; `gracePeriodSeconds`, where
    /// they gave one.
    Deleted { pod: String, by: String, grace: Option<i64> },
    /// A pod was created for a workload, `Kind/namespace/name`.
    Created { pod: String, owner: String },
    /// A pod was bound to a node.
    Bound { pod: String, node: String },
    /// A pod was found on a node, where it may have been for long.
    On { pod: String, node: String },
    /// The pod garbage collector deletes a pod whose node was deleted.
    Orphaned { pod: String, node: String },
    /// The node lifecycle controller marked a pod NotReady: its node is not Ready.
    PodNotReady { pod: String },
    /// A workload was scaled, `Kind/namespace/name`.
    Scaled { workload: String, replicas: i32, by: String },
    /// A workload was deleted, `Kind/namespace/name`.
    WorkloadDeleted { workload: String, by: String },
    /// A component's process has become leader.
    Leader { component: String },
}

impl Said {
    /// The node that it is about.
    pub(crate) fn node(&self) -> Option<&str> {
        match self {
            Self::NodeUnknown { node }
            | Self::NodeOverdue { node, .. }
            | Self::NodeNotReady { node }
            | Self::KubeletNotReady { node }
            | Self::FoundNotReady { node }
            | Self::NodeReady { node }
            | Self::NodeHeard { node }
            | Self::NodeRegistered { node }
            | Self::NodeDeleted { node, .. }
            | Self::Tainted { node, .. }
            | Self::TaintsAre { node, .. }
            | Self::NoExecuteAre { node, .. }
            | Self::NodeWritten { node, .. }
            | Self::Cordoned { node, .. }
            | Self::Bound { node, .. }
            | Self::On { node, .. }
            | Self::Orphaned { node, .. } => Some(node),
            _ => None,
        }
    }

    /// Whether it happens to a pod only once.
    pub(crate) fn is_once(&self) -> bool {
        matches!(self, Self::Evicted { .. } | Self::Created { .. } | Self::Bound { .. })
    }

    /// The pod that it is about.
    pub(crate) fn pod(&self) -> Option<&str> {
        match self {
            Self::Evicted { pod }
            | Self::TimerSet { pod, .. }
            | Self::Deleted { pod, .. }
            | Self::Created { pod, .. }
            | Self::Bound { pod, .. }
            | Self::On { pod, .. }
            | Self::Orphaned { pod, .. }
            | Self::PodNotReady { pod } => Some(pod),
            _ => None,
        }
    }
}

/// `1 pod is`, `3 pods are`
pub(super) fn are(n: usize, what: &str) -> String {
    format!("{} {}", counted(n, what), form(n, "is", "are"))
}

/// The first form for one, the other for several: `is`, `are`.
pub(super) fn form<'w>(n: usize, one: &'w str, several: &'w str) -> &'w str {
    if n == 1 { one } else { several }
}

/// Who did something, where a source does not say who.
pub(super) const SOMEBODY: &str = "somebody";
/// Who deleted a pod, where only the metric tells of it.
pub(super) const UNNAMED: &str =
    "somebody or a controller (kube_pod_deletion_timestamp does not say who)";

/// Who deleted a node whose machine the cloud provider does not have.
pub(super) const CLOUD: &str = "the cloud node lifecycle controller";
/// Who took a pod away that was preempted.
pub(super) const PREEMPTED: &str = "the scheduler (preemption)";
/// Who evicted a pod for node pressure; what it was short of may follow, and a bracket.
pub(super) const KUBELET: &str = "the kubelet (eviction";

/// Where a source says something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: String,
    /// `item`, `line` or `series`
    pub(crate) unit: &'static str,
    /// From 1.
    pub(crate) number: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} {}", self.file, self.unit, self.number)
    }
}

/// Something that a source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    /// When it happened, at the latest.
    pub(crate) at: Stamp,
    /// By how many microseconds it may have been earlier.
    pub(crate) within_us: i64,
    pub(crate) said: Said,
    pub(crate) place: Place,
}

impl Statement {
    /// Since when another pod of its name may be there, of one that was created: its controller tells of it a moment later
    /// (`RealPodControl.createPods`), and by another clock than the scheduler's.
    pub(super) fn created(&self) -> Stamp {
        Stamp(self.at.0 - self.within_us - SECOND_US)
    }

    /// `at 2026-11-20T04:42:51Z`, or between when and when if it is not known to the second.
    pub(super) fn when(&self) -> String {
        let (from, until) = (Stamp(self.at.0 - self.within_us).to_rfc3339(), self.at.to_rfc3339());
        match self.within_us < SECOND_US {
            true => format!("at {from}"),
            false => format!("between {from} and {until}"),
        }
    }
}

/// `namespace/name`, or a name without a namespace.
pub(super) fn full_name(object: &Value) -> String {
    let meta = &object["metadata"];
    let name = meta["name"].as_str().unwrap_or_default();
    match (object["kind"].as_str(), meta["namespace"].as_str()) {
        (Some("Node"), _) => name.to_owned(),
        (_, Some(namespace)) => format!("{namespace}/{name}"),
        (_, None) => format!("default/{name}"),
    }
}

/// A time of the API.
pub(super) fn time(value: &Value) -> Option<Stamp> {
    value.as_str().and_then(crate::import::parse_time)
}

/// A time without a fraction was some time in its second: its end, and by how much it may have been
/// earlier.
pub(super) fn end_of_second(at: Stamp) -> (Stamp, i64) {
    if at.0.rem_euclid(SECOND_US) == 0 {
        (Stamp(at.0 + SECOND_US - 1), SECOND_US - 1)
    } else {
        (at, 0)
    }
}
