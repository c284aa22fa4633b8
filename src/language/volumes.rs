//! Volumes of pods: claims, and what is said of what they are bound to.

use crate::api::volume::{AccessMode, BindingMode};
use crate::language::prelude::*;

/// A volume of a pod that outlives it: a claim, and what its volume is like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct VolumeClaim {
    /// The name of the claim, which pods with the same name for it share, or of a StatefulSet's
    /// template of claims. Where only a size is given, `"10Gi"`, or nothing, there is one claim for each
    /// workload, for each pod of a StatefulSet, and for each pod without an owner.
    pub(crate) claim: Option<String>,
    /// Who may use it at once; `RWO` where not given.
    pub(crate) access: Option<AccessMode>,
    /// From where it is reached; where not given as with a cloud's disks, which are reached from one
    /// zone, and file shares (`RWX`, `ROX`), which are reached from everywhere.
    pub(crate) reach: Option<Reach>,
    /// The zone that reaches it; that of the first pod's node where not given.
    pub(crate) zone: Option<String>,
    /// The node that reaches it, a local volume; that of the first pod where `reach` is `Node`.
    pub(crate) node: Option<String>,
    /// The zones in which its StorageClass has volumes made: a pod whose volume is still to be made gets a node of
    /// these. All zones where not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) allowed_topologies: Vec<String>,
    /// It has to be attached to a node before that can mount it (`CSIDriver`, `attachRequired`); where
    /// not given disks are, and file shares and local volumes are not.
    pub(crate) attach: Option<bool>,
    /// The driver of its volume, of which a node may take only so many:
    /// `capacity: {"attachable-volumes-csi-ebs.csi.aws.com": "25"}`. `disks.csi.example` where not given.
    pub(crate) driver: Option<String>,
    /// Its StorageClass, where its driver says how much storage there is (`CSIDriver`, `storageCapacity`): a pod whose volume
    /// is still to be made gets a node with so much, `capacity: {"csistoragecapacity-fast": "100Gi"}`.
    pub(crate) storage_class_name: Option<String>,
    /// How large it is (`resources.requests.storage`), where `claim` is its name.
    pub(crate) size: Option<QuantityText>,
    /// The name of the PersistentVolume; made from the claim's where not given.
    pub(crate) volume: Option<String>,
    /// When the volume of a claim is made that has none yet: once a node is chosen for its first pod, or
    /// with the claim, in a zone that the claim's name decides. `WaitForFirstConsumer` where not given.
    pub(crate) binding: Option<BindingMode>,
    /// How long it takes to make it; the pod is bound once the volume is there. No time where not given.
    pub(crate) provision: Option<DurationText>,
    /// Nothing is known of its volume: what is said here is assumed, and results tell so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) assumed: bool,
}

impl VolumeClaim {
    /// Whether its volume has to be attached to a node first.
    pub(crate) fn is_attached(&self) -> bool {
        let is_local = self.node.is_some() || self.reach == Some(Reach::Node);
        let is_disk = !self.access.unwrap_or_default().is_multi_attach_allowed();
        self.attach.unwrap_or(is_disk && !is_local)
    }
}

/// From where a volume is reached (`spec.nodeAffinity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum Reach {
    /// From every node.
    Everywhere,
    /// From the nodes of one zone.
    Zone,
    /// From one node: a local volume.
    Node,
}
