//! What nearly every file of this layer names, all of it from layers below: the language, which it
//! reads, and what it makes of it.

pub(super) use super::form::Damage;
pub(super) use crate::api::budget::{BudgetRule, IntOrPercent};
pub(super) use crate::api::kubectl_taint::TaintEdit;
pub(super) use crate::api::labels::{LabelSelector, Labels, Selector};
pub(super) use crate::api::meta::{ConditionStatus, OwnerReference, Timestamp};
pub(super) use crate::api::names::stable_hash;
pub(super) use crate::api::pod::{PodPhase, PodSource, PodTemplate};
pub(super) use crate::api::probe::RestartPolicy;
pub(super) use crate::api::quantity::Resources;
pub(super) use crate::api::taint::{Effect, NOT_READY, Taint, UNREACHABLE};
pub(super) use crate::api::toleration::Operator;
pub(super) use crate::api::workload::{
    WorkloadKind, WorkloadSpec, is_called, namespace_of, short_name,
};
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::values::KUBERNETES;
pub(super) use crate::language::{self, *};
pub(super) use crate::plan::switches::api_fields::ApiField;
pub(super) use crate::plan::{
    Action, BudgetIndex, BudgetPlan, Clients, Connections, DeviceTaintEdit, Do, DrainOptions,
    IfNotDrained, Instance, KubeletMode, LeaderElection, Maintenance, NamespaceTolerations,
    NewRule, NodeFault, NodeIndex, NodePlan, Phase, Plan, PodIndex, PodPlan, Profile, Readiness,
    Resource, SchedulerSettings, Successor, TimelineEntry, WatchCache, WorkloadIndex, WorkloadPlan,
};
pub(super) use crate::profiles::Release;
pub(super) use crate::trace::Actor;
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::ops::Range;
pub(super) use std::path::{Path, PathBuf};
pub(super) use std::rc::Rc;
pub(super) use std::sync::Arc;
