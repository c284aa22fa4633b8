//! What users do with kubectl, and what it answers them.

use super::cluster::Cluster;
use crate::api::kubectl_taint::TaintEdit;
use crate::api::names::{NodeId, PodId};
use crate::api::toleration::Toleration;
use crate::api::validation::validate_toleration_update;
use crate::api::workload::{Propagation, WorkloadKind, WorkloadSpec, short_name};
use crate::apiserver::ApiError;
use crate::plan::{BudgetIndex, UserMode, WorkloadIndex};
use crate::trace::{Actor, What};

impl Cluster {
    pub(super) fn taint(&self, entry: u32, id: NodeId, edit: &TaintEdit) {
        let Some(node) = self.api.node(id) else {
            return;
        };
        let taints = match self.plan.timing.user {
            UserMode::Raw => edit.apply_raw(&node.taints),
            UserMode::Kubectl => {
                let name = self.api.names(|n| n.node_name(id).to_owned());
                match edit.apply(&node.taints, &name) {
                    Ok((taints, _)) => taints,
                    Err(text) => return self.refuse(entry, &text),
                }
            }
        };
        let _ = self.api.patch_node_taints(Actor::User, id, None, taints);
    }

    /// Replaces a pod's tolerations. For people the API server's rule holds that those that are
    /// there stay, except for their seconds: what is given changes the seconds of those it equals,
    /// and the rest is added.
    pub(super) fn patch_tolerations(&self, entry: u32, id: PodId, tolerations: &[Toleration]) {
        let mut wanted = tolerations.to_vec();
        if self.plan.timing.user == UserMode::Kubectl
            && let Some(pod) = self.api.pod(id)
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
            let operators = self.plan.profile.taint_eviction.comparison_operators;
            if let Some(error) =
                validate_toleration_update(&wanted, old, "spec.tolerations", operators).first()
            {
                let name = self.short_name(id);
                return self.refuse(entry, &format!("The Pod \"{name}\" is invalid: {error}"));
            }
        }
        let result = self.api.set_tolerations(Actor::User, id, wanted);
        self.answer_about_pod(entry, id, result.map(|_| ()));
    }

    pub(super) fn scale(&self, entry: u32, index: WorkloadIndex, wanted: i32) {
        let write = |id| {
            self.api
                .mutate_workload(Actor::User, id, |w| match &mut w.spec {
                    WorkloadSpec::Deployment { replicas }
                    | WorkloadSpec::ReplicaSet { replicas }
                    | WorkloadSpec::StatefulSet { replicas, .. } => {
                        *replicas = wanted;
                    }
                    WorkloadSpec::DaemonSet | WorkloadSpec::Job(_) => {}
                })
        };
        let result = self
            .workload_id(index)
            .ok_or(ApiError::NotFound)
            .and_then(write);
        self.answer_about_workload(entry, index, result.map(|_| ()));
    }

    pub(super) fn delete_workload(&self, entry: u32, index: WorkloadIndex, how: Propagation) {
        let result = self
            .workload_id(index)
            .ok_or(ApiError::NotFound)
            .and_then(|id| self.api.delete_workload(Actor::User, id, how, None));
        self.answer_about_workload(entry, index, result);
    }

    /// What kubectl prints of a write to a workload that the API server refused.
    pub(super) fn answer_about_workload(
        &self,
        entry: u32,
        index: WorkloadIndex,
        result: Result<(), ApiError>,
    ) {
        let Err(error) = result else { return };
        if self.plan.timing.user != UserMode::Kubectl {
            return;
        }
        let plan = &self.plan.workloads[index as usize];
        let resource = match plan.kind {
            WorkloadKind::Deployment => "deployments.apps",
            WorkloadKind::ReplicaSet => "replicasets.apps",
            WorkloadKind::StatefulSet => "statefulsets.apps",
            WorkloadKind::DaemonSet => "daemonsets.apps",
            WorkloadKind::Job => "jobs.batch",
        };
        let name = short_name(&plan.name);
        match error {
            ApiError::AlreadyExists => self.refuse(
                entry,
                &format!("Error from server (AlreadyExists): {resource} \"{name}\" already exists"),
            ),
            _ => self.refuse(
                entry,
                &format!("Error from server (NotFound): {resource} \"{name}\" not found"),
            ),
        }
    }

    /// What kubectl prints of a write to a disruption budget that the API server refused.
    pub(super) fn answer_about_budget(
        &self,
        entry: u32,
        index: BudgetIndex,
        result: Result<(), ApiError>,
    ) {
        let Err(error) = result else { return };
        if self.plan.timing.user != UserMode::Kubectl {
            return;
        }
        let name = short_name(&self.plan.budgets[index as usize].name);
        let (reason, what) = if error == ApiError::AlreadyExists {
            ("AlreadyExists", "already exists")
        } else {
            ("NotFound", "not found")
        };
        self.refuse(
            entry,
            &format!("Error from server ({reason}): poddisruptionbudgets.policy \"{name}\" {what}"),
        );
    }

    /// A pod's name without its namespace.
    pub(super) fn short_name(&self, id: PodId) -> String {
        self.api.names(|n| short_name(n.pod_name(id)).to_owned())
    }

    /// What kubectl prints of a write to a pod that the API server refused.
    pub(super) fn answer_about_pod(&self, entry: u32, id: PodId, result: Result<(), ApiError>) {
        if self.plan.timing.user != UserMode::Kubectl {
            return;
        }
        let name = self.short_name(id);
        match result {
            Ok(()) => {}
            Err(ApiError::NotFound) => self.refuse(
                entry,
                &format!("Error from server (NotFound): pods \"{name}\" not found"),
            ),
            Err(ApiError::AlreadyExists) => {
                self.refuse(
                    entry,
                    &format!("Error from server (AlreadyExists): pods \"{name}\" already exists"),
                );
            }
            Err(error @ ApiError::NotWhitelisted) => {
                self.refuse(entry, &format!("Error from server: {error}"))
            }
            Err(_) => self.refuse(
                entry,
                &format!("Error from server (Conflict): pod \"{name}\" is bound or being deleted"),
            ),
        }
    }

    /// Records what kubectl refused; the run goes on.
    pub(super) fn refuse(&self, entry: u32, text: &str) {
        let text = self.api.names(|n| n.text(text));
        self.api.record(Actor::User, entry, What::Refused(text.0));
    }
}
