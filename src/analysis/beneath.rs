//! What nearly every file of this layer names of the layers below, those too that the prelude names.

pub(super) use crate::api::budget::{BudgetRule, IntOrPercent};
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::node::{NodeConditionType, zone_key, zone_name};
pub(super) use crate::api::pod::{PodConditionType, PodPhase, PodTemplate};
pub(super) use crate::api::probe::ProbeType;
pub(super) use crate::api::taint::{Effect, NOT_READY, OUT_OF_SERVICE, Taint, UNREACHABLE};
pub(super) use crate::api::toleration::Toleration;
pub(super) use crate::api::words::{rows, words};
pub(super) use crate::api::workload::{
    Propagation, WorkloadKind, WorkloadSpec, family_of, has_clients, namespace_of,
    parent_and_ordinal, short_name, told_apart,
};
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{counted, few, grouped};
pub(super) use crate::plan::{
    Action, Do, KubeletMode, NodeFault, NodeIndex, NodePlan, NodeStart, Phase, Plan, PodPlan,
    PodStart, WorkloadPlan,
};
pub(super) use crate::trace::{
    Actor, BudgetState, DrainEnd, DrainOutcome, EventText, EvictionCause, NO_RECORD, Note, Record,
    RecordId, Refusal, TaintChange, Trace, What, ZoneState,
};
pub(super) use std::cell::OnceCell;
pub(super) use std::cmp::{Ordering, Reverse};
pub(super) use std::collections::{BTreeMap, BTreeSet};
