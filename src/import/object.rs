//! What the importer reads of an object, as the API prints it: all else in an export is passed
//! over.
//!
//! Field names and meaning: `k8s.io/api/core/v1/types.go` and
//! `k8s.io/api/coordination/v1/types.go`, v1.34. Every field may be missing or null, as in Go; what
//! is needed is checked when it is converted, where the object's name is known.

use super::fields::{Filled, RawResources, Texts};
use super::raw_scheduling::{RawAffinity, RawGate, RawSpread};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// `metav1.ObjectMeta`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawMeta {
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) labels: Option<Texts>,
    pub(crate) annotations: Option<RawAnnotations>,
    pub(crate) owner_references: Option<Vec<RawOwner>>,
    pub(crate) deletion_timestamp: Option<String>,
    pub(crate) deletion_grace_period_seconds: Option<i64>,
    pub(crate) creation_timestamp: Option<String>,
    pub(crate) generation: Option<i64>,
    pub(crate) finalizers: Option<Filled>,
}

impl RawMeta {
    /// The owner that made it.
    pub(super) fn controller(&self) -> Option<&RawOwner> {
        self.owner_references.iter().flatten().find(|o| o.controller == Some(true))
    }

    /// The annotation about its deletion's cost, unless that is 0.
    pub(super) fn deletion_cost(&self) -> Option<i32> {
        self.annotations.as_ref().and_then(RawAnnotations::deletion_cost)
    }
}

/// An exported object of a namespace.
#[derive(Debug, PartialEq)]
pub(super) struct Object<Spec, Status> {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) meta: RawMeta,
    pub(crate) spec: Spec,
    pub(crate) status: Status,
}

impl<Spec, Status> Object<Spec, Status> {
    /// `namespace/name`
    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// The name of an object that is only counted.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct NameOnly {
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
}

/// `metav1.OwnerReference`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawOwner {
    pub(crate) kind: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) controller: Option<bool>,
}

/// `v1.NodeSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawNodeSpec {
    pub(crate) taints: Option<Vec<RawTaint>>,
    pub(crate) unschedulable: Option<bool>,
}

/// `v1.Taint`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawTaint {
    pub(crate) key: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) effect: Option<String>,
    pub(crate) time_added: Option<String>,
}

/// `v1.NodeStatus`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeStatus {
    pub(crate) allocatable: Option<RawResources>,
    pub(crate) capacity: Option<RawResources>,
    pub(crate) conditions: Option<Vec<RawCondition>>,
    pub(crate) node_info: Option<RawNodeInfo>,
    pub(crate) volumes_in_use: Option<Vec<String>>,
}

/// `v1.NodeSystemInfo`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeInfo {
    pub(crate) kubelet_version: Option<String>,
}

/// `v1.NodeCondition` and `v1.PodCondition`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawCondition {
    pub(crate) r#type: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) last_heartbeat_time: Option<String>,
    pub(crate) last_transition_time: Option<String>,
}

impl RawCondition {
    pub(super) fn is(&self, kind: &str, status: &str) -> bool {
        self.r#type.as_deref() == Some(kind) && self.status.as_deref() == Some(status)
    }
}

/// `v1.PodSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPodSpec {
    pub(crate) node_name: Option<String>,
    pub(crate) node_selector: Option<Texts>,
    pub(crate) tolerations: Option<Vec<RawToleration>>,
    pub(crate) termination_grace_period_seconds: Option<i64>,
    pub(crate) priority: Option<i32>,
    pub(crate) priority_class_name: Option<String>,
    pub(crate) containers: Option<Vec<RawContainer>>,
    pub(crate) init_containers: Option<Vec<RawContainer>>,
    pub(crate) overhead: Option<RawResources>,
    pub(crate) resources: Option<RawRequirements>,
    pub(crate) affinity: Option<RawAffinity>,
    pub(crate) topology_spread_constraints: Option<Vec<RawSpread>>,
    pub(crate) scheduling_gates: Option<Vec<RawGate>>,
    pub(crate) resource_claims: Option<Filled>,
    pub(crate) volumes: Option<Vec<RawVolume>>,
    pub(crate) scheduler_name: Option<String>,
    pub(crate) preemption_policy: Option<String>,
    pub(crate) restart_policy: Option<String>,
}

impl RawPodSpec {
    /// Its priority class, if it has one.
    pub(super) fn priority_class(&self) -> Option<String> {
        self.priority_class_name.clone().filter(|c| !c.is_empty())
    }

    /// The claims that its volumes name.
    pub(super) fn claims(&self) -> impl Iterator<Item = &str> {
        let claims =
            self.volumes.iter().flatten().filter_map(|v| v.persistent_volume_claim.as_ref());
        claims.filter_map(|c| c.claim_name.as_deref())
    }
}

/// `v1.Toleration`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawToleration {
    pub(crate) key: Option<String>,
    pub(crate) operator: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) effect: Option<String>,
    pub(crate) toleration_seconds: Option<i64>,
}

/// `v1.Container`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawContainer {
    pub(crate) name: Option<String>,
    pub(crate) command: Option<Vec<Option<String>>>,
    pub(crate) args: Option<Vec<Option<String>>>,
    pub(crate) restart_policy: Option<String>,
    pub(crate) resources: Option<RawRequirements>,
    pub(crate) ports: Option<Vec<RawPort>>,
}

/// `v1.ContainerPort`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPort {
    pub(crate) host_port: Option<i32>,
    pub(crate) protocol: Option<String>,
    #[serde(rename = "hostIP")]
    pub(crate) host_ip: Option<String>,
}

/// `v1.ResourceRequirements`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawRequirements {
    pub(crate) requests: Option<RawResources>,
    pub(crate) limits: Option<RawResources>,
}

/// `v1.Volume`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawVolume {
    pub(crate) persistent_volume_claim: Option<RawClaimName>,
    pub(crate) empty_dir: Option<Filled>,
    pub(crate) ephemeral: Option<Filled>,
    #[serde(rename = "awsElasticBlockStore")]
    pub(crate) aws: Option<Filled>,
    #[serde(rename = "azureDisk")]
    pub(crate) azure: Option<Filled>,
    pub(crate) cinder: Option<Filled>,
    #[serde(rename = "gcePersistentDisk")]
    pub(crate) gce: Option<Filled>,
    pub(crate) vsphere_volume: Option<Filled>,
}

impl RawVolume {
    /// A disk that is attached to the pod's node, and not by the name of a claim.
    pub(super) fn is_persistent(&self) -> bool {
        [self.ephemeral, self.aws, self.azure, self.cinder, self.gce, self.vsphere_volume]
            .iter()
            .flatten()
            .any(|v| v.0)
    }
}

/// `v1.PersistentVolumeClaimVolumeSource`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawClaimName {
    pub(crate) claim_name: Option<String>,
}

/// `v1.PodStatus`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPodStatus {
    pub(crate) phase: Option<String>,
    pub(crate) conditions: Option<Vec<RawCondition>>,
    pub(crate) container_statuses: Option<Vec<RawContainerStatus>>,
}

/// `v1.ContainerStatus`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawContainerStatus {
    pub(crate) state: RawContainerState,
    #[serde(rename = "restartCount")]
    pub(crate) restarts: Option<i64>,
}

/// `v1.ContainerState`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawContainerState {
    pub(crate) terminated: Option<RawTerminated>,
}

/// `v1.ContainerStateTerminated`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawTerminated {
    pub(crate) finished_at: Option<String>,
}

/// `coordination/v1.LeaseSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawLeaseSpec {
    pub(crate) renew_time: Option<String>,
    pub(crate) acquire_time: Option<String>,
    pub(crate) lease_duration_seconds: Option<i64>,
}

/// The fields of a `scheduling/v1.PriorityClass`, beside its name.
pub(super) const CLASS_FIELDS: [&str; 3] = ["value", "globalDefault", "preemptionPolicy"];

/// The annotations that matter here; others may be large and are not kept.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RawAnnotations {
    /// `kubernetes.io/config.mirror` is there.
    pub(crate) mirror: bool,
    /// `kubernetes.io/config.source`
    pub(crate) source: Option<String>,
    /// Of a namespace: `scheduler.alpha.kubernetes.io/defaultTolerations`
    pub(crate) default_tolerations: Option<String>,
    /// Of a namespace: `scheduler.alpha.kubernetes.io/tolerationsWhitelist`
    pub(crate) tolerations_whitelist: Option<String>,
    /// Of a pod: `controller.kubernetes.io/pod-deletion-cost`
    pub(crate) pod_deletion_cost: Option<String>,
}

impl RawAnnotations {
    /// `pkg/apis/core/helper/helpers.go: GetDeletionCostFromPodAnnotations`; what is no number as
    /// Go writes it counts as nothing.
    fn deletion_cost(&self) -> Option<i32> {
        let text = self.pod_deletion_cost.as_deref()?;
        let cost: i32 = text.parse().ok()?;
        let as_written = text == "0" || !text.starts_with(['+', '0']);
        (as_written && cost != 0).then_some(cost)
    }
}

impl<'de> Deserialize<'de> for RawAnnotations {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier)]
        enum Key {
            #[serde(rename = "kubernetes.io/config.mirror")]
            Mirror,
            #[serde(rename = "kubernetes.io/config.source")]
            Source,
            #[serde(rename = "scheduler.alpha.kubernetes.io/defaultTolerations")]
            DefaultTolerations,
            #[serde(rename = "scheduler.alpha.kubernetes.io/tolerationsWhitelist")]
            TolerationsWhitelist,
            #[serde(rename = "controller.kubernetes.io/pod-deletion-cost")]
            PodDeletionCost,
            #[serde(other)]
            Other,
        }
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = RawAnnotations;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of annotations")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = RawAnnotations::default();
                while let Some(key) = map.next_key()? {
                    match key {
                        Key::Source => found.source = map.next_value()?,
                        Key::PodDeletionCost => found.pod_deletion_cost = map.next_value()?,
                        // A null is an empty text, as in Go.
                        Key::DefaultTolerations => {
                            found.default_tolerations =
                                Some(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Key::TolerationsWhitelist => {
                            found.tolerations_whitelist =
                                Some(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Key::Mirror => {
                            map.next_value::<IgnoredAny>()?;
                            found.mirror = true;
                        }
                        Key::Other => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(found)
            }
        }
        d.deserialize_map(V)
    }
}
