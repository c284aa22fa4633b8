//! The workloads of a scenario, and which one a name means.

use super::found::{Nothing, ambiguous};
use crate::api::workload::{is_called, short_name, told_apart};
use crate::language::Problem;
use crate::language::text::did_you_mean;
use crate::plan::{WorkloadIndex, WorkloadPlan};
use std::collections::BTreeMap;

/// The workloads that were declared so far.
#[derive(Default)]
pub(super) struct Workloads {
    /// In the order of their declaration, owners before what they own.
    pub(super) plans: Vec<WorkloadPlan>,
    /// By `Kind/namespace/name`; of several lives of one name, the first.
    pub(super) by_name: BTreeMap<String, WorkloadIndex>,
    /// ReplicaSets that nobody wrote: those of Deployments whose pods run already.
    pub(super) implied: BTreeMap<WorkloadIndex, WorkloadIndex>,
    /// StatefulSets whose pods are not there yet.
    pub(super) numbered: Vec<Numbered>,
    /// Workloads that could not be declared for a mistake of their own.
    pub(super) incomplete: bool,
}

/// The pods that a StatefulSet will make: entries of the timeline may name them.
pub(super) struct Numbered {
    pub(super) set: String,
    pub(super) of: String,
    pub(super) names: Vec<String>,
    pub(super) template: u32,
}

impl Workloads {
    /// The workload that a person names: `web`, `shop/web`, `Deployment/web`,
    /// `Deployment/shop/web`.
    pub(super) fn named(&self, text: &str) -> Result<WorkloadIndex, Nothing> {
        let written = |i: WorkloadIndex| !self.implied.values().any(|&set| set == i);
        let found: Vec<(&str, WorkloadIndex)> = self
            .by_name
            .iter()
            .filter(|(full, i)| is_called(full, text) && written(**i))
            .map(|(full, i)| (full.as_str(), *i))
            .collect();
        match found.as_slice() {
            [(_, one)] => Ok(*one),
            [] => Err((!self.incomplete).then(|| {
                let all = self.by_name.keys().flat_map(|full| [short_name(full), full.as_str()]);
                Problem::new(format!("there is no workload `{text}`"))
                    .maybe_help(did_you_mean(text, all))
            })),
            several => {
                let names = several.iter().map(|(full, _)| *full);
                Err(Some(ambiguous(
                    text,
                    "workload",
                    several.iter().map(|(full, _)| told_apart(full, names.clone())),
                )))
            }
        }
    }
}
