//! What most parts of the resolution name, beside what every part of this layer does. The parts that
//! stand here take the prelude of the layer themselves.

pub(super) use super::checks;
pub(super) use super::group_names::{GroupNames, MENTIONS_MAX, NODES_MAX, Names, PODS_MAX};
pub(super) use super::select::{Nodes, Nothing, Numbered, Pods, PodsOf, Workloads};
pub(super) use super::spans::how_long;
pub(super) use crate::scenario::expectations::Expectations;
pub(super) use crate::scenario::loaded::Loaded;
pub(super) use crate::scenario::prelude::*;
