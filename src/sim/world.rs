//! What every part of a running cluster works on.

use super::attacher::Attacher;
use super::turn::Turns;
use crate::apiserver::ApiServer;
use crate::client::{ClientTiming, WatchLags};
use crate::controllers::cloud::Provider;
use crate::controllers::kubelet::Kubelets;
use crate::plan::{BudgetIndex, PodIndex, WorkloadIndex};
use crate::sim::prelude::*;

/// The API server, the kubelets, and what the plan calls its objects.
pub(super) struct World {
    pub(super) ctx: Ctx,
    /// The plan without the nodes and pods that are there from the start.
    pub(super) plan: Rc<Plan>,
    pub(super) api: Rc<ApiServer>,
    pub(super) kubelets: Rc<Kubelets>,
    pub(super) lags: Rc<WatchLags>,
    pub(super) provider: Rc<Provider>,
    pub(super) attacher: Option<Rc<Attacher>>,
    /// What is still to come of the timeline.
    pub(super) turns: Turns,
    pub(super) node_ids: Vec<NodeId>,
    pub(super) pod_ids: Vec<PodId>,
}

impl World {
    /// The id of a node of the plan.
    pub(super) fn node_id(&self, index: NodeIndex) -> NodeId {
        self.node_ids[index as usize]
    }

    /// The id of a pod of the plan.
    pub(super) fn pod_id(&self, index: PodIndex) -> PodId {
        self.pod_ids[index as usize]
    }

    /// The id of a disruption budget's name.
    pub(super) fn budget_id(&self, index: BudgetIndex) -> WorkloadId {
        self.api.names(|n| n.workload(&self.plan.budgets[index as usize].name))
    }

    /// The id of a workload of the plan, if it was created before.
    pub(super) fn workload_id(&self, index: WorkloadIndex) -> Option<WorkloadId> {
        self.api.names(|n| n.find_workload(&self.plan.workloads[index as usize].name))
    }

    /// Records what kubectl refused; the run goes on.
    pub(super) fn refuse(&self, entry: u32, text: &str) {
        let text = self.api.names(|n| n.text(text));
        self.api.record(Actor::User, entry, What::Refused(text.0));
    }

    /// How long requests take, and how often they are sent again.
    pub(super) fn client_timing(&self) -> ClientTiming {
        let timing = &self.plan.timing;
        ClientTiming {
            request: timing.request,
            response: timing.response,
            step: timing.step,
            retries: self.plan.profile.request_retries,
        }
    }
}
