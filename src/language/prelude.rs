//! What nearly every file with types of the language names.

pub(super) use super::texts::*;
pub(super) use super::values::is_default;
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use std::collections::BTreeMap;
