//! What nearly every file of this layer names, all of it from layers below.

pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{
    self, Complaints, FlagValue, Problem, Scenario, Spot, at, did_you_mean, did_you_mean_or_list,
    values,
};
pub(super) use crate::plan::{NodeIndex, Plan, PodIndex, WorkloadIndex};
pub(super) use std::collections::{BTreeMap, BTreeSet};
