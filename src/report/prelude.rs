//! What nearly every file of this layer names, all of it from layers below.

pub(super) use crate::analysis::clock::short;
pub(super) use crate::analysis::state::Health;
pub(super) use crate::analysis::{Analysis, Figure, Interval, Sample};
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{counted, grouped};
pub(super) use crate::plan::Plan;
pub(super) use crate::trace::{Record, RecordId, What};
pub(super) use serde_json::{Map, Value, json};
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::io::{self, Write};
pub(super) use std::path::Path;
