//! What most parts of this controller name, beside what every controller does. The parts that stand here take the
//! prelude of all controllers themselves.

pub(super) use super::containers::Containers;
pub(super) use super::lives::Lives;
pub(super) use super::loops::Loops;
pub(super) use super::node_state::Loop;
pub(super) use super::nodes::{ByNode, Nodes};
pub(super) use super::pods::{Admission, Pods};
pub(super) use super::reach::Reach;
pub(super) use super::stats::Stats;
pub(super) use super::status_manager::StatusManager;
pub(super) use super::updates::PodUpdates;
pub(super) use super::volume_manager::VolumeManager;
pub(super) use crate::api::usage::Used;
pub(super) use crate::client::connection::Link;
pub(super) use crate::controllers::prelude::*;
pub(super) use crate::plan::{Eviction, KubeletMode, Real, Signal};
