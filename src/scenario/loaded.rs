//! A scenario as it was read, before anything in it is looked up.

use crate::files::{Fingerprint, InputFile, Places};
use crate::import::{ImportedCluster, Summary};
use crate::language::text::tree::Step;
use crate::outages::History;
use crate::scenario::prelude::*;

/// A scenario as read, before anything in it is looked up.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// What the file says.
    pub spec: Scenario,
    /// Its text, for places of problems.
    pub source: Source,
    /// The scenario's name: the file's name without extension.
    pub name: String,
    /// The folder that paths in the scenario are relative to.
    pub(crate) folder: PathBuf,
    /// Where the file lies that the scenario points at, if not where it says: its copy in a folder
    /// of results.
    pub(crate) cluster: Option<PathBuf>,
    /// Where the files lie that were packed for another machine.
    pub(crate) places: Places,
    /// What was taken from the file that the scenario points at, and what was left out; its groups
    /// are in `spec`.
    pub(crate) imported: Option<Summary>,
    /// What the file that the scenario points at says beside its objects.
    pub(crate) exported: Option<Exported>,
    /// What was recorded in the files that fault models point at, by their names there.
    pub(crate) histories: BTreeMap<String, Arc<History>>,
    /// The files that the scenario points at.
    pub(crate) inputs: Vec<InputFile>,
}

impl Loaded {
    /// A scenario that points at no file.
    pub(super) fn new(name: &str, source: Source, spec: Scenario) -> Self {
        Self { spec, source, name: name.to_owned(), ..Self::default() }
    }

    /// The scenario of an exported cluster, which goes on as it stands, with these entries in its
    /// timeline; `horizon` is how long it goes on.
    pub(crate) fn of_cluster(
        name: &str,
        cluster: ImportedCluster,
        horizon: &str,
        timeline: Vec<Entry>,
    ) -> Self {
        let spec =
            Scenario { version: Some(1), horizon: horizon.into(), timeline, ..Scenario::default() };
        let mut loaded = Self::new(name, Source::new(name, String::new()), spec);
        loaded.take_in(cluster);
        loaded
    }

    /// What the scenario was read from.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.source.text.as_bytes(), &self.inputs)
    }

    /// The names of its groups of pods.
    pub fn groups(&self) -> Vec<String> {
        let groups = self.spec.pods.iter();
        groups.filter_map(|g| g.name.clone()).collect()
    }

    /// A problem with what stands at a place of the scenario, if its text has that.
    pub(super) fn located(&self, place: &[Step], problem: Problem) -> Problem {
        let tree = Tree::read(&self.source.text).ok();
        match tree.and_then(|tree| Some(tree.find(place)?.bytes())) {
            Some(bytes) => problem.at(&self.source, bytes),
            None => problem,
        }
    }

    /// A note of its plan, at what that names first, where the scenario itself has it.
    pub(crate) fn noted(&self, note: &str) -> Problem {
        match self.imported {
            None => self.source.noted(note),
            Some(_) => Problem::new(note),
        }
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
        spec.resource_claims.extend(cluster.resource_claims);
        spec.device_taint_rules.extend(cluster.device_taint_rules);
        spec.node_readiness_rules.extend(cluster.readiness_rules);
        spec.notes.extend(cluster.summary.notes());
        self.imported = Some(cluster.summary);
    }

    /// Takes in of an exported cluster how its control plane is set: its release unless the
    /// scenario says another, and flags.
    pub(crate) fn take_settings(&mut self, cluster: &ImportedCluster) {
        let release = cluster.summary.releases.taken().filter(|_| self.spec.kubernetes.is_none());
        self.exported = Some(Exported {
            release: release.clone(),
            flags: cluster.control_plane.flags.clone(),
            feature_gates: cluster.control_plane.feature_gates.clone(),
            own_pods: self.spec.pods.len(),
            own_nodes: self.spec.nodes.len(),
        });
        self.spec.kubernetes = release.or(self.spec.kubernetes.take());
    }
}
