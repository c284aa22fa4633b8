//! What the importer reads of claims, volumes, drivers and attachments, as the API prints them
//! (`k8s.io/api/core/v1/types.go` and `storage/v1/types.go`, v1.34).

use crate::api::volume::attach_limit_key;
use crate::import::prelude::*;

/// An exported claim.
pub(super) type RawClaim = Object<RawClaimSpec, RawClaimStatus>;

raw! {
    /// `v1.PersistentVolumeClaimSpec`
    struct RawClaimSpec {
        access_modes: Vec<String>,
        resources: RawRequirements,
        storage_class_name: Option<String>,
        volume_name: Option<String>,
    }

    /// `v1.PersistentVolumeClaimStatus`
    struct RawClaimStatus {
        phase: String,
    }

    /// `v1.PersistentVolumeSpec`
    struct RawVolumeSpec {
        access_modes: Vec<String>,
        node_affinity: RawVolumeAffinity,
        claim_ref: Option<NameOnly>,
        csi: Option<RawCsi>,
        #[serde(rename = "awsElasticBlockStore")]
        aws: Filled,
        #[serde(rename = "azureDisk")]
        azure: Filled,
        cinder: Filled,
        fc: Filled,
        #[serde(rename = "gcePersistentDisk")]
        gce: Filled,
        iscsi: Filled,
        rbd: Filled,
        vsphere_volume: Filled,
    }

    /// `v1.VolumeNodeAffinity`
    struct RawVolumeAffinity {
        required: Option<RawNodeTerms>,
    }

    /// `v1.CSIPersistentVolumeSource`
    struct RawCsi {
        driver: String,
        volume_handle: String,
    }

    /// `storage/v1.CSIDriverSpec`
    struct RawDriverSpec {
        attach_required: Option<bool>,
        storage_capacity: bool,
        prevent_pod_scheduling_if_missing: bool,
    }

    /// `storage/v1.CSINodeSpec`
    struct RawCsiNodeSpec {
        drivers: Vec<RawCsiNodeDriver>,
    }

    /// `storage/v1.CSINodeDriver`
    struct RawCsiNodeDriver {
        name: String,
        allocatable: RawVolumeNodeResources,
    }

    /// `storage/v1.VolumeNodeResources`
    struct RawVolumeNodeResources {
        count: Option<u32>,
    }

    /// `storage/v1.VolumeAttachmentSpec`
    struct RawAttachmentSpec {
        node_name: String,
        source: RawAttachmentSource,
    }

    /// `storage/v1.VolumeAttachmentSource`
    struct RawAttachmentSource {
        persistent_volume_name: String,
    }
}

impl RawClaim {
    /// The name of the volume that it is bound to.
    pub(super) fn volume(&self) -> Option<&str> {
        self.spec.volume_name.as_deref().filter(|_| self.status.phase == "Bound")
    }
}

impl RawVolumeSpec {
    /// One of the kinds without a driver that are attached to nodes (`AttachableVolumePlugin`).
    pub(super) fn is_disk(&self) -> bool {
        let Self { aws, azure, cinder, fc, gce, iscsi, rbd, vsphere_volume, .. } = self;
        [aws, azure, cinder, fc, gce, iscsi, rbd, vsphere_volume].iter().any(|v| v.0)
    }
}

impl RawCsiNodeSpec {
    /// The drivers that the node has.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.drivers.iter().map(|d| &*d.name)
    }

    /// Whether it says of a driver how many volumes the node takes, or that the node does not have it.
    pub(super) fn limits_driver(&self, driver: &str) -> bool {
        let found = self.drivers.iter().find(|d| d.name == driver);
        found.is_none_or(|d| d.allocatable.count.is_some())
    }

    /// How many volumes the node takes, by resources of the node.
    pub(super) fn limits(&self) -> impl Iterator<Item = (String, QuantityText)> {
        let limit = |d: &RawCsiNodeDriver| {
            Some((attach_limit_key(&d.name), d.allocatable.count?.to_string().into()))
        };
        self.drivers.iter().filter_map(limit)
    }
}
