//! Nodes (`v1.Node`) and their conditions.

use super::labels::Labels;
use super::meta::{ConditionStatus, Timestamp, Uid};
use super::quantity::Resources;
use super::readiness::NodeReadiness;
use super::taint::Taint;
use super::volume::{Claim, NodeVolumes, Reach};
use crate::api::prelude::*;
use std::collections::BTreeSet;

/// Label of the zone.
pub const LABEL_ZONE: &str = "topology.kubernetes.io/zone";
/// Label of the host's name, which kubelets set.
pub const LABEL_HOSTNAME: &str = "kubernetes.io/hostname";
/// Label of the region.
pub const LABEL_REGION: &str = "topology.kubernetes.io/region";
/// Label of the zone before 1.17.
pub const LABEL_ZONE_BETA: &str = "failure-domain.beta.kubernetes.io/zone";
/// Label of the region before 1.17.
pub const LABEL_REGION_BETA: &str = "failure-domain.beta.kubernetes.io/region";
/// A node with this label is not counted in zone states.
pub(crate) const LABEL_EXCLUDE_DISRUPTION: &str = "node.kubernetes.io/exclude-disruption";

words! {
    /// The types of node conditions that node failure handling reads (`v1.NodeConditionType`).
    pub enum NodeConditionType {
        /// `MemoryPressure`
        MemoryPressure = "MemoryPressure",
        /// `DiskPressure`
        DiskPressure = "DiskPressure",
        /// `PIDPressure`
        PidPressure = "PIDPressure",
        /// `Ready`
        Ready = "Ready",
        /// `NetworkUnavailable`
        NetworkUnavailable = "NetworkUnavailable",
        /// `OutOfDisk`, up to 1.13
        OutOfDisk = "OutOfDisk",
    }

    /// Why a node condition has its status. Those that upstream writes are known; others come from
    /// imports.
    pub enum NodeReason {
        /// No reason given.
        None = "",
        /// `KubeletHasSufficientMemory`
        KubeletHasSufficientMemory = "KubeletHasSufficientMemory",
        /// `KubeletHasInsufficientMemory`
        KubeletHasInsufficientMemory = "KubeletHasInsufficientMemory",
        /// `KubeletHasNoDiskPressure`
        KubeletHasNoDiskPressure = "KubeletHasNoDiskPressure",
        /// `KubeletHasDiskPressure`
        KubeletHasDiskPressure = "KubeletHasDiskPressure",
        /// `KubeletHasSufficientPID`
        KubeletHasSufficientPid = "KubeletHasSufficientPID",
        /// `KubeletHasInsufficientPID`
        KubeletHasInsufficientPid = "KubeletHasInsufficientPID",
        /// `KubeletReady`
        KubeletReady = "KubeletReady",
        /// `KubeletNotReady`
        KubeletNotReady = "KubeletNotReady",
        /// `NodeStatusUnknown`: the node lifecycle controller, after silence.
        NodeStatusUnknown = "NodeStatusUnknown",
        /// `NodeStatusNeverUpdated`: the node lifecycle controller, for a condition that was never
        /// posted.
        NodeStatusNeverUpdated = "NodeStatusNeverUpdated",
    }
}

impl NodeConditionType {
    /// Its status on a healthy node.
    pub fn healthy(self) -> ConditionStatus {
        if self == Self::Ready { ConditionStatus::True } else { ConditionStatus::False }
    }
}

impl NodeReason {
    /// The reason a kubelet gives for its own view of a condition; none for conditions it does not
    /// explain.
    pub(crate) fn of_kubelet(kind: NodeConditionType, status: ConditionStatus) -> Self {
        use ConditionStatus::{False, True};
        match (kind, status) {
            (NodeConditionType::MemoryPressure, False) => Self::KubeletHasSufficientMemory,
            (NodeConditionType::MemoryPressure, True) => Self::KubeletHasInsufficientMemory,
            (NodeConditionType::DiskPressure, False) => Self::KubeletHasNoDiskPressure,
            (NodeConditionType::DiskPressure, True) => Self::KubeletHasDiskPressure,
            (NodeConditionType::PidPressure, False) => Self::KubeletHasSufficientPid,
            (NodeConditionType::PidPressure, True) => Self::KubeletHasInsufficientPid,
            (NodeConditionType::Ready, False) => Self::KubeletNotReady,
            (NodeConditionType::Ready, True) => Self::KubeletReady,
            _ => Self::None,
        }
    }
}

/// A condition of a node (`v1.NodeCondition`). Messages are left out: they follow from the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeCondition {
    /// Which condition.
    pub kind: NodeConditionType,
    /// Its status.
    pub status: ConditionStatus,
    /// Why the status is what it is.
    pub reason: NodeReason,
    /// When the kubelet last posted it.
    pub last_heartbeat_time: Timestamp,
    /// When the status last changed.
    pub last_transition_time: Timestamp,
}

/// A node object, one version of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Stands for the name in everything that is recorded.
    pub id: NodeId,
    /// This life of the object.
    pub uid: Uid,
    /// The version of the object.
    pub resource_version: u64,
    /// The trace record that made this version.
    pub record: u32,
    /// `metadata.creationTimestamp`
    pub creation_timestamp: Timestamp,
    /// `metadata.labels`
    pub labels: Rc<Labels>,
    /// `spec.taints`
    pub taints: Vec<Taint>,
    /// `spec.unschedulable`
    pub unschedulable: bool,
    /// `status.conditions`, in the order in which they were first written.
    pub conditions: Vec<NodeCondition>,
    /// `status.allocatable`
    pub allocatable: Rc<Resources>,
    /// The images that its status lists, where it is known of any how large it is.
    pub images: Option<Rc<BTreeSet<Rc<str>>>>,
    /// What its status says of volumes, where it ever said anything.
    pub volumes: Option<Rc<NodeVolumes>>,
    /// What agents and the node readiness controller wrote to it, where they ever did.
    pub readiness: Option<Rc<NodeReadiness>>,
}

impl Node {
    /// The condition of that type, if it was ever written.
    pub(crate) fn condition(&self, kind: NodeConditionType) -> Option<&NodeCondition> {
        self.conditions.iter().find(|c| c.kind == kind)
    }

    /// What the conditions are, as listed.
    pub(crate) fn statuses(&self) -> impl Iterator<Item = (NodeConditionType, ConditionStatus)> {
        self.conditions.iter().map(|c| (c.kind, c.status))
    }

    /// The Ready condition, if it was ever written.
    pub(crate) fn ready(&self) -> Option<&NodeCondition> {
        self.condition(NodeConditionType::Ready)
    }

    /// The condition Ready is True.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready().is_some_and(|c| c.status == ConditionStatus::True)
    }

    /// The status of the condition of that name, if it was ever written, by whomever.
    pub(crate) fn condition_status(&self, kind: &str) -> Option<ConditionStatus> {
        let of_kubelet = self.conditions.iter().find(|c| c.kind.as_str() == kind).map(|c| c.status);
        of_kubelet.or_else(|| self.readiness.as_ref()?.conditions.get(kind).copied())
    }

    /// Whether the node has a taint with this one's key and effect (`taints.TaintExists`).
    pub(crate) fn has_taint(&self, taint: &Taint) -> bool {
        self.taints.iter().any(|t| t.matches(taint))
    }
}

/// The zone that a node's labels name, by its label alone.
pub(crate) fn zone(labels: &Labels) -> Option<&str> {
    labels.get(LABEL_ZONE_BETA).or_else(|| labels.get(LABEL_ZONE)).map(String::as_str)
}

/// Whether a node of these labels is in a zone that is called so: `b`, or, with its region, `r/b`; a zone whose own name is
/// empty goes by that of its region.
pub(crate) fn is_in_zone(labels: &Labels, name: &str) -> bool {
    let Some(own) = zone(labels) else { return false };
    let before = name.strip_suffix(own);
    let around = before.and_then(|b| if own.is_empty() { Some(b) } else { b.strip_suffix('/') });
    before == Some("") || around.is_some_and(|around| region(labels) == Some(around))
}

/// Whether a node of these labels reaches a volume.
pub(crate) fn reaches(labels: &Labels, volume: &Reach) -> bool {
    match volume {
        Reach::Everywhere | Reach::Zone(None) | Reach::Node(None) => true,
        Reach::Zone(Some(name)) => is_in_zone(labels, name),
        Reach::Node(Some(name)) => labels.get(LABEL_HOSTNAME) == Some(name),
    }
}

/// Whether a claim's volume may be made for a node of these labels (`MatchTopologySelectorTerms`).
pub(crate) fn allows(labels: &Labels, claim: &Claim) -> bool {
    let is_there = |allowed: &String| is_in_zone(labels, allowed);
    claim.allowed_topologies.is_empty() || claim.allowed_topologies.iter().any(is_there)
}

/// The region that a node's labels name.
pub(crate) fn region(labels: &Labels) -> Option<&str> {
    labels.get(LABEL_REGION_BETA).or_else(|| labels.get(LABEL_REGION)).map(String::as_str)
}

/// The key of a node's zone (`component-helpers/node/topology/helpers.go: GetZoneKey`): the beta
/// label wins where it is present, even empty. `legacy_only` is 1.16 and older, which know only the
/// beta labels.
pub fn zone_key(labels: &Labels, legacy_only: bool) -> String {
    let get = |beta: &str, stable: &str| match labels.get(beta) {
        Some(v) => v.clone(),
        None if legacy_only => String::new(),
        None => labels.get(stable).cloned().unwrap_or_default(),
    };
    let zone = get(LABEL_ZONE_BETA, LABEL_ZONE);
    let region = get(LABEL_REGION_BETA, LABEL_REGION);
    if zone.is_empty() && region.is_empty() { String::new() } else { format!("{region}:\0:{zone}") }
}

/// A zone's key, `region:\0:zone`, as people write it: `zone`, or `region/zone`; empty for the zone
/// of nodes without labels.
pub(crate) fn zone_name(key: &str) -> String {
    match key.split_once(":\0:") {
        None => key.to_owned(),
        Some(("", zone)) => zone.to_owned(),
        Some((region, "")) => region.to_owned(),
        Some((region, zone)) => format!("{region}/{zone}"),
    }
}

/// The name of the zone that a node's labels name, with its region: two regions may each have a zone `1`.
pub(crate) fn named_zone(labels: &Labels) -> Option<String> {
    zone(labels).map(|_| zone_name(&zone_key(labels, false)))
}

/// The lease of a node; its name is the node's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lease {
    /// Whose lease it is.
    pub(crate) node: NodeId,
    /// This life of the object.
    pub(crate) uid: Uid,
    /// The version of the object.
    pub(crate) resource_version: u64,
    /// When the kubelet last renewed it, by the kubelet's clock: microseconds from the start of the
    /// run.
    pub(crate) renew_time_us: i64,
}
