//! The steps of entries that change objects, as a person or a tool would.

use super::group_names::PODS_MAX;
use super::pod_templates::tolerations;
use super::primitive::{Primitive, Reader, each, once};
use super::{budgets, checks, maintain};
use crate::api::kubectl_taint::TaintEdit;
use crate::api::workload::WorkloadKind;
use crate::language::text::place::with;
use crate::language::{DrainFlags, FlagValue, Toleration};
use crate::plan::Do;
use std::collections::BTreeMap;

impl Reader<'_> {
    /// Taints of nodes are added or removed.
    pub(super) fn taint(&mut self, texts: &[String], overwrite: bool) -> Option<Vec<Primitive>> {
        let edit = self.complaints.take(self.at("taint"), checks::taint_edit(texts));
        let n = self.nodes()?;
        once(Do::Taint(n, TaintEdit { overwrite, ..edit? }))
    }

    /// Labels of nodes are set or removed.
    pub(super) fn label(
        &mut self,
        labels: &BTreeMap<String, Option<String>>,
    ) -> Option<Vec<Primitive>> {
        for (key, value) in labels {
            let value = value.as_deref().unwrap_or_default();
            if let Err(problem) = checks::label(key, value) {
                self.complaints.add(with(&self.at("labels"), key), problem);
            }
        }
        if labels.is_empty() {
            self.say("labels", "no label is given here");
        }
        let n = self.nodes()?;
        once(Do::Label(n, labels.iter().map(|(k, v)| (k.clone(), v.clone())).collect()))
    }

    /// Nodes are drained.
    pub(super) fn drain(&mut self, flags: &DrainFlags) -> Option<Vec<Primitive>> {
        let n = self.nodes();
        let options = maintain::drain_options(flags, &self.place(), self.complaints);
        once(Do::Drain(n?, options))
    }

    /// Pods are deleted.
    pub(super) fn delete_pod(&mut self, grace: Option<i64>) -> Option<Vec<Primitive>> {
        if grace.is_some_and(|g| g < 0) {
            self.say("gracePeriodSeconds", "must be greater than or equal to 0");
        }
        let pods = self.pods()?;
        Some(each(&pods, |p| Do::DeletePod(p, grace)))
    }

    /// A pod is bound to a node.
    pub(super) fn bind_pod(&mut self, pod: &str, node: &str) -> Option<Vec<Primitive>> {
        let pod = self.found("pod", self.world.pods.named(pod));
        let node = self.found("node", self.world.nodes.named(node));
        once(Do::BindPod(pod?, node?))
    }

    /// Tolerations of pods are changed.
    pub(super) fn patch_tolerations(&mut self, written: &[Toleration]) -> Option<Vec<Primitive>> {
        let read = tolerations(
            written,
            &self.at("tolerations"),
            self.world.profile.taint_eviction.comparison_operators,
            self.complaints,
        );
        let pods = self.pods()?;
        Some(each(&pods, |p| Do::PatchTolerations(p, read.clone())))
    }

    /// A workload asks for another number of pods.
    pub(super) fn scale(&mut self, workload: &str, replicas: i32) -> Option<Vec<Primitive>> {
        let index = self.workload(workload)?;
        let kind = self.world.workloads.plans[index as usize].kind;
        if replicas < 0 {
            self.say("replicas", "must be greater than or equal to 0");
        } else if replicas as u64 > PODS_MAX {
            self.say("replicas", format!("a cluster has at most {PODS_MAX} pods"));
        }
        if matches!(kind, WorkloadKind::DaemonSet | WorkloadKind::Job) {
            self.say("workload", format!("a {} cannot be scaled", kind.as_str()));
        }
        once(Do::Scale(index, replicas))
    }

    /// A disruption budget asks for something else.
    pub(super) fn patch_budget(
        &mut self,
        budget: &str,
        min_available: Option<&FlagValue>,
        max_unavailable: Option<&FlagValue>,
    ) -> Option<Vec<Primitive>> {
        let rule = budgets::rule(min_available, max_unavailable, &self.place(), self.complaints);
        once(Do::PatchBudget(self.budget(budget)?, rule?))
    }

    /// Nodes are maintained one after another.
    pub(super) fn maintain(&mut self, written: &maintain::Written<'_>) -> Option<Vec<Primitive>> {
        let n = self.nodes();
        let how = written.read(n.as_ref().map_or(0, Vec::len), &self.place(), self.complaints);
        once(Do::Maintain(n?, Box::new(how?)))
    }
}

/// Taints as `kubectl taint` takes them to remove them.
pub(super) fn removing(taints: &[String]) -> Vec<String> {
    let one = |t: &String| if t.ends_with('-') { t.clone() } else { format!("{t}-") };
    taints.iter().map(one).collect()
}
