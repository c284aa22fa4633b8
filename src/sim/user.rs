//! What users do with kubectl, and what it answers them.

use super::objects::Objects;
use super::world::World;
use crate::api::budget::BudgetRule;
use crate::api::kubectl_taint::TaintEdit;
use crate::api::readiness::ReadinessSpec;
use crate::api::taint::Taint;
use crate::api::toleration::Toleration;
use crate::api::validation::validate_toleration_update;
use crate::api::workload::{Propagation, WorkloadSpec, short_name};
use crate::apiserver::{ApiError, ApiResult};
use crate::plan::{BudgetIndex, DeviceTaintEdit, NewRule, PodIndex, UserMode, WorkloadIndex};
use crate::sim::prelude::*;

/// What kubectl calls NodeReadinessRules.
const READINESS_RULES: &str = "nodereadinessrules.readiness.node.x-k8s.io";

/// Whoever writes with kubectl.
pub(super) struct User {
    world: Rc<World>,
    objects: Objects,
}

impl User {
    /// One who is to create these objects.
    pub(super) fn new(world: &Rc<World>, objects: Objects) -> Self {
        Self { world: world.clone(), objects }
    }

    /// A user creates a node of the plan; its kubelet registers it.
    pub(super) fn add_node(&self, entry: u32, node: NodeIndex) {
        if !self.objects.join(node) {
            let id = self.world.node_id(node);
            let name = self.world.api.names(|n| n.node_name(id).to_owned());
            self.world.refuse(entry, &format!("nodes \"{name}\" already exists"));
        }
    }

    /// The first of these nodes that is gone, where kubectl is to cordon or uncordon them: it reads all of
    /// them before it writes one (`Complete`), and does nothing to any then.
    pub(super) fn missing(&self, nodes: &[NodeIndex]) -> Option<NodeId> {
        let World { api, plan, .. } = &*self.world;
        let mut ids = nodes.iter().map(|n| self.world.node_id(*n));
        ids.find(|id| plan.timing.user == UserMode::Kubectl && api.node(*id).is_none())
    }

    pub(super) fn cordon(&self, node: NodeId, value: bool) {
        let _ = self.world.api.mutate_node(Actor::User, node, |n| n.unschedulable = value);
    }

    pub(super) fn label(&self, entry: u32, node: NodeId, labels: &[(String, Option<String>)]) {
        let result = self.world.api.mutate_node(Actor::User, node, |n| {
            let mut all = (*n.labels).clone();
            for (key, value) in labels {
                match value {
                    Some(v) => all.insert(key.clone(), v.clone()),
                    None => all.remove(key),
                };
            }
            n.labels = Rc::new(all);
        });
        self.answer_about_node(entry, node, result.map(|_| ()));
    }

    pub(super) fn taint(&self, entry: u32, id: NodeId, edit: &TaintEdit) {
        let Some(node) = self.world.api.node(id) else {
            return self.answer_about_node(entry, id, Err(ApiError::NotFound));
        };
        let taints = match self.world.plan.timing.user {
            UserMode::Raw => edit.apply_raw(&node.taints),
            UserMode::Kubectl => {
                let name = self.world.api.names(|n| n.node_name(id).to_owned());
                match edit.apply(&node.taints, &name) {
                    Ok(taints) => taints,
                    Err(text) => return self.world.refuse(entry, &text),
                }
            }
        };
        let _ = self.world.api.patch_node(Actor::User, id, None, (Some(taints), None));
    }

    pub(super) fn create_pod(&self, entry: u32, pod: PodIndex) {
        self.answer_about_pod(entry, self.world.pod_id(pod), self.objects.create_late_pod(pod));
    }

    pub(super) fn delete_pod(&self, entry: u32, pod: PodIndex, grace: Option<i64>) {
        let id = self.world.pod_id(pod);
        let result = self.world.api.delete_pod(Actor::User, id, grace, None);
        self.answer_about_pod(entry, id, result);
    }

    pub(super) fn bind_pod(&self, entry: u32, pod: PodIndex, node: NodeIndex) {
        let (id, node) = (self.world.pod_id(pod), self.world.node_id(node));
        let result = self.world.api.bind_pod(Actor::User, id, None, node);
        self.answer_about_pod(entry, id, result.map(|_| ()));
    }

    /// Replaces a pod's tolerations. For people the API server's rule holds that those that are
    /// there stay, except for their seconds: what is given changes the seconds of those it equals,
    /// and the rest is added.
    pub(super) fn patch_tolerations(&self, entry: u32, pod: PodIndex, tolerations: &[Toleration]) {
        let id = self.world.pod_id(pod);
        let mut wanted = tolerations.to_vec();
        if self.world.plan.timing.user == UserMode::Kubectl
            && let Some(pod) = self.world.api.pod(id)
        {
            let old = &pod.template.tolerations;
            wanted.clone_from(old);
            for t in tolerations {
                let same = |o: &&mut Toleration| {
                    (&o.key, o.operator, &o.value, o.effect)
                        == (&t.key, t.operator, &t.value, t.effect)
                };
                match wanted.iter_mut().find(same) {
                    Some(o) => o.toleration_seconds = t.toleration_seconds,
                    None => wanted.push(t.clone()),
                }
            }
            let operators = self.world.plan.profile.taint_eviction.comparison_operators;
            if let Some(error) =
                validate_toleration_update(&wanted, old, "spec.tolerations", operators).first()
            {
                let name = self.short_name(id);
                let refusal = format!("The Pod \"{name}\" is invalid: {error}");
                return self.world.refuse(entry, &refusal);
            }
        }
        let result = self.world.api.set_tolerations(Actor::User, id, wanted);
        self.answer_about_pod(entry, id, result.map(|_| ()));
    }

    pub(super) fn create_workload(&self, entry: u32, index: WorkloadIndex) {
        self.answer_about_workload(entry, index, self.objects.create_workload(index));
    }

    pub(super) fn scale(&self, entry: u32, index: WorkloadIndex, wanted: i32) {
        let write = |id| {
            self.world.api.mutate_workload(Actor::User, id, |w| match &mut w.spec {
                WorkloadSpec::Deployment { replicas, .. }
                | WorkloadSpec::ReplicaSet { replicas, .. }
                | WorkloadSpec::StatefulSet { replicas, .. } => *replicas = wanted,
                WorkloadSpec::DaemonSet | WorkloadSpec::Job(_) => {}
            })
        };
        let result = self.world.workload_id(index).ok_or(ApiError::NotFound).and_then(write);
        self.answer_about_workload(entry, index, result.map(|_| ()));
    }

    pub(super) fn delete_workload(&self, entry: u32, index: WorkloadIndex, how: Propagation) {
        let write = |id| self.world.api.delete_workload(Actor::User, id, how, None);
        let result = self.world.workload_id(index).ok_or(ApiError::NotFound).and_then(write);
        self.answer_about_workload(entry, index, result);
    }

    pub(super) fn create_budget(&self, entry: u32, budget: BudgetIndex) {
        self.answer_about_budget(entry, budget, self.objects.create_budget(budget));
    }

    pub(super) fn patch_budget(&self, entry: u32, budget: BudgetIndex, rule: BudgetRule) {
        let id = self.world.budget_id(budget);
        let result = self.world.api.set_budget_rule(Actor::User, id, rule);
        self.answer_about_budget(entry, budget, result.map(|_| ()));
    }

    pub(super) fn delete_budget(&self, entry: u32, budget: BudgetIndex) {
        let result = self.world.api.delete_budget(Actor::User, self.world.budget_id(budget));
        self.answer_about_budget(entry, budget, result);
    }

    pub(super) fn create_rule(&self, entry: u32, rule: &NewRule) {
        let result = self.world.api.create_rule(rule);
        self.answer(entry, "devicetaintrules.resource.k8s.io", &rule.name, result);
    }

    pub(super) fn update_rule(&self, entry: u32, rule: &NewRule) {
        let bumps = self.world.plan.profile.device_taint_eviction.bumps_time_added;
        let result = self.world.api.update_rule(rule, bumps);
        self.answer(entry, "devicetaintrules.resource.k8s.io", &rule.name, result);
    }

    pub(super) fn delete_rule(&self, entry: u32, name: &str) {
        let api = &self.world.api;
        let result = api.delete_rule(api.names(|n| n.text(name)));
        self.answer(entry, "devicetaintrules.resource.k8s.io", name, result);
    }

    pub(super) fn create_readiness_rule(&self, entry: u32, rule: &Rc<ReadinessSpec>) {
        let result = self.world.api.create_readiness_rule(rule, false);
        self.answer(entry, READINESS_RULES, &rule.name, result);
    }

    pub(super) fn delete_readiness_rule(&self, entry: u32, name: &str) {
        let api = &self.world.api;
        let result = api.delete_readiness_rule(api.names(|n| n.text(name)));
        self.answer(entry, READINESS_RULES, name, result);
    }

    /// The drivers of a node publish a taint of its devices, or publish it no longer. One that is there stays
    /// as it is.
    pub(super) fn taint_devices(&self, node: NodeId, edit: &DeviceTaintEdit) {
        let api = &self.world.api;
        let (pool, now) = (api.names(|n| n.node_name(node).to_owned()), api.timestamp());
        // A node that is gone has no devices.
        let _ = api.taint_devices(node, |device, taints| {
            let is_there =
                taints.iter().any(|t| t.matches(&edit.taint) && t.value == edit.taint.value);
            if !edit.selector.matches(device, &pool) || edit.adds && is_there {
                return;
            }
            taints.retain(|t| !t.matches(&edit.taint));
            if edit.adds {
                taints.push(Taint { time_added: Some(now), ..edit.taint.clone() });
            }
        });
    }

    /// What kubectl prints of a write to a node that is gone.
    pub(super) fn answer_about_node(&self, entry: u32, id: NodeId, result: ApiResult) {
        let name = self.world.api.names(|n| n.node_name(id).to_owned());
        self.answer(entry, "nodes", &name, result);
    }

    /// What kubectl prints of a write to a workload that the API server refused.
    fn answer_about_workload(&self, entry: u32, index: WorkloadIndex, result: ApiResult) {
        let plan = &self.world.plan.workloads[index as usize];
        self.answer(entry, plan.kind.resource(), short_name(&plan.name), result);
    }

    /// What kubectl prints of a write to a disruption budget that the API server refused.
    fn answer_about_budget(&self, entry: u32, index: BudgetIndex, result: ApiResult) {
        let name = short_name(&self.world.plan.budgets[index as usize].name);
        self.answer(entry, "poddisruptionbudgets.policy", name, result);
    }

    /// What kubectl prints of a write to a pod that the API server refused.
    fn answer_about_pod(&self, entry: u32, id: PodId, result: ApiResult) {
        let name = self.short_name(id);
        match result {
            Ok(()) | Err(ApiError::NotFound | ApiError::AlreadyExists) => {
                self.answer(entry, "pods", &name, result);
            }
            Err(error @ ApiError::NotWhitelisted) => {
                self.print(entry, &format!("Error from server: {error}"))
            }
            Err(_) => {
                let what = "is bound or being deleted";
                self.print(entry, &format!("Error from server (Conflict): pod \"{name}\" {what}"))
            }
        }
    }

    /// What kubectl prints of a write that the API server refused since the object is there already, or
    /// is not.
    fn answer(&self, entry: u32, resource: &str, name: &str, result: ApiResult) {
        let (reason, what) = match result {
            Ok(()) => return,
            Err(ApiError::AlreadyExists) => ("AlreadyExists", "already exists"),
            Err(_) => ("NotFound", "not found"),
        };
        self.print(entry, &format!("Error from server ({reason}): {resource} \"{name}\" {what}"));
    }

    /// What kubectl prints. Whoever writes by another way reads nothing.
    fn print(&self, entry: u32, text: &str) {
        if self.world.plan.timing.user == UserMode::Kubectl {
            self.world.refuse(entry, text);
        }
    }

    /// A pod's name without its namespace.
    fn short_name(&self, id: PodId) -> String {
        self.world.api.names(|n| short_name(n.pod_name(id)).to_owned())
    }
}
