//! The steps of entries that change objects, as a person or a tool would.

use super::found::said;
use super::limits::PODS_MAX;
use super::pod_templates::tolerations;
use super::primitive::{Of, Primitive, each, once};
use super::{budgets, checks, maintain};
use crate::api::kubectl_taint::TaintEdit;
use crate::api::workload::WorkloadKind;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::{DrainFlags, FlagValue, NodeSelector, OneOrMany, PodSelector, Toleration};
use crate::plan::{Do, Instance};
use std::collections::BTreeMap;

impl Of<'_> {
    /// Taints are added to nodes.
    pub(super) fn taint(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        taint: &OneOrMany,
        overwrite: bool,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let edit = taint_edit(taint.texts(), &self.at("taint"), complaints);
        let n = self.nodes(node, nodes, complaints)?;
        once(Do::Taint(n, TaintEdit { overwrite, ..edit? }))
    }

    /// Taints are removed from nodes.
    pub(super) fn untaint(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        taint: &OneOrMany,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let edit = untaint_edit(taint, &self.at("taint"), complaints);
        let n = self.nodes(node, nodes, complaints)?;
        once(Do::Taint(n, edit?))
    }

    /// Labels of nodes are set or removed.
    pub(super) fn label(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        labels: &BTreeMap<String, Option<String>>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        for (key, value) in labels {
            let value = value.as_deref().unwrap_or_default();
            if let Err(problem) = checks::label(key, value) {
                complaints.add(with(&self.at("labels"), key), problem);
            }
        }
        if labels.is_empty() {
            complaints.say(self.at("labels"), "no label is given here");
        }
        let n = self.nodes(node, nodes, complaints)?;
        once(Do::Label(n, labels.iter().map(|(k, v)| (k.clone(), v.clone())).collect()))
    }

    /// The instances of nodes change their state.
    pub(super) fn instance(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        state: Instance,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        once(Do::Instance(self.nodes(node, nodes, complaints)?, state))
    }

    /// Nodes are drained.
    pub(super) fn drain(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        flags: &DrainFlags,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints);
        let options = maintain::drain_options(flags, &self.place(), complaints);
        once(Do::Drain(n?, options))
    }

    /// Pods are deleted.
    pub(super) fn delete_pod(
        &self,
        pod: &Option<String>,
        pods: &Option<PodSelector>,
        grace: Option<i64>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        if grace.is_some_and(|g| g < 0) {
            complaints.say(self.at("gracePeriodSeconds"), "must be greater than or equal to 0");
        }
        let pods = self.world.target_pods(self.i, pod.as_deref(), pods.as_ref(), complaints)?;
        each(&pods, |p| Do::DeletePod(p, grace))
    }

    /// A pod is bound to a node.
    pub(super) fn bind_pod(
        &self,
        pod: &str,
        node: &str,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let pod = said(self.world.pods.named(pod), self.at("pod"), complaints);
        let node = said(self.world.nodes.named(node), self.at("node"), complaints);
        once(Do::BindPod(pod?, node?))
    }

    /// Tolerations of pods are changed.
    pub(super) fn patch_tolerations(
        &self,
        pod: &Option<String>,
        pods: &Option<PodSelector>,
        written: &[Toleration],
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let read = tolerations(
            written,
            &self.at("tolerations"),
            self.world.profile.taint_eviction.comparison_operators,
            complaints,
        );
        let pods = self.world.target_pods(self.i, pod.as_deref(), pods.as_ref(), complaints)?;
        each(&pods, |p| Do::PatchTolerations(p, read.clone()))
    }

    /// A workload asks for another number of pods.
    pub(super) fn scale(
        &self,
        workload: &str,
        replicas: i32,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let index = self.world.target_workload(self.i, workload, complaints)?;
        let kind = self.world.workloads.plans[index as usize].kind;
        if replicas < 0 {
            complaints.say(self.at("replicas"), "must be greater than or equal to 0");
        } else if replicas as u64 > PODS_MAX {
            complaints.say(self.at("replicas"), format!("a cluster has at most {PODS_MAX} pods"));
        }
        if matches!(kind, WorkloadKind::DaemonSet | WorkloadKind::Job) {
            complaints.say(self.at("workload"), format!("a {} cannot be scaled", kind.as_str()));
        }
        once(Do::Scale(index, replicas))
    }

    /// A disruption budget asks for something else.
    pub(super) fn patch_budget(
        &self,
        budget: &str,
        min_available: Option<&FlagValue>,
        max_unavailable: Option<&FlagValue>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let rule = budgets::rule(min_available, max_unavailable, &self.place(), complaints);
        once(Do::PatchBudget(self.world.target_budget(self.i, budget, complaints)?, rule?))
    }

    /// Nodes are maintained one after another.
    pub(super) fn maintain(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        written: &maintain::Written<'_>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints);
        let how = written.read(n.as_ref().map_or(0, Vec::len), &self.place(), complaints);
        once(Do::Maintain(n?, Box::new(how?)))
    }
}

fn taint_edit(texts: &[String], place: &Place, complaints: &mut Complaints) -> Option<TaintEdit> {
    complaints.take(place.clone(), checks::taint_edit(texts))
}

fn untaint_edit(
    texts: &OneOrMany,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<TaintEdit> {
    let removing: Vec<String> = texts
        .texts()
        .iter()
        .map(|t| if t.ends_with('-') { t.clone() } else { format!("{t}-") })
        .collect();
    taint_edit(&removing, place, complaints)
}
