//! What nearly every file of this layer names.

pub(super) use super::error::{ImportError, Place};
pub(super) use super::fields::{self, Filled, Wrong, raw};
pub(super) use super::times::{SECOND_US, Stamp, Times, micros, seconds, time};
pub(super) use serde::Deserialize;
pub(super) use serde_json::Value;
pub(super) use std::collections::{BTreeMap, BTreeSet};
