//! What nearly every file of this layer names, all of it from layers below.

pub(super) use crate::api::budget::Budget;
pub(super) use crate::api::device::{Allocation, DeviceTaintRule, ResourceSlices, SharedClaim};
pub(super) use crate::api::meta::Uid;
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::{Lease, Node};
pub(super) use crate::api::pod::Pod;
pub(super) use crate::api::readiness::NodeReadinessRule;
pub(super) use crate::api::workload::{Workload, WorkloadKind};
pub(super) use crate::apiserver::{ApiError, ApiResult, ApiServer, EventName};
pub(super) use crate::kernel::{
    Class, Ctx, Dur, Group, Key, Keys, Name, Object, PointId, Shared, Time,
};
pub(super) use crate::plan::{Limits, Resource};
pub(super) use std::cell::Cell;
pub(super) use std::collections::{BTreeMap, VecDeque};
pub(super) use std::rc::Rc;
