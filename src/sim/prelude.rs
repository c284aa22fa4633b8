//! What nearly every file of this layer names, all of it from layers below.

pub(super) use crate::api::names::{NodeId, PodId, WorkloadId};
pub(super) use crate::apiserver::ApiServer;
pub(super) use crate::controllers::kubelet::Kubelets;
pub(super) use crate::kernel::{Ctx, Dur, Group, Keys, Name, Object, Shared, Time};
pub(super) use crate::plan::{Do, NodeIndex, Plan};
pub(super) use crate::trace::{Actor, Note, What};
pub(super) use std::cell::Cell;
pub(super) use std::collections::BTreeMap;
pub(super) use std::rc::Rc;
