//! How large a cluster is when its run begins: what is there, and what workloads make at once
//! because they ask for more than that.

use super::objects::{NodeStart, PodPlan, PodStart, WorkloadIndex};
use super::run::Plan;
use super::timeline::Do;
use crate::api::pod::PodTemplate;
use crate::api::workload::{WorkloadKind, WorkloadSpec, namespace_of};
use std::collections::{BTreeMap, BTreeSet};

/// How many pods a workload asks for at once.
fn wanted(spec: &WorkloadSpec) -> u64 {
    let most = match spec {
        WorkloadSpec::Job(job) => job.completions.unwrap_or(i32::MAX),
        _ => i32::MAX,
    };
    u64::try_from(spec.replicas().min(most)).unwrap_or_default()
}

/// What a run begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Size {
    /// Nodes that are there.
    pub nodes: u64,
    /// Pods that are there.
    pub pods: u64,
    /// Pods that workloads ask for beyond those that are there.
    pub(crate) to_make: u64,
    /// DaemonSets without a pod: how many they make depends on which nodes suit.
    pub(crate) daemon_sets: u64,
}

impl Plan {
    /// What the run begins with.
    #[must_use]
    pub(crate) fn size(&self) -> Size {
        let nodes = self.nodes.iter().filter(|n| n.start != NodeStart::Absent);
        let pods = self.pods.iter().filter(|p| p.start != PodStart::Absent);
        let mut size =
            Size { nodes: nodes.count() as u64, pods: pods.count() as u64, ..Size::default() };
        for (index, had) in self.make_up() {
            let workload = &self.workloads[index as usize];
            match workload.kind {
                WorkloadKind::DaemonSet => size.daemon_sets += u64::from(had == 0),
                _ => size.to_make += wanted(&workload.spec).saturating_sub(had),
            }
        }
        size
    }

    /// The workloads that are there from the start and may make pods at once, with how many each has
    /// already. None of an export, which has the pods that there are.
    pub(crate) fn make_up(&self) -> Vec<(WorkloadIndex, u64)> {
        let is_imported = |p: &PodPlan| matches!(p.start, PodStart::Imported { .. });
        if self.pods.iter().any(is_imported) {
            return Vec::new();
        }
        let created = |act: &Do| match act {
            Do::CreateWorkload(index) => Some(*index),
            _ => None,
        };
        let later: BTreeSet<WorkloadIndex> =
            self.actions.iter().filter_map(|a| created(&a.act)).collect();
        let there = self.there();
        (0..)
            .zip(&self.workloads)
            .filter(|(index, w)| w.owner.is_none() && !later.contains(index))
            .filter(|(_, w)| self.is_controlled(w.kind))
            .map(|(index, w)| {
                let selector = w.selector.as_selector().ok();
                let is_own = |template: u32| {
                    let template: Option<&PodTemplate> = self.templates.get(template as usize);
                    template.zip(selector.as_ref()).is_some_and(|(t, selector)| {
                        t.owner.is_some() && selector.matches(&t.labels)
                    })
                };
                let own =
                    there.range((namespace_of(&w.name), 0)..=(namespace_of(&w.name), u32::MAX));
                let had = own.filter(|((_, t), _)| is_own(*t)).map(|(_, n)| n).sum();
                (index, had)
            })
            .collect()
    }

    /// Whether the controllers that make pods of workloads of a kind run.
    pub(crate) fn is_controlled(&self, kind: WorkloadKind) -> bool {
        let run = &self.controllers;
        match kind {
            WorkloadKind::Deployment => run.deployment && run.replica_set,
            WorkloadKind::ReplicaSet => run.replica_set,
            WorkloadKind::StatefulSet => run.stateful_set,
            WorkloadKind::DaemonSet => run.daemon_set,
            WorkloadKind::Job => run.job,
        }
    }

    /// How many pods of a template are there from the start, by namespace.
    fn there(&self) -> BTreeMap<(&str, u32), u64> {
        let mut all = BTreeMap::new();
        for pod in self.pods.iter().filter(|p| p.start != PodStart::Absent) {
            let namespace = pod.name.split('/').next().unwrap_or_default();
            *all.entry((namespace, pod.template)).or_default() += 1;
        }
        all
    }
}
