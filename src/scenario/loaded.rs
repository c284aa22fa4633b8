//! A scenario as it was read, before anything in it is looked up.

use crate::files::{Fingerprint, InputFile, Places};
use crate::import::Summary;
use crate::language::Exported;
use crate::language::Scenario;
use crate::language::Source;
use crate::outages::History;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A scenario as read, before anything in it is looked up.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file says.
    pub spec: Scenario,
    /// Its text, for places of problems.
    pub source: Source,
    /// The scenario's name: the file's name without extension.
    pub name: String,
    /// The folder that paths in the scenario are relative to.
    pub folder: PathBuf,
    /// Where the file lies that the scenario points at, if not where it says: its copy in a folder
    /// of results.
    pub cluster: Option<PathBuf>,
    /// Where the files lie that were packed for another machine.
    pub(crate) places: Places,
    /// What was taken from the file that the scenario points at, and what was left out; its groups
    /// are in `spec`.
    pub imported: Option<Summary>,
    /// What the file that the scenario points at says beside its objects.
    pub exported: Option<Exported>,
    /// What was recorded in the files that fault models point at, by their names there.
    pub(crate) histories: BTreeMap<String, Arc<History>>,
    /// The files that the scenario points at.
    pub inputs: Vec<InputFile>,
}

impl Loaded {
    /// What the scenario was read from.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.source.text.as_bytes(), &self.inputs)
    }

    /// The names of its groups of pods.
    pub fn groups(&self) -> Vec<String> {
        let groups = self.spec.pods.iter();
        groups.filter_map(|g| g.name.clone()).collect()
    }
}
