//! What nearly every file with types of the language names.

pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use std::collections::BTreeMap;
