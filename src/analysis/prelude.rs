//! What nearly every file of this layer names: of the layers below, and what a run is looked at with.

pub(super) use super::causes::{Since, chain};
pub(super) use super::clock::{absolute, short, to_the_millisecond};
pub(super) use super::setting::{Analysis, zone_name};
pub(super) use super::state::{Follow, Health, NO_NODE, PodState, Step};
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::NodeConditionType;
pub(super) use crate::api::pod::PodPhase;
pub(super) use crate::api::taint::Taint;
pub(super) use crate::api::toleration::Toleration;
pub(super) use crate::api::workload::WorkloadKind;
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{counted, grouped};
pub(super) use crate::plan::{Do, NodeStart, Plan};
pub(super) use crate::trace::{
    Actor, EvictionCause, NO_RECORD, Note, Record, RecordId, TaintChange, Trace, What, ZoneState,
};
pub(super) use std::collections::{BTreeMap, BTreeSet};
