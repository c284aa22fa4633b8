//! What nearly every file of this layer names.

pub(super) use super::error::{ImportError, Place};
pub(super) use super::fields::{self, Filled, Wrong, raw};
pub(super) use super::object::{Object, RawPodSpec};
pub(super) use super::summary::Summary;
pub(super) use super::times::{SECOND_US, Stamp, Times, micros, seconds, time};
pub(super) use crate::api::workload::WorkloadKind;
pub(super) use crate::language::{
    DeviceTaintRule, DurationText, Namespace, NodeGroup, NodeStart, PodGroup, PodTemplate,
    PriorityClass, QuantityText, Workload,
};
pub(super) use serde::{Deserialize, Deserializer};
pub(super) use serde_json::Value;
pub(super) use std::collections::{BTreeMap, BTreeSet};
