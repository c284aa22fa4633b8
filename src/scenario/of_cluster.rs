//! A scenario that is an export and nothing else: the cluster goes on as it stands.

use super::loaded::Loaded;
use crate::files::Places;
use crate::import::ImportedCluster;
use crate::language::{Entry, Exported, Scenario, Source};
use std::collections::BTreeMap;
use std::path::PathBuf;

impl Loaded {
    /// The scenario of an exported cluster, with these entries in its timeline; `horizon` is how
    /// long it goes on. Its release is that of the newest kubelet, where that is known.
    pub(crate) fn of_cluster(
        name: &str,
        cluster: ImportedCluster,
        horizon: &str,
        timeline: Vec<Entry>,
    ) -> Self {
        let mut loaded = Loaded {
            spec: Scenario {
                version: 1,
                horizon: horizon.into(),
                kubernetes: cluster.release(),
                timeline,
                ..Scenario::default()
            },
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
        self.exported = Some(Exported {
            flags: cluster.control_plane.flags,
            feature_gates: cluster.control_plane.feature_gates,
            own_pods: self.spec.pods.len(),
        });
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
}
