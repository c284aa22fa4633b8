//! How nodes, pods, workloads and budgets of the plan come into being.

use super::shared_plan::{Common, OwnedTemplates};
use super::world::World;
use crate::api::budget::{Budget, BudgetStatus};
use crate::api::container::Role;
use crate::api::meta::{ConditionStatus, OwnerReference, Timestamp, Uid};
use crate::api::node::Node;
use crate::api::pod::{Pod, PodCondition, PodPhase, PodReason, PodTemplate};
use crate::api::workload::{Lasting, WorkloadKind, namespace_of};
use crate::apiserver::ApiResult;
use crate::controllers::kubelet::{NodeSettings, healthy_conditions};
use crate::plan::{
    Action, BudgetIndex, NodePlan, NodeStart, PodIndex, PodPlan, PodStart, WorkloadIndex,
};
use crate::sim::prelude::*;
use crate::trace::NO_RECORD;
use std::collections::BTreeSet;

/// `metadata.generation` of an object whose spec nobody has changed.
const FIRST_GENERATION: i64 = 1;

/// The objects of the plan, and those that are still to come.
pub(super) struct Objects {
    world: Rc<World>,
    late_nodes: BTreeMap<NodeIndex, NodePlan>,
    late_pods: BTreeMap<PodIndex, PodPlan>,
    templates: Vec<Rc<PodTemplate>>,
    owned_templates: Rc<OwnedTemplates>,
    /// Nodes list their images.
    lists_images: bool,
    /// The pod with an owner that was created last: its template, itself, and its owner.
    owned_before: Cell<Option<(u32, PodId, WorkloadId)>>,
}

impl Objects {
    /// None exists yet.
    pub(super) fn new(world: &Rc<World>, plan: &Plan, common: &Common) -> Self {
        Self {
            world: world.clone(),
            late_nodes: late_nodes(plan),
            late_pods: late_pods(plan),
            templates: common.templates.clone(),
            owned_templates: common.owned_templates.clone(),
            lists_images: plan.lists_images(),
            owned_before: Cell::new(None),
        }
    }

    /// Creates the objects that exist at time zero.
    pub(super) fn create_what_is_there(&self, plan: &Plan) {
        for (index, node) in (0..).zip(&plan.nodes) {
            if node.start != NodeStart::Absent {
                self.create_node(index, node, Actor::User, false);
            }
        }
        for rule in &plan.readiness.rules {
            let _ = self.world.api.create_readiness_rule(rule, true);
        }
        for (index, node) in (0..).zip(&plan.nodes) {
            for rule in node.bootstrap_completed.iter() {
                self.world.api.bootstrapped_before(self.world.node_id(index), rule);
            }
        }
        let (mut workloads, mut budgets) = (BTreeSet::new(), BTreeSet::new());
        for action in &plan.actions {
            match action.act {
                Do::CreateWorkload(later) => workloads.insert(later),
                Do::CreateBudget(later) => budgets.insert(later),
                _ => false,
            };
        }
        // Names are unique in a plan, and nothing exists yet that could refuse them.
        for index in (0..plan.workloads.len() as WorkloadIndex).filter(|i| !workloads.contains(i)) {
            let _ = self.create_workload(index);
        }
        for index in (0..plan.budgets.len() as BudgetIndex).filter(|i| !budgets.contains(i)) {
            let _ = self.create_budget(index);
        }
        let pods = (0..).zip(&plan.pods);
        for (index, pod) in pods.filter(|(_, p)| p.start != PodStart::Absent) {
            // Nothing refuses those that are there from the start: their names differ, and they
            // have been admitted.
            let _ = self.create_pod(pod, index);
        }
        for rule in &plan.device_taint_rules {
            let _ = self.world.api.create_rule(rule);
        }
        for (pod, node) in plan.memory.iter().flat_map(|m| &m.attached) {
            let node = self.world.node_id(*node);
            if let Some(pod) = self.world.api.pod(self.world.pod_id(*pod)) {
                self.world.api.provision(&pod, Some(node));
                self.attached_before(&pod, node);
            }
        }
    }

    /// The volumes of a pod are attached to a node before the run.
    fn attached_before(&self, pod: &Pod, node: NodeId) {
        for volume in self.world.api.volumes_of(pod).iter().filter(|v| v.attach) {
            self.world.api.attached_before(volume.id, node);
        }
    }

    /// A node of the plan joins, for the first time or again: its kubelet registers it. False if it
    /// is there.
    pub(super) fn join(&self, index: NodeIndex) -> bool {
        let id = self.world.node_id(index);
        let Some(plan) = self.late_nodes.get(&index).filter(|_| self.world.api.node(id).is_none())
        else {
            return false;
        };
        self.create_node(index, plan, Actor::Kubelet, true);
        true
    }

    /// A user creates a pod of the plan.
    ///
    /// # Errors
    /// A pod of that name exists, or a whitelist lacks one of its tolerations.
    pub(super) fn create_late_pod(&self, index: PodIndex) -> ApiResult {
        let plan = self.late_pods.get(&index);
        plan.map_or(Ok(()), |plan| self.create_pod(plan, index))
    }

    /// Creates a node, with its lease, and its kubelet. `registering`: the kubelet does it as it
    /// starts, and admission runs.
    fn create_node(&self, index: NodeIndex, plan: &NodePlan, actor: Actor, registering: bool) {
        let id = self.world.node_id(index);
        let now = self.world.api.timestamp();
        let (conditions, renewed_us, cut, created) = match &plan.start {
            NodeStart::Ready | NodeStart::Absent => {
                let now_us =
                    i64::try_from(self.world.ctx.now().as_nanos() / 1_000).unwrap_or(i64::MAX);
                (healthy_conditions(now), Some(now_us), false, None)
            }
            NodeStart::Silent => (Vec::new(), None, false, None),
            NodeStart::Imported { conditions, lease_renewed_us, created, cut } => {
                (conditions.clone(), *lease_renewed_us, *cut, *created)
            }
        };
        let new = Node {
            id,
            uid: Uid::default(),
            resource_version: 0,
            record: NO_RECORD,
            creation_timestamp: created.unwrap_or(now),
            labels: plan.labels.clone(),
            taints: plan.taints.clone(),
            unschedulable: plan.unschedulable,
            conditions,
            allocatable: plan.allocatable.clone(),
            images: self.lists_images.then(|| Rc::new(plan.images.iter().cloned().collect())),
            volumes: None,
            readiness: plan.readiness.clone(),
        };
        // Names are unique in a plan, and a node that is there does not join.
        let _ = self.world.api.create_node(actor, new, registering);
        self.world.api.publish_devices(id, &plan.devices);
        if plan.start == NodeStart::Silent {
            return;
        }
        let has = (plan.usage.clone(), &*plan.images);
        let settings = NodeSettings {
            lease_offset: plan.lease_offset,
            lease_period: plan.lease_period,
            status_offset: plan.status_offset,
        };
        let settings = (settings, plan.kubelet.clone());
        self.world.kubelets.join(id, settings, has, cut, registering);
        if let (NodeStart::Imported { conditions, .. }, Some(_)) =
            (&plan.start, &self.world.plan.memory)
        {
            self.world.kubelets.begin_with(id, conditions);
        }
        if let Some(us) = renewed_us.filter(|_| !registering || !self.world.kubelets.make_leases())
        {
            // Creating a lease can't fail.
            let _ = self.world.api.renew_lease(id, self.lease_of(index, plan, us));
        }
        self.world.kubelets.fall_asleep(id);
    }

    /// When a node that is there from the start renewed its lease, in microseconds from the start;
    /// where controllers remember, its kubelet goes on from there.
    fn lease_of(&self, index: NodeIndex, plan: &NodePlan, us: i64) -> i64 {
        let id = self.world.node_id(index);
        let memory = self.world.plan.memory.as_ref();
        let remembered = match plan.start {
            NodeStart::Ready => memory.and_then(|m| m.leases_us.get(&index).copied()),
            NodeStart::Imported { cut: false, .. } => memory.map(|_| us),
            NodeStart::Imported { .. } | NodeStart::Silent | NodeStart::Absent => None,
        };
        match remembered {
            Some(us) => {
                self.world.kubelets.renewed_before(id, Dur::from_micros(us.min(0).unsigned_abs()));
                us
            }
            // A kubelet of a cluster that has been running for long renewed its lease one period
            // before it does so next.
            None if plan.start == NodeStart::Ready && self.world.plan.warm_start => {
                us.saturating_sub_unsigned(self.world.kubelets.lease_age(id).as_nanos() / 1_000)
            }
            None => us,
        }
    }

    /// A user creates a workload of the plan; those that own others come before these.
    pub(super) fn create_workload(&self, index: WorkloadIndex) -> ApiResult {
        let plan = &self.world.plan.workloads[index as usize];
        let owner = plan.owner.and_then(|o| {
            self.world.api.workload(self.world.workload_id(o)?).map(|w| (w.id, w.uid))
        });
        let new = Lasting {
            id: self.world.api.names(|n| n.workload(&plan.name)),
            kind: plan.kind,
            uid: Uid::default(),
            creation_timestamp: Timestamp::default(),
            deletion: None,
            owner,
            selector: plan.selector.clone(),
            template: self.templates[plan.template as usize].clone(),
            pinned: plan.node.map(|n| self.world.node_id(n)),
            min_ready_seconds: plan.min_ready_seconds,
            spec: plan.spec.clone(),
        };
        self.world.api.create_workload(Actor::User, new).map(|_| ())
    }

    /// A user creates a disruption budget of the plan.
    pub(super) fn create_budget(&self, index: BudgetIndex) -> ApiResult {
        let plan = &self.world.plan.budgets[index as usize];
        let id = self.world.budget_id(index);
        let new = Budget {
            id,
            uid: Uid::default(),
            resource_version: 0,
            generation: FIRST_GENERATION,
            namespace: self.world.api.names(|n| namespace_of(n.workload_name(id)).into()),
            selector: Rc::new(plan.selector.clone()),
            rule: plan.rule,
            always_allow_unhealthy: plan.always_allow_unhealthy,
            status: self.counted_before(index),
        };
        self.world.api.create_budget(Actor::User, new).map(|_| ())
    }

    /// The status of a budget that is there from the start, where it is known what it was counted to;
    /// otherwise it has not been counted yet.
    fn counted_before(&self, index: BudgetIndex) -> BudgetStatus {
        let counted = self.world.plan.memory.as_ref().and_then(|m| m.budgets.get(&index));
        let Some(c) = counted.filter(|_| self.world.ctx.now() == Time::ZERO) else {
            return BudgetStatus::default();
        };
        let granted = |(pod, at): (&PodIndex, &i64)| (self.world.pod_id(*pod), Timestamp(*at));
        BudgetStatus {
            observed_generation: FIRST_GENERATION,
            disruptions_allowed: c.allowed,
            current_healthy: c.healthy,
            desired_healthy: c.desired,
            expected_pods: c.expected,
            disrupted_pods: c.disrupted.iter().map(granted).collect(),
            sync_failed: false,
        }
    }

    /// The template of a pod of the plan; one whose owner is a workload of the run names that, and
    /// is shared by all its pods.
    fn template_of(&self, plan: &PodPlan, id: PodId) -> Rc<PodTemplate> {
        let template = &self.templates[plan.template as usize];
        let Some(owner) = &template.owner else { return template.clone() };
        let workload = self.world.api.names(|n| {
            let namespace = namespace_of(n.pod_name(id));
            // The pods of a workload come one after the other.
            let same = self.owned_before.get().filter(|(template, before, _)| {
                *template == plan.template && namespace_of(n.pod_name(*before)) == namespace
            });
            let found = match same {
                Some((_, _, workload)) => workload,
                None => n.find_workload(&[&*owner.kind, namespace, &*owner.name].join("/"))?,
            };
            self.owned_before.set(Some((plan.template, id, found)));
            n.set_owner(id, found);
            Some(found)
        });
        let Some(workload) = workload.and_then(|w| self.world.api.workload(w)) else {
            return template.clone();
        };
        self.owned_templates.with(|shared| {
            let owned = || {
                let object = Some((workload.id, workload.uid));
                let owner = Some(OwnerReference { object, ..owner.clone() });
                Rc::new(PodTemplate { owner, ..(**template).clone() })
            };
            shared.entry((plan.template, workload.id, workload.uid)).or_insert_with(owned).clone()
        })
    }

    /// Creates a pod of the plan.
    fn create_pod(&self, plan: &PodPlan, index: PodIndex) -> ApiResult {
        let (id, node) = (self.world.pod_id(index), plan.node.map(|n| self.world.node_id(n)));
        let mut new = Pod::pending(id, self.template_of(plan, id), node);
        let admitted = plan.start != PodStart::Absent;
        let memory = self.world.plan.memory.as_ref().filter(|_| admitted);
        let age = memory.and_then(|m| m.ages.get(&index));
        if let Some(age) = age {
            (new.creation_timestamp, new.start_time) = (age.created, Some(age.started));
        }
        match plan.start {
            PodStart::Pending | PodStart::Starting(_) | PodStart::Absent => {}
            PodStart::Running => {
                new.phase = PodPhase::Running;
                let at = age.and_then(|a| a.ready).unwrap_or_else(|| self.world.api.timestamp());
                new.ready = Some(PodCondition::new(ConditionStatus::True, PodReason::None, at));
            }
            PodStart::Imported { phase, ready, disruption_target, deletion } => {
                new.phase = phase;
                new.ready = ready;
                new.disruption_target = disruption_target;
                new.deletion = deletion;
            }
        }
        let is_job =
            |o: &OwnerReference| o.object.is_some() && o.kind == WorkloadKind::Job.as_str();
        let of_job = new.template.owner.as_ref().is_some_and(is_job);
        // One that has ended was counted, and lost the finalizer then.
        new.job_finalizer = of_job
            && !new.phase.is_terminal()
            && self.world.plan.profile.workload.job.tracking_finalizers;
        new.stuck = plan.stuck;
        new.restarts.add(Role::Beside, plan.restarts);
        let begun = if let PodStart::Starting(begun) = plan.start { Some(begun) } else { None };
        self.world.kubelets.begun_before(begun);
        let created = self.world.api.create_pod(Actor::User, new, admitted);
        self.world.kubelets.begun_before(None);
        let pod = created?;
        if pod.node.is_some() && !pod.template.devices.is_empty() {
            // One that is on a node has its claims, and its devices.
            let _ = self.world.api.apply_claims(Actor::User, (pod.id, pod.uid));
            self.world.api.allocated_before(&pod, plan.devices.as_deref());
        }
        // What runs or is starting from the start has its volumes.
        let has = pod.phase == PodPhase::Running || begun.is_some();
        if let Some(node) = pod.node.filter(|_| has) {
            self.attached_before(&pod, node);
        }
        Ok(())
    }
}

/// The nodes that join in the course of the run, those included that are there from the start and
/// may be deleted before: each joins healthy.
fn late_nodes(plan: &Plan) -> BTreeMap<NodeIndex, NodePlan> {
    let joins = |action: &Action| {
        let Do::AddNode(node) = action.act else { return None };
        Some((node, NodePlan { start: NodeStart::Absent, ..plan.nodes[node as usize].clone() }))
    };
    plan.actions.iter().filter_map(joins).collect()
}

/// The pods that are created in the course of the run.
fn late_pods(plan: &Plan) -> BTreeMap<PodIndex, PodPlan> {
    let late = (0..).zip(&plan.pods).filter(|(_, pod)| pod.start == PodStart::Absent);
    late.map(|(index, pod)| (index, pod.clone())).collect()
}
