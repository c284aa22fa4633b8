//! What the importer reads of a pod's placement and of label selectors, as the API prints them
//! (`k8s.io/api/core/v1/types.go`, v1.34).

use super::fields::{self, Filled, Texts, Wrong};
use crate::language::{LabelSelector, LabelSelectorRequirement};
use serde::Deserialize;

/// `v1.Affinity`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawAffinity {
    pub(crate) node_affinity: Option<RawNodeAffinity>,
    pub(crate) pod_affinity: Option<RawPodAffinity>,
    pub(crate) pod_anti_affinity: Option<RawPodAffinity>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeAffinity {
    pub(crate) required_during_scheduling_ignored_during_execution: Option<RawNodeTerms>,
    pub(crate) preferred_during_scheduling_ignored_during_execution: Option<Vec<RawPreferredNodes>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeTerms {
    pub(crate) node_selector_terms: Option<Vec<RawNodeTerm>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawPreferredNodes {
    pub(crate) weight: i32,
    pub(crate) preference: RawNodeTerm,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeTerm {
    pub(crate) match_expressions: Option<Vec<RawNodeRequirement>>,
    pub(crate) match_fields: Option<Vec<RawNodeRequirement>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawNodeRequirement {
    pub(crate) key: String,
    pub(crate) operator: String,
    pub(crate) values: Option<Vec<String>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPodAffinity {
    pub(crate) required_during_scheduling_ignored_during_execution: Option<Vec<RawPodAffinityTerm>>,
    pub(crate) preferred_during_scheduling_ignored_during_execution: Option<Vec<RawWeightedPods>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawWeightedPods {
    pub(crate) weight: i32,
    pub(crate) pod_affinity_term: RawPodAffinityTerm,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPodAffinityTerm {
    pub(crate) label_selector: Option<RawSelector>,
    pub(crate) namespaces: Option<Vec<String>>,
    pub(crate) namespace_selector: Option<Filled>,
    pub(crate) mismatch_label_keys: Option<Filled>,
    pub(crate) match_label_keys: Option<Filled>,
    pub(crate) topology_key: String,
}

/// `v1.TopologySpreadConstraint`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawSpread {
    pub(crate) max_skew: i32,
    pub(crate) topology_key: String,
    pub(crate) when_unsatisfiable: String,
    pub(crate) label_selector: Option<RawSelector>,
    pub(crate) min_domains: Option<i32>,
    pub(crate) node_affinity_policy: Option<String>,
    pub(crate) node_taints_policy: Option<String>,
    pub(crate) match_label_keys: Option<Vec<String>>,
}

/// `v1.PodSchedulingGate`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawGate {
    pub(crate) name: String,
}

/// `metav1.LabelSelector`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawSelector {
    match_labels: Option<Texts>,
    match_expressions: Option<Vec<RawRequirement>>,
}

/// `metav1.LabelSelectorRequirement`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct RawRequirement {
    key: String,
    operator: String,
    values: Option<Vec<String>>,
}

/// The selector as a scenario has it.
pub(super) fn selector(raw: &RawSelector) -> Result<LabelSelector, Wrong> {
    let expressions = raw.match_expressions.iter().flatten().map(|e| {
        let unknown =
            || format!("spec.selector: {:?} is not a valid label selector operator", e.operator);
        Ok::<_, Wrong>(LabelSelectorRequirement {
            key: e.key.clone(),
            operator: fields::shared(&e.operator).ok_or_else(|| Wrong(unknown()))?,
            values: e.values.clone().unwrap_or_default(),
        })
    });
    Ok(LabelSelector {
        match_labels: fields::labels("spec.selector.matchLabels", raw.match_labels.as_ref())?,
        match_expressions: expressions.collect::<Result<_, _>>()?,
    })
}
