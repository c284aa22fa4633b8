//! What nearly all parts of this controller name, beside what every controller does.

pub(super) use super::nodes::{ByNode, Loop, Nodes};
pub(super) use super::pods::{Admission, Base, Due, Pods};
pub(super) use crate::api::usage::Used;
pub(super) use crate::client::connection::Link;
pub(super) use crate::controllers::prelude::*;
pub(super) use crate::plan::{Eviction, KubeletMode, Real, Signal};
