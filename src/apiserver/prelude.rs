//! What nearly every file of this layer names, all of it from layers below.

pub(super) use crate::api::budget::Budget;
pub(super) use crate::api::device::{Allocation, DeviceTaintRule, ResourceSlices, SharedClaim};
pub(super) use crate::api::meta::{ConditionStatus, Timestamp, Uid};
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::{Lease, Node};
pub(super) use crate::api::pod::{Pod, PodCondition, PodPhase, PodTemplate};
pub(super) use crate::api::readiness::NodeReadinessRule;
pub(super) use crate::api::taint::Taint;
pub(super) use crate::api::workload::{Workload, namespace_of, short_name};
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::trace::{Actor, NO_RECORD, Note, RecordId, What};
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::rc::Rc;
