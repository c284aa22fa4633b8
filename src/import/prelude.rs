//! What nearly every file of this layer names: what it reads, and the language, which it writes.

pub(super) use super::error::{ImportError, Place, Result};
pub(super) use super::fields::{
    self, Fields, Filled, RawQuantity, RawResources, Texts, Wrong, raw,
};
pub(super) use super::named::{Named, at};
pub(super) use super::object::*;
pub(super) use super::summary::{RULE, Summary};
pub(super) use super::times::{
    LESS_US, SECOND_US, Stamp, Times, YEARS, micros, parse_time, seconds, time,
};
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::probe::RestartPolicy;
pub(super) use crate::api::taint::Taint;
pub(super) use crate::api::workload::WorkloadKind;
pub(super) use crate::language::values::KUBERNETES;
pub(super) use crate::language::{self, *};
pub(super) use serde::{Deserialize, Deserializer};
pub(super) use serde_json::Value;
pub(super) use std::collections::{BTreeMap, BTreeSet};
