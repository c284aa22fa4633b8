//! What is stored of devices.

use crate::apiserver::prelude::*;

/// What is stored of devices.
#[derive(Default)]
pub(super) struct DeviceStore {
    pub(super) slices: BTreeMap<NodeId, Rc<ResourceSlices>>,
    pub(super) rules: BTreeMap<TextId, Rc<DeviceTaintRule>>,
    pub(super) allocations: BTreeMap<Uid, Rc<Allocation>>,
}
