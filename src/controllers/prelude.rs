//! What nearly every controller names, all of it from layers below.

pub(super) use crate::api::labels::Selector;
pub(super) use crate::api::meta::{ConditionStatus, Timestamp, Uid};
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::{Node, NodeConditionType};
pub(super) use crate::api::pod::{Pod, PodCondition, PodPhase, PodReason, PodTemplate};
pub(super) use crate::api::taint::{Effect, Taint};
pub(super) use crate::api::workload::{Workload, WorkloadKind};
pub(super) use crate::apiserver::{ApiError, ApiResult, ApiServer};
pub(super) use crate::client::{
    About, Client, ControllerContext, EventRecorder, InformerFactory, ResourceEventHandler,
    WorkQueue,
};
pub(super) use crate::kernel::{
    Class, Ctx, Dur, Group, HandlerId, Object, PointId, Shared, Time, slot,
};
pub(super) use crate::plan::Resource;
pub(super) use crate::trace::{Actor, EventBody, EventText, Note, What};
pub(super) use std::cell::Cell;
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::rc::Rc;
