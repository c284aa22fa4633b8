//! What most parts of this controller name, beside what every controller does. The parts that stand here take the
//! prelude of all controllers themselves.

pub(super) use super::cache::Cache;
pub(super) use super::events::{Change, ClusterEvent, Nodes, PodAndShape};
pub(super) use super::framework::{MAX_NODE_SCORE, Rejection, Rejections, Verdict, both};
pub(super) use super::node_info::{NodeInfo, Placed};
pub(super) use super::nominator::Nominator;
pub(super) use super::queued_pod::QueuedPod;
pub(super) use super::shape::{Shape, Spread};
pub(super) use super::topology::KeyId;
pub(super) use crate::api::device::{Allocation, DeviceClaim, SharedClaim};
pub(super) use crate::controllers::prelude::*;
pub(super) use crate::plan::switches::scheduler::{InternalErrors, Retries, Switches, WakeRule};
pub(super) use crate::trace::Plugin;
