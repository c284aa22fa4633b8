//! What nearly every file of this layer names, all of it from layers below: the language, which it
//! reads, and what it makes of it.

pub(super) use crate::api::pod::PodTemplate;
pub(super) use crate::api::taint::Effect;
pub(super) use crate::api::toleration::Operator;
pub(super) use crate::api::workload::WorkloadKind;
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{self, *};
pub(super) use crate::plan::{
    Action, Do, NodeFault, NodeIndex, NodePlan, Plan, PodIndex, PodPlan, Profile, WorkloadIndex,
};
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::rc::Rc;
pub(super) use std::sync::Arc;
