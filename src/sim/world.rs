//! What every part of a running cluster works on.
//!
//! What the timeline of a run does next.

use super::attacher::Attacher;
use crate::client::{ClientTiming, WatchLags};
use crate::controllers::cloud::Provider;
use crate::kernel::{Argument, Class, HandlerId};
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

/// What comes next.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    /// The action of this number; `waited`: it has let others go before it.
    Action { index: u32, waited: bool },
    /// The controllers start.
    Start,
    /// They start, and with that ends the entry of the restart of this number.
    Restarted(u32),
    /// The deadline of a leader in the outage of this number.
    RenewDeadline(u32),
}

impl Argument for Turn {
    fn pack(self) -> u64 {
        let (kind, index) = match self {
            Self::Action { index, waited } => (u64::from(waited), index),
            Self::Start => (2, 0),
            Self::Restarted(index) => (3, index),
            Self::RenewDeadline(outage) => (4, outage),
        };
        kind << 32 | u64::from(index)
    }

    fn unpack(bits: u64) -> Self {
        let index = bits as u32;
        match bits >> 32 {
            2 => Self::Start,
            3 => Self::Restarted(index),
            4 => Self::RenewDeadline(index),
            waited => Self::Action { index, waited: waited == 1 },
        }
    }
}

/// The timeline's turns that are to come, for whoever adds one.
pub(super) struct Turns {
    ctx: Ctx,
    /// Whoever takes them, once there is a timeline.
    timeline: Cell<Option<HandlerId<Turn>>>,
}

impl Turns {
    /// None yet, and nobody to take them.
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self { ctx: ctx.clone(), timeline: Cell::new(None) }
    }

    /// From now on they are handed to that timeline.
    pub(super) fn go_to(&self, timeline: HandlerId<Turn>) {
        self.timeline.set(Some(timeline));
    }

    /// Has the timeline take a turn.
    pub(super) fn post(&self, at: Time, turn: Turn) {
        if let Some(timeline) = self.timeline.get() {
            self.ctx.post_at(at, Class::Outside, timeline, turn);
        }
    }
}
