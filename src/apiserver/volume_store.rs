//! What is stored of volumes.

use crate::api::volume::{Volume, VolumeAttachment, VolumeId};
use crate::apiserver::prelude::*;

/// What is stored of volumes.
#[derive(Default)]
pub(super) struct VolumeStore {
    pub(super) volumes: BTreeMap<VolumeId, Rc<Volume>>,
    pub(super) attachments: BTreeMap<(NodeId, VolumeId), VolumeAttachment>,
    /// The claims of pods that somebody has asked for: a life of a pod keeps them.
    pub(super) claims: BTreeMap<Uid, Rc<[VolumeId]>>,
}
