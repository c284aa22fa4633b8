//! What nearly every file of this layer names.

pub(super) use super::error::{ImportError, Place, Result};
pub(super) use super::fields::{self, Fields, Filled, Wrong, raw};
pub(super) use super::named::{Named, at};
pub(super) use super::object::{
    Object, RawCondition, RawContainer, RawMeta, RawOwner, RawPodSpec, RawSelector, RawTaint,
    RawToleration, selector,
};
pub(super) use super::summary::{RULE, Summary};
pub(super) use super::times::{SECOND_US, Stamp, Times, micros, seconds, time};
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::probe::RestartPolicy;
pub(super) use crate::api::taint::Taint;
pub(super) use crate::api::workload::WorkloadKind;
pub(super) use crate::language::{
    DeviceTaintRule, DurationText, HowLong, Namespace, NodeGroup, NodeStart, PodGroup, PodStart,
    PodTemplate, PriorityClass, QuantityText, Workload, counted,
};
pub(super) use serde::{Deserialize, Deserializer};
pub(super) use serde_json::Value;
pub(super) use std::collections::{BTreeMap, BTreeSet};
