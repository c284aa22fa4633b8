//! A running cluster.

use super::awake::Awake;
use super::off::Off;
use super::office::Office;
use super::process::Process;
use super::shared_plan::OwnedTemplates;
use super::turn::Turn;
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::api::pod::PodTemplate;
use crate::apiserver::ApiServer;
use crate::client::WatchLags;
use crate::controllers::cloud::Provider;
use crate::controllers::kubelet::Kubelets;
use crate::kernel::{Ctx, HandlerId, Shared, Time};
use crate::plan::{BudgetIndex, NodeIndex, NodePlan, Plan, PodIndex, PodPlan, WorkloadIndex};
use crate::trace::Trace;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A running cluster.
pub(super) struct Cluster {
    pub(super) ctx: Ctx,
    /// The plan without the nodes and pods that are there from the start.
    pub(super) plan: Rc<Plan>,
    pub(super) late_nodes: BTreeMap<NodeIndex, NodePlan>,
    pub(super) late_pods: BTreeMap<PodIndex, PodPlan>,
    pub(super) api: Rc<ApiServer>,
    pub(super) kubelets: Rc<Kubelets>,
    pub(super) lags: Rc<WatchLags>,
    pub(super) provider: Rc<Provider>,
    pub(super) node_ids: Vec<NodeId>,
    pub(super) pod_ids: Vec<PodId>,
    pub(super) templates: Vec<Rc<PodTemplate>>,
    pub(super) owned_templates: Rc<OwnedTemplates>,
    pub(super) process: Shared<Option<Rc<Process>>>,
    /// The controllers do not run before this.
    pub(super) down_until: Cell<Time>,
    /// How often the controllers' process has died where that is left to the choices.
    pub(super) crashes: Cell<u32>,
    pub(super) awake: Awake,
    /// Until then requests of the controllers' process hang.
    pub(super) hangs_until: Rc<Cell<Time>>,
    /// What outages of the API server mean to the controllers' process.
    pub(super) office: Office,
    /// The machines that faults and maintenances keep off.
    pub(super) off: Shared<Off>,
    /// Handler of the timeline.
    pub(super) timeline: Cell<Option<HandlerId<Turn>>>,
}

impl Cluster {
    /// The id of a node of the plan.
    pub(super) fn node_id(&self, index: NodeIndex) -> NodeId {
        self.node_ids[index as usize]
    }

    /// The id of a disruption budget's name.
    pub(super) fn budget_id(&self, index: BudgetIndex) -> WorkloadId {
        self.api
            .names(|n| n.workload(&self.plan.budgets[index as usize].name))
    }

    /// The id of a workload of the plan, if it was created before.
    pub(super) fn workload_id(&self, index: WorkloadIndex) -> Option<WorkloadId> {
        self.api
            .names(|n| n.find_workload(&self.plan.workloads[index as usize].name))
    }

    /// How many records there are.
    pub(super) fn records(&self) -> u32 {
        self.api.records()
    }

    /// Ends the run and hands out its trace.
    pub(super) fn finish(&self, end: Time) -> Trace {
        self.stop_controllers();
        self.api.finish(end)
    }
}
