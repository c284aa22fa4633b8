//! What nearly every file of this layer names.

pub(super) use super::cluster::full_name;
pub(super) use super::heard::Heard;
pub(super) use super::statement::{Place, Said, are, form};
pub(super) use crate::import::{SECOND_US, Stamp};
pub(super) use crate::language::counted;
pub(super) use serde_json::Value;
pub(super) use std::collections::{BTreeMap, BTreeSet};
