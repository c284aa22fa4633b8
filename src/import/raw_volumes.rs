//! What the importer reads of claims, volumes, drivers and attachments, as the API prints them
//! (`k8s.io/api/core/v1/types.go` and `storage/v1/types.go`, v1.34).

use super::object::Object;
use super::raw_scheduling::RawNodeTerms;
use crate::api::volume::attach_limit_key;
use crate::import::prelude::*;
use crate::language::QuantityText;

/// An exported claim.
pub(super) type RawClaim = Object<RawClaimSpec, RawClaimStatus>;

/// `v1.PersistentVolumeClaimSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawClaimSpec {
    volume_name: Option<String>,
}

/// `v1.PersistentVolumeClaimStatus`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawClaimStatus {
    phase: Option<String>,
}

impl RawClaim {
    /// The name of the volume that it is bound to.
    pub(super) fn volume(&self) -> Option<&str> {
        let bound = self.status.phase.as_deref() == Some("Bound");
        self.spec.volume_name.as_deref().filter(|_| bound)
    }
}

/// `v1.PersistentVolumeSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawVolumeSpec {
    pub(crate) access_modes: Option<Vec<String>>,
    node_affinity: Option<RawVolumeAffinity>,
    claim_ref: Option<RawClaimRef>,
    pub(crate) csi: Option<RawCsi>,
    #[serde(rename = "awsElasticBlockStore")]
    aws: Option<Filled>,
    #[serde(rename = "azureDisk")]
    azure: Option<Filled>,
    cinder: Option<Filled>,
    fc: Option<Filled>,
    #[serde(rename = "gcePersistentDisk")]
    gce: Option<Filled>,
    iscsi: Option<Filled>,
    rbd: Option<Filled>,
    vsphere_volume: Option<Filled>,
}

impl RawVolumeSpec {
    /// One of the kinds without a driver that are attached to nodes (`AttachableVolumePlugin`).
    pub(super) fn is_disk(&self) -> bool {
        let all = [
            self.aws,
            self.azure,
            self.cinder,
            self.fc,
            self.gce,
            self.iscsi,
            self.rbd,
            self.vsphere_volume,
        ];
        all.iter().flatten().any(|v| v.0)
    }

    /// Which nodes reach it; nothing if all do.
    pub(super) fn required(&self) -> Option<&RawNodeTerms> {
        self.node_affinity.as_ref()?.required.as_ref()
    }

    /// Whether it is another claim's.
    pub(super) fn is_of_another_than(&self, claim: &RawClaim) -> bool {
        self.claim_ref.as_ref().is_some_and(|r| {
            r.name.as_ref() != Some(&claim.name) || r.namespace.as_ref() != Some(&claim.namespace)
        })
    }
}

/// `v1.VolumeNodeAffinity`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct RawVolumeAffinity {
    required: Option<RawNodeTerms>,
}

/// `v1.ObjectReference`, of a claim
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct RawClaimRef {
    namespace: Option<String>,
    name: Option<String>,
}

/// `v1.CSIPersistentVolumeSource`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawCsi {
    pub(crate) driver: String,
    volume_handle: String,
}

impl RawCsi {
    /// What nodes call a volume (`volume/util: GetUniqueVolumeNameFromSpec`).
    pub(super) fn unique_name(&self) -> String {
        format!("kubernetes.io/csi/{}^{}", self.driver, self.volume_handle)
    }
}

/// `storage/v1.CSIDriverSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawDriverSpec {
    pub(crate) attach_required: Option<bool>,
}

/// `storage/v1.CSINodeSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawCsiNodeSpec {
    drivers: Option<Vec<RawCsiNodeDriver>>,
}

impl RawCsiNodeSpec {
    /// How many volumes the node takes, by resources of the node.
    pub(super) fn limits(&self) -> impl Iterator<Item = (String, QuantityText)> {
        self.drivers.iter().flatten().filter_map(|driver| {
            let count = driver.allocatable.as_ref()?.count?;
            Some((attach_limit_key(&driver.name), count.to_string().into()))
        })
    }
}

/// `storage/v1.CSINodeDriver`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct RawCsiNodeDriver {
    name: String,
    allocatable: Option<RawVolumeNodeResources>,
}

/// `storage/v1.VolumeNodeResources`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct RawVolumeNodeResources {
    count: Option<u32>,
}

/// `storage/v1.VolumeAttachmentSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawAttachmentSpec {
    pub(crate) node_name: String,
    pub(crate) source: RawAttachmentSource,
}

/// `storage/v1.VolumeAttachmentSource`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawAttachmentSource {
    pub(crate) persistent_volume_name: Option<String>,
}
