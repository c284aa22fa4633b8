//! What nearly every file of this layer names.

pub(super) use super::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use super::words::{rows, words};
pub(super) use crate::kernel::{Dur, Spread};
pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use std::collections::BTreeMap;
pub(super) use std::fmt;
pub(super) use std::rc::Rc;
