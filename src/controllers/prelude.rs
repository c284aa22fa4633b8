//! What nearly every controller names, all of it from layers below.

pub(super) use crate::api::labels::{Labels, Selector};
pub(super) use crate::api::meta::{ConditionStatus, Timestamp, Uid};
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::{Node, NodeCondition, NodeConditionType};
pub(super) use crate::api::pod::{Pod, PodCondition, PodPhase, PodReason, PodSource, PodTemplate};
pub(super) use crate::api::taint::{Effect, Taint};
pub(super) use crate::api::volume::VolumeId;
pub(super) use crate::api::workload::{Workload, WorkloadKind, namespace_of, short_name};
pub(super) use crate::apiserver::{ApiError, ApiResult, ApiServer, EventName};
pub(super) use crate::client::{
    About, Client, ControllerContext, EventRecorder, InformerFactory, ResourceEventHandler,
    WorkQueue,
};
pub(super) use crate::kernel::{
    Class, Ctx, Dur, Group, HandlerId, Keys, Name, Object, PointId, Shared, Ticket, Time, slot,
};
pub(super) use crate::plan::Resource;
pub(super) use crate::trace::{Actor, EventBody, EventText, Message, Note, What};
pub(super) use std::cell::Cell;
pub(super) use std::collections::{BTreeMap, BTreeSet, VecDeque};
pub(super) use std::rc::{Rc, Weak};
