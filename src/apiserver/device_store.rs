//! What is stored of devices.

use crate::api::device::{Allocation, DeviceTaintRule, ResourceSlices};
use crate::api::meta::Uid;
use crate::api::names::{NodeId, TextId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is stored of devices.
#[derive(Default)]
pub(super) struct DeviceStore {
    pub(super) slices: BTreeMap<NodeId, Rc<ResourceSlices>>,
    pub(super) rules: BTreeMap<TextId, Rc<DeviceTaintRule>>,
    pub(super) allocations: BTreeMap<Uid, Rc<Allocation>>,
}
