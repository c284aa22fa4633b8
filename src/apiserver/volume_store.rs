//! What is stored of volumes.

use crate::api::volume::{Volume, VolumeAttachment, VolumeId};
use crate::apiserver::prelude::*;
use crate::kernel::Dur;

/// What is stored of volumes.
#[derive(Default)]
pub(super) struct VolumeStore {
    pub(super) volumes: BTreeMap<VolumeId, Rc<Volume>>,
    /// The volumes that are being made, each with the node that was chosen for it (annotation
    /// `volume.kubernetes.io/selected-node` of its claim), if one had to be, and how long that takes.
    pub(super) selected: BTreeMap<VolumeId, (Option<NodeId>, Dur, Rc<Volume>)>,
    pub(super) attachments: BTreeMap<(NodeId, VolumeId), VolumeAttachment>,
    /// The claims of pods that somebody has asked for: a life of a pod keeps them.
    pub(super) claims: BTreeMap<Uid, Rc<[VolumeId]>>,
}
