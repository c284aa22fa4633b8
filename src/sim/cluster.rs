//! A cluster made from a plan: API server, kubelets, objects, and the process of controllers.

use super::awake::Awake;
use super::faults::Timeline;
use super::maintenance::Off;
use super::process::Process;
use crate::api::meta::{ConditionStatus, OwnerReference, Uid};
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::api::pod::{PodCondition, PodPhase, PodReason, PodTemplate};
use crate::api::workload::{WorkloadKind, namespace_of};
use crate::apiserver::{Admission, ApiError, ApiServer, NewBudget, NewNode, NewPod, NewWorkload};
use crate::client::WatchLags;
use crate::controllers::cloud::Provider;
use crate::controllers::kubelet::{Kubelets, NodeSettings, STATUS_PERIOD};
use crate::kernel::{Ctx, Dur, HandlerId, Shared, Time};
use crate::plan::{
    BudgetIndex, Do, KubeletMode, NodeIndex, NodePlan, NodeStart, Plan, PodIndex, PodPlan,
    PodStart, WorkloadIndex, WorkloadPlan,
};
use crate::trace::{Actor, Trace};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A running cluster.
pub(super) struct Cluster {
    pub(super) ctx: Ctx,
    /// The plan without the nodes and pods that are there from the start.
    pub(super) plan: Rc<Plan>,
    late_nodes: BTreeMap<NodeIndex, NodePlan>,
    late_pods: BTreeMap<PodIndex, PodPlan>,
    pub(super) api: Rc<ApiServer>,
    pub(super) kubelets: Rc<Kubelets>,
    pub(super) lags: Rc<WatchLags>,
    pub(super) provider: Rc<Provider>,
    pub(super) node_ids: Vec<NodeId>,
    pub(super) pod_ids: Vec<PodId>,
    templates: Vec<Rc<PodTemplate>>,
    owned_templates: Rc<OwnedTemplates>,
    pub(super) process: Shared<Option<Rc<Process>>>,
    /// The controllers do not run before this.
    pub(super) down_until: Cell<Time>,
    /// How often the controllers' process has died where that is left to the choices.
    pub(super) crashes: Cell<u32>,
    pub(super) awake: Awake,
    /// The machines that faults and maintenances keep off.
    pub(super) off: Shared<Off>,
    /// Handler of the timeline.
    pub(super) timeline: Cell<Option<HandlerId>>,
}

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
        let lazy = !eager && heartbeats_keep_up(plan);
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
            kubelets: Kubelets::new(&api, plan.timing.kubelet, plan.profile.kubelet, lazy),
            lags: Rc::new(WatchLags::default()),
            provider: Rc::new(Provider::default()),
            templates: common.templates.clone(),
            owned_templates: common.owned_templates.clone(),
            process: Shared::new(None),
            down_until: Cell::new(plan.controllers_start),
            crashes: Cell::new(0),
            awake: Awake::default(),
            off: Shared::new(Off::default()),
            timeline: Cell::new(None),
            plan: common.plan.clone(),
            late_nodes: late_nodes(plan),
            late_pods: late(&plan.pods, |p| p.start == PodStart::Absent),
            node_ids,
            pod_ids,
            api,
        });
        for (node, id) in plan
            .nodes
            .iter()
            .zip(&cluster.node_ids)
            .filter(|(n, _)| n.start != NodeStart::Absent)
        {
            cluster.create_node(node, *id, Actor::User, false);
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
                let _ = cluster.create_workload(index);
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
            let _ = cluster.create_budget(index);
        }
        for (pod, id) in plan
            .pods
            .iter()
            .zip(&cluster.pod_ids)
            .filter(|(p, _)| p.start != PodStart::Absent)
        {
            // Nothing refuses those that are there from the start: their names differ, and they
            // have been admitted.
            let _ = cluster.create_pod(pod, *id);
        }
        Timeline::schedule(&cluster);
        cluster
    }

    /// The id of a node of the plan.
    pub(super) fn node_id(&self, index: NodeIndex) -> NodeId {
        self.node_ids[index as usize]
    }

    /// A node of the plan joins, for the first time or again: its kubelet registers it. False if it
    /// is there.
    pub(super) fn join(&self, index: NodeIndex) -> bool {
        let id = self.node_id(index);
        let Some(plan) = self
            .late_nodes
            .get(&index)
            .filter(|_| self.api.node(id).is_none())
        else {
            return false;
        };
        self.create_node(plan, id, Actor::Kubelet, true);
        true
    }

    /// A user creates a pod of the plan.
    ///
    /// # Errors
    /// A pod of that name exists, or a whitelist lacks one of its tolerations.
    pub(super) fn create_late_pod(&self, index: PodIndex) -> Result<(), ApiError> {
        self.late_pods.get(&index).map_or(Ok(()), |plan| {
            self.create_pod(plan, self.pod_ids[index as usize])
        })
    }

    /// Creates a node with its lease and starts its kubelet. `registering`: the kubelet does it,
    /// and admission runs.
    fn create_node(&self, plan: &NodePlan, id: NodeId, actor: Actor, registering: bool) {
        let (conditions, renewed_us, cut) = match &plan.start {
            NodeStart::Ready | NodeStart::Absent => {
                let now_us = i64::try_from(self.ctx.now().as_nanos() / 1_000).unwrap_or(i64::MAX);
                (
                    Kubelets::healthy_conditions(self.api.timestamp()),
                    Some(now_us),
                    false,
                )
            }
            NodeStart::Silent => (Vec::new(), None, false),
            NodeStart::Imported {
                conditions,
                lease_renewed_us,
                cut,
            } => (conditions.clone(), *lease_renewed_us, *cut),
        };
        let new = NewNode {
            id,
            creation_timestamp: None,
            labels: plan.labels.clone(),
            taints: plan.taints.clone(),
            unschedulable: plan.unschedulable,
            conditions,
            allocatable: plan.allocatable.clone(),
        };
        // Names are unique in a plan, and a node that is there does not join.
        let _ = self.api.create_node(actor, new, registering);
        if plan.start == NodeStart::Silent {
            return;
        }
        self.kubelets.join(id, settings_of(plan), cut);
        let age_us = match plan.start {
            // A kubelet of a cluster that has been running for long renewed its lease one period
            // before it does so next.
            NodeStart::Ready if self.plan.warm_start => {
                self.kubelets.lease_age(id).as_nanos() / 1_000
            }
            _ => 0,
        };
        if let Some(us) = renewed_us {
            // Creating a lease can't fail.
            let _ = self.api.renew_lease(id, us.saturating_sub_unsigned(age_us));
        }
        self.kubelets.fall_asleep(id);
    }

    /// A user creates a workload of the plan; those that own others come before these.
    pub(super) fn create_workload(&self, index: WorkloadIndex) -> Result<(), ApiError> {
        let plan = &self.plan.workloads[index as usize];
        let owner = plan.owner.and_then(|o| {
            self.api
                .workload(self.workload_id(o)?)
                .map(|w| (w.id, w.uid))
        });
        let new = NewWorkload {
            id: self.api.names(|n| n.workload(&plan.name)),
            kind: plan.kind,
            owner,
            selector: plan.selector.clone(),
            template: (*self.templates[plan.template as usize]).clone(),
            pinned: plan.node.map(|n| self.node_id(n)),
            min_ready_seconds: plan.min_ready_seconds,
            spec: plan.spec.clone(),
        };
        self.api.create_workload(Actor::User, new).map(|_| ())
    }

    /// A user creates a disruption budget of the plan.
    pub(super) fn create_budget(&self, index: BudgetIndex) -> Result<(), ApiError> {
        let plan = &self.plan.budgets[index as usize];
        let new = NewBudget {
            id: self.budget_id(index),
            selector: Rc::new(plan.selector.clone()),
            rule: plan.rule,
            always_allow_unhealthy: plan.always_allow_unhealthy,
        };
        self.api.create_budget(Actor::User, new).map(|_| ())
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

    /// The template of a pod of the plan; one whose owner is a workload of the run names that, and
    /// is shared by all its pods.
    fn template_of(&self, plan: &PodPlan, id: PodId) -> Rc<PodTemplate> {
        let template = &self.templates[plan.template as usize];
        let Some(owner) = &template.owner else {
            return template.clone();
        };
        let workload = self.api.names(|n| {
            let name = format!(
                "{}/{}/{}",
                owner.kind,
                namespace_of(n.pod_name(id)),
                owner.name
            );
            n.find_workload(&name).inspect(|w| n.set_owner(id, *w))
        });
        let Some(workload) = workload.and_then(|w| self.api.workload(w)) else {
            return template.clone();
        };
        self.owned_templates.with(|shared| {
            let owned = || {
                let mut own = (**template).clone();
                own.owner = Some(OwnerReference {
                    object: Some((workload.id, workload.uid)),
                    ..owner.clone()
                });
                Rc::new(own)
            };
            shared
                .entry((plan.template, workload.id, workload.uid))
                .or_insert_with(owned)
                .clone()
        })
    }

    /// Creates a pod of the plan.
    fn create_pod(&self, plan: &PodPlan, id: PodId) -> Result<(), ApiError> {
        let mut new = NewPod::pending(
            id,
            self.template_of(plan, id),
            plan.node.map(|n| self.node_id(n)),
        );
        match plan.start {
            PodStart::Pending | PodStart::Absent => {}
            PodStart::Running => {
                new.phase = PodPhase::Running;
                let at = self.api.timestamp();
                new.ready = Some(PodCondition {
                    status: ConditionStatus::True,
                    reason: PodReason::None,
                    last_transition_time: at,
                });
            }
            PodStart::Imported {
                phase,
                ready,
                disruption_target,
                deletion,
            } => {
                new.phase = phase;
                new.ready = ready;
                new.disruption_target = disruption_target;
                new.deletion = deletion;
            }
        }
        let of_job = new
            .template
            .owner
            .as_ref()
            .is_some_and(|o| o.object.is_some() && o.kind == WorkloadKind::Job.as_str());
        // One that has ended was counted, and lost the finalizer then.
        new.job_finalizer = of_job
            && !new.phase.is_terminal()
            && self.plan.profile.workload.job.tracking_finalizers;
        new.admitted = plan.start != PodStart::Absent;
        self.api.create_pod(Actor::User, new).map(|_| ())
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

/// What all runs of a plan have in common.
pub(super) struct Common {
    /// The plan without its nodes, pods and templates, which are the most of it.
    plan: Rc<Plan>,
    /// Its templates, as they are admitted.
    templates: Vec<Rc<PodTemplate>>,
    owned_templates: Rc<OwnedTemplates>,
}

/// Templates of pods of the plan whose owner is a workload of the run, by the number that they have
/// without that.
type OwnedTemplates = Shared<BTreeMap<(u32, WorkloadId, Uid), Rc<PodTemplate>>>;

impl Common {
    pub(super) fn of(plan: &Plan) -> Self {
        let admission = admission(plan);
        let admitted =
            |t: &PodTemplate| Rc::new(admission.template(t).unwrap_or_else(|| t.clone()));
        let templates = plan.templates.iter().map(admitted).collect();
        Self {
            plan: Rc::new(without_objects(plan)),
            templates,
            owned_templates: Rc::default(),
        }
    }
}

fn admission(plan: &Plan) -> Admission {
    let flags = &plan.flags;
    Admission {
        default_toleration_seconds: plan.admission.default_toleration_seconds.then_some((
            flags.default_not_ready_toleration_seconds,
            flags.default_unreachable_toleration_seconds,
        )),
        taint_nodes_by_condition: plan.admission.taint_nodes_by_condition,
        pod_toleration_restriction: plan.admission.pod_toleration_restriction,
        namespaces: plan.namespaces.clone(),
        extended_resource_toleration: plan.admission.extended_resource_toleration,
    }
}

fn without_objects(plan: &Plan) -> Plan {
    Plan {
        name: plan.name.clone(),
        doc: plan.doc.clone(),
        notes: Vec::new(),
        horizon: plan.horizon,
        profile: plan.profile.clone(),
        flags: plan.flags.clone(),
        timing: plan.timing.clone(),
        admission: plan.admission,
        controllers_start: plan.controllers_start,
        warm_start: plan.warm_start,
        nodes: Vec::new(),
        templates: Vec::new(),
        pods: Vec::new(),
        controllers: plan.controllers,
        scheduler: plan.scheduler,
        workloads: plan.workloads.clone(),
        budgets: plan.budgets.clone(),
        namespaces: plan.namespaces.clone(),
        timeline: plan.timeline.clone(),
        actions: plan.actions.clone(),
        perturb: plan.perturb,
        tape: None,
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

/// More steps than any instant of a run can have: each object may be looked at because of each
/// other one on its node or of its workload, several times.
fn most_steps(plan: &Plan) -> u64 {
    let replicas = |w: &WorkloadPlan| w.spec.replicas().max(0) as u64;
    let written = [
        plan.nodes.len(),
        plan.pods.len(),
        plan.workloads.len(),
        plan.actions.len(),
    ];
    let objects = written.map(|n| n as u64).iter().sum::<u64>()
        + plan.workloads.iter().map(replicas).sum::<u64>();
    20_000 + objects.saturating_mul(2_000)
}

/// Whether heartbeats of a node that nothing happens to come often enough that its grace never
/// ends, and not so often that more than two are on their way; only then do they make no
/// difference.
fn heartbeats_keep_up(plan: &Plan) -> bool {
    let longest = |of: fn(&NodePlan) -> Dur| plan.nodes.iter().map(of).max().unwrap_or(Dur::ZERO);
    let shortest = |of: fn(&NodePlan) -> Dur| plan.nodes.iter().map(of).min().unwrap_or(Dur::MAX);
    let has_leases = plan.profile.kubelet.leases;
    // 1.12 has kubelets with leases, and no controller that reads them.
    let leases_count = has_leases && plan.profile.node_lifecycle.leases;
    let (period, most_often) = match plan.timing.kubelet {
        KubeletMode::Imitated(i) => {
            let posts = i.status_report.saturating_add(longest(|n| n.status_offset));
            let lease = longest(|n| n.lease_period.max(n.lease_offset));
            (
                if leases_count { lease } else { posts },
                shortest(|n| n.lease_period).min(STATUS_PERIOD),
            )
        }
        KubeletMode::Real(r) => {
            let lease = Dur::from_nanos(r.node_lease_duration.as_nanos() / 4);
            let posts = if has_leases {
                r.node_status_report_frequency
            } else {
                r.node_status_update_frequency
            };
            (
                if leases_count { lease } else { posts },
                lease.min(r.node_status_update_frequency),
            )
        }
    };
    // Jitter adds up to 4 %, a watch its delay, and opening it two round trips; a second is left
    // for what else there is.
    let opening = plan
        .timing
        .request
        .max
        .saturating_add(plan.timing.response.max)
        .saturating_mul(2);
    let jittered = period.saturating_add(Dur::from_nanos(period.as_nanos() / 25));
    let longest = jittered
        .saturating_add(plan.timing.watch.max)
        .saturating_add(opening);
    // Of heartbeats that were computed the last two are told when a node wakes.
    plan.timing.watch.max <= most_often
        && plan.flags.node_monitor_grace_period > longest.saturating_add(Dur::from_secs(1))
}

fn settings_of(plan: &NodePlan) -> NodeSettings {
    NodeSettings {
        lease_offset: plan.lease_offset,
        lease_period: plan.lease_period,
        status_offset: plan.status_offset,
    }
}
