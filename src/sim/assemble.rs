//! The assembly of a cluster: API server, kubelets and objects, and the timeline of what is to
//! come.

use super::awake::Awake;
use super::bounds::{most_steps, signs_that_keep_up};
use super::cluster::Cluster;
use super::off::Off;
use super::office::Office;
use super::shared_plan::{Common, admission};
use super::timeline::Timeline;
use crate::apiserver::ApiServer;
use crate::client::WatchLags;
use crate::controllers::cloud::Provider;
use crate::controllers::kubelet::Kubelets;
use crate::kernel::{Ctx, Shared, Time};
use crate::plan::{BudgetIndex, Do, NodeIndex, NodePlan, NodeStart, Plan, PodStart, WorkloadIndex};
use crate::trace::{Actor, Trace};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Cluster {
    /// Makes everything that exists at time zero, and schedules what is to come.
    ///
    /// `trace` is an empty one.
    pub(super) fn new(
        plan: &Plan,
        common: &Common,
        ctx: &Ctx,
        eager: bool,
        mut trace: Trace,
    ) -> Rc<Self> {
        let computed = signs_that_keep_up(plan).filter(|_| !eager && !plan.lease_records);
        let names = &mut trace.names;
        names.reserve_pods(
            plan.pods.len(),
            plan.pods.iter().map(|p| p.name.len()).sum(),
        );
        let node_ids = plan.nodes.iter().map(|n| names.node(&n.name)).collect();
        let pod_ids = plan.pods.iter().map(|p| names.pod(&p.name)).collect();
        let api = ApiServer::new(ctx, admission(plan), trace);
        ctx.limit_instant(most_steps(plan));
        let cluster = Rc::new(Cluster {
            ctx: ctx.clone(),
            kubelets: Kubelets::new(
                &api,
                plan.timing.kubelet,
                (
                    plan.profile.kubelet,
                    plan.profile.watch_retry,
                    plan.timing.request.min + plan.timing.response.min,
                ),
                computed,
                plan.lease_records,
            ),
            lags: Rc::new(WatchLags::default()),
            provider: Rc::new(Provider::default()),
            templates: common.templates.clone(),
            owned_templates: common.owned_templates.clone(),
            process: Shared::new(None),
            down_until: Cell::new(plan.controllers_start),
            crashes: Cell::new(0),
            awake: Awake::default(),
            office: Office::default(),
            hangs_until: Rc::new(Cell::new(Time::ZERO)),
            off: Shared::new(Off::default()),
            timeline: Cell::new(None),
            plan: common.plan.clone(),
            late_nodes: late_nodes(plan),
            late_pods: late(&plan.pods, |p| p.start == PodStart::Absent),
            node_ids,
            pod_ids,
            api,
        });
        cluster.create_what_is_there(plan);
        Timeline::schedule(&cluster);
        cluster
    }

    /// Creates the objects that exist at time zero.
    fn create_what_is_there(&self, plan: &Plan) {
        for (index, node) in (0..).zip(&plan.nodes) {
            if node.start != NodeStart::Absent {
                self.create_node(index, node, Actor::User, false);
            }
        }
        let later: BTreeSet<WorkloadIndex> = plan
            .actions
            .iter()
            .filter_map(|a| {
                if let Do::CreateWorkload(w) = a.act {
                    Some(w)
                } else {
                    None
                }
            })
            .collect();
        for index in 0..plan.workloads.len() as WorkloadIndex {
            if !later.contains(&index) {
                // Names are unique in a plan, and nothing exists yet that could refuse them.
                let _ = self.create_workload(index);
            }
        }
        let later: BTreeSet<BudgetIndex> = plan
            .actions
            .iter()
            .filter_map(|a| {
                if let Do::CreateBudget(b) = a.act {
                    Some(b)
                } else {
                    None
                }
            })
            .collect();
        for index in (0..plan.budgets.len() as BudgetIndex).filter(|i| !later.contains(i)) {
            // Names are unique in a plan, and nothing exists yet that could refuse them.
            let _ = self.create_budget(index);
        }
        for (pod, id) in plan
            .pods
            .iter()
            .zip(&self.pod_ids)
            .filter(|(p, _)| p.start != PodStart::Absent)
        {
            // Nothing refuses those that are there from the start: their names differ, and they
            // have been admitted.
            let _ = self.create_pod(pod, *id);
        }
    }
}

/// The nodes that join in the course of the run, those included that are there from the start and
/// may be deleted before: each joins healthy.
fn late_nodes(plan: &Plan) -> BTreeMap<NodeIndex, NodePlan> {
    let joins = plan.actions.iter().filter_map(|a| {
        if let Do::AddNode(node) = a.act {
            Some(node)
        } else {
            None
        }
    });
    joins
        .map(|node| {
            (
                node,
                NodePlan {
                    start: NodeStart::Absent,
                    ..plan.nodes[node as usize].clone()
                },
            )
        })
        .collect()
}

/// The items that come later, by index.
fn late<T: Clone>(items: &[T], is: impl Fn(&T) -> bool) -> BTreeMap<u32, T> {
    items
        .iter()
        .enumerate()
        .filter(|(_, item)| is(item))
        .map(|(i, item)| (i as u32, item.clone()))
        .collect()
}
