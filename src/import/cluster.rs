//! A cluster as an export shows it, in the types of the scenario language, so that a cluster that a
//! scenario points at and one that is written out are the same thing.
//!
//! Whose mistake it is that an imported scenario does not build is found from the place in it. The conversion of
//! single fields refuses what it knows to be wrong. What the API server would refuse beyond that (selectors that
//! do not match their template, terms without conditions, a `maxSkew` of 0) the language refuses as well, and
//! says where.

use super::control_plane::ControlPlane;
use super::error::Places;
use super::prelude::*;
use crate::language::text::tree::Step;
use std::ops::Range;

/// A cluster as an export shows it, in the words of the scenario language.
#[derive(Clone, Debug)]
pub struct ImportedCluster {
    /// What its controllers remember beside that.
    pub(crate) memory: Memory,
    /// Groups of like nodes, in the order in which the first of each stands in the files.
    pub nodes: Vec<NodeGroup>,
    /// Groups of like pods, in that order.
    pub pods: Vec<PodGroup>,
    /// Priority classes beside Kubernetes' own.
    pub(crate) priority_classes: Vec<PriorityClass>,
    /// Disruption budgets.
    pub(crate) budgets: Vec<PodDisruptionBudget>,
    /// Namespaces that say something of their pods' tolerations.
    pub(crate) namespaces: Vec<Namespace>,
    /// Claims on devices that pods name.
    pub(crate) resource_claims: Vec<ResourceClaim>,
    /// Rules that taint devices.
    pub(crate) device_taint_rules: Vec<DeviceTaintRule>,
    /// Rules of the node readiness controller.
    pub(crate) readiness_rules: Vec<NodeReadinessRule>,
    /// Workloads, Deployments before their ReplicaSets; pods that exist name them as their owners.
    pub(crate) workloads: Vec<Workload>,
    /// What the control plane was started with, as far as its pods are in the files.
    pub(crate) control_plane: ControlPlane,
    /// What was taken and what was left out.
    pub summary: Summary,
    /// Where all of it stands in the files.
    pub(super) places: Places,
}

impl ImportedCluster {
    /// Makes sure that there is a node or a pod in it, without which it is no cluster.
    ///
    /// # Errors
    /// There is neither: [`ImportError::Nothing`].
    pub fn simulable(self) -> Result<Self, ImportError> {
        if self.summary.nodes > 0 || self.summary.pods > 0 || !self.summary.orphans.is_empty() {
            return Ok(self);
        }
        let found = self.summary.instead();
        Err(ImportError::Nothing { files: self.summary.files, found })
    }

    /// What is wrong with the scenario that was written of it, as an error about the object that it comes from.
    pub(crate) fn blame(&self, problem: &Problem, text: &str) -> ImportError {
        let tree = Tree::read(text).ok();
        let found = tree.as_ref().zip(problem.bytes());
        let Some((list, object, path)) = found.and_then(|(tree, bytes)| located(tree, &bytes))
        else {
            return self.of_no_object(&problem.message);
        };
        let message = match path.as_str() {
            "" => problem.message.clone(),
            path => format!("{path}: {}", problem.message),
        };
        match self.place(list, object) {
            Some(place) => at(place)(Wrong(message)),
            None => self.of_no_object(&format!("{list}: {message}")),
        }
    }

    /// Where the object stands that is written so in that list, or the first of those that became one group.
    fn place(&self, list: &str, written: &Tree) -> Option<&Place> {
        let names = written.field("name").or_else(|| written.field("names"))?;
        let text = names.text().or_else(|| names.parts().first()?.text())?;
        let name = names::expand(text, u64::MAX >> 1).ok()?.into_iter().next()?;
        let namespace = written.field("namespace").and_then(Tree::text).unwrap_or("default");
        let full = format!("{namespace}/{name}");
        let with_kind = format!("{}/{full}", written.word());
        let mut all = [name, full, with_kind].into_iter();
        all.find_map(|name| self.places.get(&(list.to_owned(), name)))
    }

    pub(crate) fn of_no_object(&self, message: &str) -> ImportError {
        let place = Place { file: self.summary.files.join(", "), ..Place::default() };
        at(&place)(Wrong(message.to_owned()))
    }
}

/// The list at the top of the scenario, the element of it, and the way from there to some bytes.
fn located<'t>(tree: &'t Tree, bytes: &Range<usize>) -> Option<(&'t str, &'t Tree, String)> {
    let holds = |r: Range<usize>| r.start <= bytes.start && bytes.end <= r.end;
    let within = |tree: &Tree| tree.parts().iter().position(|p| holds(p.whole()));
    let list = &tree.parts()[within(tree)?];
    let object = &list.parts()[within(list)?];
    let (mut value, mut path) = (object, String::new());
    while let Some(i) = within(value) {
        match value.step(i) {
            Step::Key(key) if path.is_empty() => path.push_str(&key),
            Step::Key(key) => path.push_str(&format!(".{key}")),
            Step::Index(i) => path.push_str(&format!("[{i}]")),
        }
        value = &value.parts()[i];
    }
    Some((list.name()?, object, path))
}
