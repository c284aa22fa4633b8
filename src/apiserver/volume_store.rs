//! What is stored of volumes.

use crate::api::meta::Uid;
use crate::api::names::NodeId;
use crate::api::volume::{Volume, VolumeAttachment, VolumeId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is stored of volumes.
#[derive(Default)]
pub(super) struct VolumeStore {
    pub(super) volumes: BTreeMap<VolumeId, Rc<Volume>>,
    pub(super) attachments: BTreeMap<(NodeId, VolumeId), VolumeAttachment>,
    /// The claims of pods that somebody has asked for: a life of a pod keeps them.
    pub(super) claims: BTreeMap<Uid, Rc<[VolumeId]>>,
}
