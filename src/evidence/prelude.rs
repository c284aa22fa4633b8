//! What nearly every file of this layer names.

pub(super) use super::statement::{
    CLOUD, KUBELET, PREEMPTED, Place, SOMEBODY, Said, Statement, UNNAMED, are, end_of_second, form,
    full_name, time,
};
pub(super) use crate::api::workload::{WorkloadKind, parent_and_ordinal};
pub(super) use crate::import::{SECOND_US, Stamp, YEARS};
pub(super) use crate::language::{counted, few};
pub(super) use serde_json::{Value, json};
pub(super) use std::collections::{BTreeMap, BTreeSet};
