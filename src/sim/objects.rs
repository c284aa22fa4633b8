//! How nodes, pods, workloads and budgets of the plan come into being.

use super::cluster::Cluster;
use crate::api::budget::BudgetStatus;
use crate::api::meta::{ConditionStatus, OwnerReference, Timestamp};
use crate::api::names::{NodeId, PodId};
use crate::api::pod::{PodCondition, PodPhase, PodReason, PodTemplate};
use crate::api::workload::{WorkloadKind, namespace_of};
use crate::apiserver::{ApiError, NewBudget, NewNode, NewPod, NewWorkload};
use crate::controllers::kubelet::{NodeSettings, healthy_conditions};
use crate::kernel::{Dur, Time};
use crate::plan::{
    BudgetIndex, NodeIndex, NodePlan, NodeStart, PodIndex, PodPlan, PodStart, WorkloadIndex,
};
use crate::trace::Actor;
use std::rc::Rc;

/// `metadata.generation` of an object whose spec nobody has changed.
const FIRST_GENERATION: i64 = 1;

impl Cluster {
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
        self.create_node(index, plan, Actor::Kubelet, true);
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

    /// Creates a node, with its lease, and its kubelet. `registering`: the kubelet does it as it
    /// starts, and admission runs.
    pub(super) fn create_node(
        &self,
        index: NodeIndex,
        plan: &NodePlan,
        actor: Actor,
        registering: bool,
    ) {
        let id = self.node_id(index);
        let (conditions, renewed_us, cut) = match &plan.start {
            NodeStart::Ready | NodeStart::Absent => {
                let now_us = i64::try_from(self.ctx.now().as_nanos() / 1_000).unwrap_or(i64::MAX);
                (
                    healthy_conditions(self.api.timestamp()),
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
        self.kubelets.join(id, settings_of(plan), cut, registering);
        if let (NodeStart::Imported { conditions, .. }, Some(_)) = (&plan.start, &self.plan.memory)
        {
            self.kubelets.begin_with(id, conditions);
        }
        if let Some(us) = renewed_us.filter(|_| !registering || !self.kubelets.make_leases()) {
            // Creating a lease can't fail.
            let _ = self.api.renew_lease(id, self.lease_of(index, plan, us));
        }
        self.kubelets.fall_asleep(id);
    }

    /// When a node that is there from the start renewed its lease, in microseconds from the start;
    /// where controllers remember, its kubelet goes on from there.
    fn lease_of(&self, index: NodeIndex, plan: &NodePlan, us: i64) -> i64 {
        let id = self.node_id(index);
        let memory = self.plan.memory.as_ref();
        let remembered = match plan.start {
            NodeStart::Ready => memory.and_then(|m| m.leases_us.get(&index).copied()),
            NodeStart::Imported { cut: false, .. } => memory.map(|_| us),
            NodeStart::Imported { .. } | NodeStart::Silent | NodeStart::Absent => None,
        };
        match remembered {
            Some(us) => {
                self.go_on_from(id, us);
                us
            }
            // A kubelet of a cluster that has been running for long renewed its lease one period
            // before it does so next.
            None if plan.start == NodeStart::Ready && self.plan.warm_start => {
                let age_us = self.kubelets.lease_age(id).as_nanos() / 1_000;
                us.saturating_sub_unsigned(age_us)
            }
            None => us,
        }
    }

    /// A kubelet goes on from the renewal of its lease before the start.
    fn go_on_from(&self, id: NodeId, renewed_us: i64) {
        let age = Dur::from_micros(renewed_us.min(0).unsigned_abs());
        self.kubelets.renewed_before(id, age);
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
            status: self.counted_before(index),
        };
        self.api.create_budget(Actor::User, new).map(|_| ())
    }

    /// The status of a budget that is there from the start, where it is known what it was counted to;
    /// otherwise it has not been counted yet.
    fn counted_before(&self, index: BudgetIndex) -> BudgetStatus {
        let memory = self.plan.memory.as_ref();
        let counted = memory.and_then(|m| m.budgets.get(&index));
        let Some(c) = counted.filter(|_| self.ctx.now() == Time::ZERO) else {
            return BudgetStatus::default();
        };
        let granted = |(pod, at): (&PodIndex, &i64)| (self.pod_ids[*pod as usize], Timestamp(*at));
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
    pub(super) fn create_pod(&self, plan: &PodPlan, id: PodId) -> Result<(), ApiError> {
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
}

fn settings_of(plan: &NodePlan) -> NodeSettings {
    NodeSettings {
        lease_offset: plan.lease_offset,
        lease_period: plan.lease_period,
        status_offset: plan.status_offset,
    }
}
