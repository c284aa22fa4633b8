//! What the parts of a log name.

pub(super) use crate::analysis::state::{Follow, NO_NODE, Step};
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::node::{NodeConditionType, NodeReason};
pub(super) use crate::api::taint::{Effect, Taint};
pub(super) use crate::plan::log_forms::{EvictionLog, WorkerLog};
pub(super) use crate::report::prelude::*;
pub(super) use crate::trace::{Actor, EventText, Note, ZoneState};
