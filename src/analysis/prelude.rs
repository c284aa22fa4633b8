//! What nearly every file of this layer names, all of it from layers below.

pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::NodeConditionType;
pub(super) use crate::api::pod::PodPhase;
pub(super) use crate::api::taint::Taint;
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::plan::Plan;
pub(super) use crate::trace::{Actor, NO_RECORD, Record, RecordId, Trace, What, ZoneState};
pub(super) use std::collections::{BTreeMap, BTreeSet};
