//! What the importer reads of claims, volumes, drivers and attachments, as the API prints them
//! (`k8s.io/api/core/v1/types.go` and `storage/v1/types.go`, v1.34).

use super::object::Object;
use super::raw_scheduling::RawNodeTerms;
use crate::import::prelude::*;

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
#[serde(default)]
pub(super) struct RawCsi {
    pub(crate) driver: String,
}

/// `storage/v1.CSIDriverSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawDriverSpec {
    pub(crate) attach_required: Option<bool>,
}

/// `storage/v1.VolumeAttachmentSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawAttachmentSpec {
    pub(crate) source: RawAttachmentSource,
}

/// `storage/v1.VolumeAttachmentSource`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawAttachmentSource {
    pub(crate) persistent_volume_name: Option<String>,
}
