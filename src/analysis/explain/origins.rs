//! Where pods come from: an entry of the scenario of their own, or the workload that people take
//! them to belong to.

use super::super::setting::Analysis;
use super::super::workloads::Owners;
use crate::api::names::PodId;
use crate::plan::{PodPlan, WorkloadPlan};
use std::collections::BTreeMap;

/// Pods and workloads of a plan by name, and who owns whom.
pub(super) struct Origins<'a> {
    analysis: &'a Analysis<'a>,
    owners: Owners,
    pods: BTreeMap<&'a str, &'a PodPlan>,
    workloads: BTreeMap<&'a str, &'a WorkloadPlan>,
}

impl<'a> Origins<'a> {
    /// Those of a run, which takes a walk through its trace.
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        let plan = analysis.plan;
        Origins {
            analysis,
            owners: Owners::new(analysis),
            pods: plan.pods.iter().map(|p| (&*p.name, p)).rev().collect(),
            workloads: plan.workloads.iter().map(|w| (&*w.name, w)).collect(),
        }
    }

    /// The plan of a pod that the scenario names itself.
    pub(super) fn planned(&self, pod: PodId) -> Option<&'a PodPlan> {
        self.pods.get(self.analysis.pod_name(pod)).copied()
    }

    /// The `Kind/namespace/name` of the workload that people take a pod to belong to.
    pub(super) fn workload_name(&self, pod: PodId) -> Option<&'a str> {
        let workload = self.owners.of(self.analysis, pod)?;
        Some(self.analysis.trace.names.workload_name(workload))
    }

    /// The plan of that workload, where the scenario declares it.
    pub(super) fn workload(&self, pod: PodId) -> Option<&'a WorkloadPlan> {
        self.workloads.get(self.workload_name(pod)?).copied()
    }
}
