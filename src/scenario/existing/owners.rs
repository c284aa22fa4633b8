//! Which workload a pod belongs to.

use crate::api::workload::WorkloadKind;
use crate::language::names;
use crate::language::{PodGroup, Scenario, Workload};
use std::collections::BTreeMap;

/// A workload's namespace, kind and name, in this order.
pub(super) type Full = (String, &'static str, String);

/// The full names of a group of workloads.
pub(super) fn full_names(workload: &Workload) -> Vec<Full> {
    let group = workload.group();
    let namespace = group.namespace.as_deref().unwrap_or("default");
    let texts = group
        .name
        .as_ref()
        .map_or(group.names.as_ref().map_or(&[][..], |n| n.texts()), std::slice::from_ref);
    // Texts that are no names are complained about elsewhere.
    let names = texts.iter().flat_map(|text| names::expand(text, 100_000).unwrap_or_default());
    names.map(|name| (namespace.to_owned(), workload.kind().as_str(), name)).collect()
}

/// Finds the workload that a pod belongs to in the eyes of people: its owner, or the Deployment of
/// the ReplicaSet that owns it.
pub(super) struct Owners(BTreeMap<Full, usize>);

impl Owners {
    /// The number of the workload of that name, of the Deployment where it is a ReplicaSet of one.
    pub(super) fn named(&self, full: &Full) -> Option<usize> {
        self.0.get(full).copied()
    }

    pub(super) fn new(spec: &Scenario) -> Self {
        let mut all = BTreeMap::new();
        let each = || spec.workloads.iter().enumerate();
        each().for_each(|(i, w)| all.extend(full_names(w).into_iter().map(|full| (full, i))));
        for (_, set) in each().filter(|(_, w)| w.kind() == WorkloadKind::ReplicaSet) {
            let Some(deployment) = &set.group().deployment else {
                continue;
            };
            for full in full_names(set) {
                if let Some(&i) = all.get(&(full.0.clone(), "Deployment", deployment.clone())) {
                    all.insert(full, i);
                }
            }
        }
        Self(all)
    }

    /// The number of the workload that a pod belongs to.
    pub(super) fn of(&self, pod: &PodGroup) -> Option<usize> {
        let owner = pod.owner.as_ref()?;
        let kind = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"]
            .into_iter()
            .find(|k| *k == owner.kind)?;
        let namespace = pod.namespace.as_deref().unwrap_or("default").to_owned();
        let own = self.0.get(&(namespace.clone(), kind, owner.name.clone()));
        own.copied().or_else(|| {
            // A ReplicaSet that is not in the files: its name is the Deployment's and the hash that
            // its pods carry.
            let hash = pod.labels.get("pod-template-hash").filter(|_| kind == "ReplicaSet")?;
            let deployment = owner.name.strip_suffix(hash.as_str())?.strip_suffix('-')?;
            self.0.get(&(namespace, "Deployment", deployment.to_owned())).copied()
        })
    }
}
