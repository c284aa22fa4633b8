//! What nearly every file of this layer names: of the layers below, and what a run is looked at with.

pub(super) use super::causes::{Since, chain, within_life};
pub(super) use super::clock::{absolute, apart, lasted, short, to_the_millisecond};
pub(super) use super::costs::{Costs, Figure};
pub(super) use super::objects::{Held, NodeFlags, is_failure_key};
pub(super) use super::owners::Owners;
pub(super) use super::setting::{Analysis, short_key, zone_in_words};
pub(super) use super::sorted::as_people_count;
pub(super) use super::state::{Follow, Health, NO_NODE, PodState, Step};
pub(super) use super::steps::{Steps, set, value_at};
pub(super) use crate::api::budget::{BudgetRule, IntOrPercent};
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::{NodeConditionType, zone_name};
pub(super) use crate::api::pod::{PodConditionType, PodPhase, PodTemplate};
pub(super) use crate::api::taint::{Effect, Taint};
pub(super) use crate::api::toleration::Toleration;
pub(super) use crate::api::words::{rows, words};
pub(super) use crate::api::workload::{WorkloadKind, namespace_of, short_name};
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{counted, few, grouped};
pub(super) use crate::plan::{Do, NodePlan, NodeStart, Plan, PodPlan, PodStart, WorkloadPlan};
pub(super) use crate::trace::{
    Actor, BudgetState, DrainEnd, DrainOutcome, EventText, EvictionCause, NO_RECORD, Note, Record,
    RecordId, Refusal, TaintChange, Trace, What, ZoneState,
};
pub(super) use std::cmp::{Ordering, Reverse};
pub(super) use std::collections::{BTreeMap, BTreeSet};
