//! Volumes that outlive pods, as far as a failing node makes a difference to them: claims of pods,
//! who reaches a volume, and to which node it is attached.
//!
//! `k8s.io/api/core/v1/types.go` (`PersistentVolume`, `PersistentVolumeClaim`),
//! `k8s.io/api/storage/v1/types.go` (`VolumeAttachment`), v1.34. Claims are bound; the volume of one that no
//! pod has used yet comes into being with the binding of the first, as under `WaitForFirstConsumer`, or is made for
//! the node that is chosen for that pod, which is bound afterwards.

use crate::api::prelude::*;
use crate::api::quantity::{Quantity, Resources};

/// The driver of a volume of which none is said.
pub const DEFAULT_DRIVER: &str = "disks.csi.example";

/// How long a volume that nobody wants stays attached to a node that does not say that it is out of use there
/// (`ReconcilerMaxWaitForUnmountDuration`).
pub(crate) const MAX_WAIT_FOR_UNMOUNT: Dur = Dur::from_secs(360);

/// The resource of a node that says how many volumes of a driver it takes
/// (`volume/util: GetCSIAttachLimitKey`). Upstream reads it from the CSINode, up to 1.31 from the node as well.
pub fn attach_limit_key(driver: &str) -> String {
    format!("attachable-volumes-csi-{driver}")
}

/// The resource of a node that says how large a volume of a StorageClass may be that is made for it. Upstream has that in
/// `CSIStorageCapacity` objects, each for the nodes that its topology selects; the name is our own.
pub fn storage_capacity_key(class: &str) -> String {
    format!("csistoragecapacity-{class}")
}

/// The resource of a node on which a driver is missing: its volumes cannot be attached there. Upstream reads it from the CSINode, which
/// does not name the driver; the name is our own.
pub fn missing_driver_key(driver: &str) -> String {
    format!("csinode-lacks-{driver}")
}

/// The resource of a node on which a driver is missing whose pods are not to be scheduled there (`CSIDriver`,
/// `preventPodSchedulingIfMissing`); the name is our own, too.
pub fn preventing_driver_key(driver: &str) -> String {
    format!("csidriver-prevents-{driver}")
}

/// Identity of a volume: its claim's `namespace/name`.
pub(crate) type VolumeId = TextId;

words! {
    /// Who may use a volume at once (`PersistentVolumeAccessMode`).
    #[derive(Default, Deserialize, Serialize, JsonSchema)]
    #[schemars(description = "`spec.accessModes`")]
    pub enum AccessMode {
        /// `ReadWriteOnce`: pods of one node.
        #[default]
        #[serde(rename = "RWO")]
        ReadWriteOnce = "ReadWriteOnce",
        /// `ReadWriteOncePod`: one pod.
        #[serde(rename = "RWOP")]
        ReadWriteOncePod = "ReadWriteOncePod",
        /// `ReadWriteMany`: pods of any nodes.
        #[serde(rename = "RWX")]
        ReadWriteMany = "ReadWriteMany",
        /// `ReadOnlyMany`: pods of any nodes, which only read.
        #[serde(rename = "ROX")]
        ReadOnlyMany = "ReadOnlyMany",
    }

    /// When the volume of a claim is made that has none yet (`VolumeBindingMode` of its StorageClass).
    #[derive(Default, Deserialize, Serialize, JsonSchema)]
    #[schemars(description = "`volumeBindingMode` of a StorageClass")]
    pub enum BindingMode {
        /// Once a node is chosen for the first pod that has the claim.
        #[default]
        WaitForFirstConsumer = "WaitForFirstConsumer",
        /// As soon as there is the claim.
        Immediate = "Immediate",
    }
}

impl AccessMode {
    /// Whether it may be attached to several nodes (`attachdetach/util: IsMultiAttachAllowed`).
    pub(crate) fn is_multi_attach_allowed(self) -> bool {
        matches!(self, Self::ReadWriteMany | Self::ReadOnlyMany)
    }
}

/// From where a volume is reached (`spec.nodeAffinity`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reach {
    /// From every node.
    Everywhere,
    /// From the nodes of a zone; none: that of the node of the first pod.
    Zone(Option<String>),
    /// From one node, to which it need not be attached; none: that of the first pod.
    Node(Option<String>),
}

/// A claim of a pod's template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name, or where each pod has its own (`volumeClaimTemplates`), what stands before the
    /// pod's name in it.
    pub name: String,
    /// Each pod has its own.
    pub per_pod: bool,
    /// Who may use its volume at once.
    pub access: AccessMode,
    /// From where its volume is reached.
    pub reach: Reach,
    /// The zones in which its StorageClass has volumes made; in all where none is named.
    pub allowed_topologies: Vec<String>,
    /// How large its volume is, and the resource of a node that says how large one may be; none where its driver says
    /// nothing of that (`CSIDriver`, `storageCapacity`).
    pub storage: Option<(String, Quantity)>,
    /// Its volume has to be attached to a node (`CSIDriver`, `attachRequired`).
    pub attach: bool,
    /// The driver of its volume; none of a local volume, which no limit counts.
    pub driver: Option<String>,
    /// The volume's name, where it is not made from that of the claim.
    pub volume: Option<String>,
    /// When its volume is made.
    pub binding: BindingMode,
    /// How long it takes to make its volume; none: it is there with the binding of its first pod.
    pub provision: Option<Dur>,
    /// What is said of the volume is assumed. Only results read this.
    pub assumed: bool,
}

/// Whether a node takes as many volumes of each driver as these claims have.
pub(crate) fn attachable(claims: &[Claim], allocatable: &Resources) -> bool {
    claims.iter().filter_map(|c| c.driver.as_deref()).all(|driver| {
        let of_driver = claims.iter().filter(|c| c.driver.as_deref() == Some(driver)).count();
        let limit = allocatable.get(&attach_limit_key(driver));
        limit.is_none_or(|limit| limit.value() >= of_driver as i128)
    })
}

impl Claim {
    /// It has to be bound before its first pod gets a node.
    pub(crate) fn is_immediate(&self) -> bool {
        self.binding == BindingMode::Immediate
    }

    /// Whether a node has so much storage for its volume (`hasEnoughCapacity`).
    pub(crate) fn has_enough(&self, allocatable: &Resources) -> bool {
        self.storage.as_ref().is_none_or(|(key, size)| {
            allocatable.get(key).is_some_and(|limit| limit.value() >= size.value())
        })
    }

    /// Which of so many zones a volume is made in that is not made for a node: by its claim's name
    /// (external-provisioner, `getPVCNameHashAndIndexOffset`), so that those of a StatefulSet's pods
    /// are in one after the other.
    pub(crate) fn place_of(name: &str, zones: usize) -> usize {
        let (mut hashed, mut index) = (name, 0);
        if let Some((before, number)) = name.rsplit_once('-')
            && let Ok(number) = number.parse::<u32>()
        {
            index = number;
            hashed = before.rsplit_once('-').map_or(before, |(_, set)| set);
        }
        // FNV-1 of 32 bits.
        let start: u32 = 0x811c_9dc5;
        let step = |hash: u32, byte: u8| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte);
        let hash = hashed.bytes().fold(start, step).wrapping_add(index);
        (hash as usize).checked_rem(zones).unwrap_or_default()
    }

    /// The name of the claim of a pod of that name.
    pub(crate) fn name_for(&self, pod: &str) -> String {
        if self.per_pod { format!("{}-{pod}", self.name) } else { self.name.clone() }
    }
}

/// A volume (`v1.PersistentVolume`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Volume {
    /// Its claim.
    pub(crate) id: VolumeId,
    /// `metadata.name`
    pub(crate) name: String,
    /// Who may use it at once.
    pub(crate) access: AccessMode,
    /// From where it is reached.
    pub(crate) reach: Reach,
    /// It has to be attached to a node.
    pub(crate) attach: bool,
    /// Its driver.
    pub(crate) driver: Option<String>,
}

/// What a node's status says of volumes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeVolumes {
    /// `status.volumesAttached`, which the attach/detach controller writes; sorted.
    pub(crate) attached: Vec<VolumeId>,
    /// `status.volumesInUse`, which the kubelet writes; sorted.
    pub(crate) in_use: Vec<VolumeId>,
}

/// `storage.k8s.io/v1 VolumeAttachment`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct VolumeAttachment {
    /// `status.attached`
    pub(crate) attached: bool,
    /// deletionTimestamp is set: the external-attacher detaches, and takes off its finalizer.
    pub(crate) deleting: bool,
}
