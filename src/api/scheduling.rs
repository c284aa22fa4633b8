//! What few pods say about where they may be placed: affinity, topology spread, host ports, gates.
//!
//! `k8s.io/api/core/v1/types.go: Affinity, TopologySpreadConstraint, ContainerPort,
//! PodSchedulingGate`, v1.34. Selectors are held as read. Left out: namespace selectors other than
//! "every namespace" (namespaces have no labels here), `mismatchLabelKeys`, and volumes.

use super::labels::{Labels, Requirement, Selector};
use super::quantity::Resources;

/// The parts of `spec` that only the scheduler reads and most pods lack.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchedulingSpec {
    /// `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`; one of the
    /// terms must match.
    pub required_nodes: Option<Vec<NodeSelectorTerm>>,
    /// `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution`, with weights.
    pub preferred_nodes: Vec<(i32, NodeSelectorTerm)>,
    /// `spec.affinity.podAffinity`
    pub pod_affinity: PodAffinity,
    /// `spec.affinity.podAntiAffinity`
    pub pod_anti_affinity: PodAffinity,
    /// `spec.topologySpreadConstraints`
    pub topology_spread: Vec<TopologySpreadConstraint>,
    /// The host ports of all containers.
    pub host_ports: Vec<HostPort>,
    /// Names of `spec.schedulingGates`
    pub gates: Vec<String>,
    /// `spec.schedulerName` is none of the scheduler's profiles.
    pub another_scheduler: bool,
    /// `spec.preemptionPolicy` is `Never`.
    pub never_preempts: bool,
    /// The requests of each container, where there are several: what a container does not ask for
    /// counts with a default amount in some scores. Empty means one container with the pod's
    /// requests.
    pub container_requests: Vec<Resources>,
}

/// `v1.NodeSelectorTerm`: all of it must match; empty, it matches nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeSelectorTerm {
    /// Conditions on the node's labels.
    pub match_expressions: Vec<Requirement>,
    /// Conditions on the node's name.
    pub match_fields: Vec<NodeNameRequirement>,
}

/// A condition on `metadata.name`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeNameRequirement {
    /// The node that is meant.
    pub name: String,
    /// `In`; otherwise `NotIn`.
    pub is: bool,
}

impl NodeSelectorTerm {
    /// Whether it matches a node (`component-helpers/scheduling/corev1/nodeaffinity:
    /// nodeSelectorTerm.match`).
    pub(crate) fn matches(&self, name: &str, labels: &Labels) -> bool {
        !self.is_empty()
            && self.match_expressions.iter().all(|r| r.matches(labels))
            && self.match_fields.iter().all(|f| (f.name == name) == f.is)
    }

    /// Whether it has no condition.
    pub(crate) fn is_empty(&self) -> bool {
        self.match_expressions.is_empty() && self.match_fields.is_empty()
    }
}

/// `v1.PodAffinity` and `v1.PodAntiAffinity`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PodAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution`
    pub required: Vec<PodAffinityTerm>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`, with weights
    pub preferred: Vec<(i32, PodAffinityTerm)>,
}

/// `v1.PodAffinityTerm`
#[derive(Clone, PartialEq, Debug)]
pub struct PodAffinityTerm {
    /// Which pods; none selects no pod.
    pub selector: Option<Selector>,
    /// Their namespaces; empty is the pod's own.
    pub namespaces: Vec<String>,
    /// Pods of every namespace (an empty `namespaceSelector`).
    pub all_namespaces: bool,
    /// The node label that says which nodes are together.
    pub topology_key: String,
}

impl PodAffinityTerm {
    /// Whether a term of a pod in namespace `own` is about a pod with these labels in `namespace`
    /// (`AffinityTerm.Matches`).
    pub(crate) fn matches(&self, own: &str, namespace: &str, labels: &Labels) -> bool {
        let here = self.all_namespaces
            || if self.namespaces.is_empty() {
                own == namespace
            } else {
                self.namespaces.iter().any(|n| n == namespace)
            };
        here && self.selector.as_ref().is_some_and(|s| s.matches(labels))
    }
}

/// `v1.TopologySpreadConstraint`
#[derive(Clone, PartialEq, Debug)]
pub struct TopologySpreadConstraint {
    /// How uneven it may be.
    pub max_skew: i32,
    /// The node label that says which nodes are together.
    pub topology_key: String,
    /// `whenUnsatisfiable: DoNotSchedule`; otherwise `ScheduleAnyway`.
    pub hard: bool,
    /// Which pods; none selects no pod.
    pub selector: Option<Selector>,
    /// With fewer domains than this the least count is zero.
    pub min_domains: i32,
    /// Only nodes that the pod's node selector and affinity admit count
    /// (`nodeAffinityPolicy: Honor`, the default).
    pub honor_affinity: bool,
    /// Only nodes whose taints the pod tolerates count (`nodeTaintsPolicy: Honor`, not the
    /// default).
    pub honor_taints: bool,
    /// The pod's own values of these labels are added to the selector.
    pub match_label_keys: Vec<String>,
}

/// A port of the node that a container takes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HostPort {
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: String,
    /// The address; empty and `0.0.0.0` are all of them.
    pub host_ip: String,
    /// The port.
    pub port: i32,
}

impl HostPort {
    /// Whether two cannot be on one node (`framework.HostPortInfo.CheckConflict`).
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        let any = |ip: &str| ip.is_empty() || ip == "0.0.0.0";
        self.port == other.port
            && self.protocol == other.protocol
            && (any(&self.host_ip) || any(&other.host_ip) || self.host_ip == other.host_ip)
    }
}
