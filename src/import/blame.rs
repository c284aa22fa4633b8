//! Whose mistake it is that an imported scenario does not build: leads from the place in the
//! scenario back to the object in the files.
//!
//! The conversion of single fields refuses what it knows to be wrong. What the API server would
//! refuse beyond that (selectors that do not match their template, terms without conditions, a
//! `maxSkew` of 0) the language refuses as well, and says where in the scenario.

use super::cluster::ImportedCluster;
use super::error::{ImportError, Place};
use crate::language::text::tree::Step;
use crate::language::{OneOrMany, Problem, Tree, names};
use std::ops::Range;

impl ImportedCluster {
    /// What is wrong with the scenario, as an error about the object that it comes from.
    pub(crate) fn blame(&self, problem: &Problem, text: &str) -> ImportError {
        let found = problem.bytes().and_then(|bytes| located(&Tree::read(text).ok()?, &bytes));
        let Some((list, index, path)) = found else { return self.of_no_object(&problem.message) };
        let message = match path.as_str() {
            "" => problem.message.clone(),
            path => format!("{path}: {}", problem.message),
        };
        match self.place(&list, index) {
            Some(place) => ImportError::Object { place: Box::new(place.clone()), message },
            None => self.of_no_object(&format!("{list}: {message}")),
        }
    }

    /// Where the object stands, or the first of those that became one group.
    fn place(&self, list: &str, index: usize) -> Option<&Place> {
        let first = |name: &Option<String>, names: &Option<OneOrMany>| {
            let text = name.clone().or_else(|| names.as_ref()?.texts().first().cloned())?;
            names::expand(&text, u64::MAX >> 1).ok()?.into_iter().next()
        };
        let full = |namespace: &Option<String>, name: &str| {
            format!("{}/{name}", namespace.as_deref().unwrap_or("default"))
        };
        let name = match list {
            "nodes" => self.nodes.get(index).and_then(|g| first(&g.name, &g.names))?,
            "pods" => {
                let group = self.pods.get(index)?;
                full(&group.namespace, &first(&group.name, &group.names)?)
            }
            "workloads" => {
                let workload = self.workloads.get(index)?;
                let group = workload.group();
                let name = full(&group.namespace, group.name.as_deref()?);
                format!("{}/{name}", workload.kind().as_str())
            }
            "podDisruptionBudgets" => {
                self.budgets.get(index).map(|b| full(&b.namespace, &b.name))?
            }
            "priorityClasses" => self.priority_classes.get(index)?.name.clone(),
            "namespaces" => self.namespaces.get(index)?.name.clone()?,
            "resourceClaims" => {
                self.resource_claims.get(index).map(|c| full(&c.namespace, &c.name))?
            }
            "deviceTaintRules" => self.device_taint_rules.get(index)?.name.clone(),
            "node_readiness_rules" => self.readiness_rules.get(index)?.name.clone(),
            _ => return None,
        };
        self.places.get(&(list.to_owned(), name))
    }

    pub(crate) fn of_no_object(&self, message: &str) -> ImportError {
        let place = Place { file: self.summary.files.join(", "), ..Place::default() };
        ImportError::Object { place: Box::new(place), message: message.to_owned() }
    }
}

/// The list at the top of the scenario, the element of it, and the way from there to some bytes.
fn located(tree: &Tree, bytes: &Range<usize>) -> Option<(String, usize, String)> {
    let holds = |r: Range<usize>| r.start <= bytes.start && bytes.end <= r.end;
    let within = |tree: &Tree| tree.parts().iter().position(|p| holds(p.whole()));
    let list = &tree.parts()[within(tree)?];
    let index = within(list)?;
    let mut value = &list.parts()[index];
    let mut path = String::new();
    while let Some(i) = within(value) {
        match value.step(i) {
            Step::Key(key) if path.is_empty() => path.push_str(&key),
            Step::Key(key) => path.push_str(&format!(".{key}")),
            Step::Index(i) => path.push_str(&format!("[{i}]")),
        }
        value = &value.parts()[i];
    }
    Some((list.name()?.to_owned(), index, path))
}
