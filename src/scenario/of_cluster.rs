//! A scenario that is an export and nothing else: the cluster goes on as it stands.

use super::loaded::Loaded;
use crate::files::Places;
use crate::import::ImportedCluster;
use crate::language::{Entry, Exported, Scenario, Source};
use std::collections::BTreeMap;
use std::path::PathBuf;

impl Loaded {
    /// The scenario of an exported cluster, with these entries in its timeline; `horizon` is how
    /// long it goes on.
    pub(crate) fn of_cluster(
        name: &str,
        cluster: ImportedCluster,
        horizon: &str,
        timeline: Vec<Entry>,
    ) -> Self {
        let mut loaded = Loaded {
            spec: Scenario { version: 1, horizon: horizon.into(), timeline, ..Scenario::default() },
            source: Source::new(name, String::new()),
            name: name.to_owned(),
            folder: PathBuf::new(),
            cluster: None,
            places: Places::default(),
            imported: None,
            exported: None,
            histories: BTreeMap::new(),
            inputs: Vec::new(),
        };
        loaded.take_in(cluster);
        loaded
    }

    /// Takes an exported cluster in, behind what the scenario writes itself.
    pub(super) fn take_in(&mut self, cluster: ImportedCluster) {
        self.take_settings(&cluster);
        let spec = &mut self.spec;
        // What a scenario writes of its controllers itself, counts.
        spec.memory.get_or_insert(cluster.memory);
        spec.nodes.extend(cluster.nodes);
        spec.pods.extend(cluster.pods);
        spec.workloads.extend(cluster.workloads);
        spec.priority_classes.extend(cluster.priority_classes);
        spec.pod_disruption_budgets.extend(cluster.budgets);
        spec.namespaces.extend(cluster.namespaces);
        self.imported = Some(cluster.summary);
    }

    /// Takes in of an exported cluster how its control plane is set: its release, which is that of
    /// the newest kubelet unless the scenario says another, and flags.
    pub(crate) fn take_settings(&mut self, cluster: &ImportedCluster) {
        let release = cluster.release().filter(|_| self.spec.kubernetes.is_none());
        self.exported = Some(Exported {
            release: release.clone(),
            flags: cluster.control_plane.flags.clone(),
            feature_gates: cluster.control_plane.feature_gates.clone(),
            own_pods: self.spec.pods.len(),
        });
        self.spec.kubernetes = release.or(self.spec.kubernetes.take());
    }
}
