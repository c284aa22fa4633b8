//! What nearly every file of this layer names: what many runs are made of, and the layers below.
pub(super) use super::shards::Desk;
pub(super) use super::threads::{Event, Stopped, Watch, Watched, seeded, seeds_from};
pub(super) use crate::analysis::clock::short;
pub(super) use crate::analysis::{Analysis, Interval};
pub(super) use crate::api::workload::WorkloadKind;
pub(super) use crate::kernel::{Choices, Dur, Time};
pub(super) use crate::language::{Problem, Problems, counted, grouped};
pub(super) use crate::plan::Plan;
pub(super) use crate::scenario::{self, Drawn, Loaded, Overrides};
pub(super) use crate::sim::{self, GoesOn};
pub(super) use crate::trace::Trace;
pub(super) use rayon::ThreadPool;
pub(super) use rayon::prelude::*;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::ops::Range;
