//! What nearly every file of this layer names: what many runs are made of, and the layers below.
pub(super) use super::dice::Dice;
pub(super) use super::shards::Desk;
pub(super) use super::threads::{Event, Result, Stopped, Watch, Watched, seeded, seeds_from};
pub(super) use crate::analysis::clock::short;
pub(super) use crate::analysis::evictions::evictions;
pub(super) use crate::analysis::moment::{Moment, moment};
pub(super) use crate::analysis::properties::Property;
pub(super) use crate::analysis::state::{Follow, NodeState, PodState};
pub(super) use crate::analysis::statistics::nearest_rank;
pub(super) use crate::analysis::{
    Analysis, Costs, Eviction, Figure, Frees, Interval, Kept, Metrics, Owners, Serving, words,
};
pub(super) use crate::api::device::DeviceSelector;
pub(super) use crate::api::meta::ConditionStatus;
pub(super) use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
pub(super) use crate::api::pod::{PodPhase, PodSource, PodTemplate};
pub(super) use crate::api::taint::{Effect, Taint};
pub(super) use crate::api::workload::{WorkloadKind, WorkloadSpec, has_clients, namespace_of};
pub(super) use crate::kernel::choice::{Deviation, Span, hash_name};
pub(super) use crate::kernel::search::fold;
pub(super) use crate::kernel::{Choices, Dur, Time};
pub(super) use crate::language::{
    DeviceTaintRule, Problem, Problems, Scenario, Tree, counted, did_you_mean_or_list, duration,
    few, grouped, listed,
};
pub(super) use crate::plan::{NewRule, NodeIndex, NodePlan, NodeStart, Plan, PodPlan, Size};
pub(super) use crate::scenario::{
    self, Away, Drawn, Loaded, Model, Object, Outage, Overrides, Tilt, WorkloadsAt,
};
pub(super) use crate::sim::{self, GoesOn, Searched, Searcher};
pub(super) use crate::trace::{Actor, EvictionCause, Note, Record, RecordId, Trace, What};
pub(super) use rayon::ThreadPool;
pub(super) use rayon::prelude::*;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use std::cell::{Cell, RefCell};
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::ops::Range;
pub(super) use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
