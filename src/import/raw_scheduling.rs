//! What the importer reads of a pod's placement, as the API prints it
//! (`k8s.io/api/core/v1/types.go`, v1.34).

use super::fields::Filled;
use super::selector::RawSelector;
use serde::Deserialize;

/// `v1.Affinity`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawAffinity {
    pub node_affinity: Option<RawNodeAffinity>,
    pub pod_affinity: Option<RawPodAffinity>,
    pub pod_anti_affinity: Option<RawPodAffinity>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeAffinity {
    pub required_during_scheduling_ignored_during_execution: Option<RawNodeTerms>,
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<RawPreferredNodes>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeTerms {
    pub node_selector_terms: Option<Vec<RawNodeTerm>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawPreferredNodes {
    pub weight: i32,
    pub preference: RawNodeTerm,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawNodeTerm {
    pub match_expressions: Option<Vec<RawNodeRequirement>>,
    pub match_fields: Option<Vec<RawNodeRequirement>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawNodeRequirement {
    pub key: String,
    pub operator: String,
    pub values: Option<Vec<String>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPodAffinity {
    pub required_during_scheduling_ignored_during_execution: Option<Vec<RawPodAffinityTerm>>,
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<RawWeightedPods>>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawWeightedPods {
    pub weight: i32,
    pub pod_affinity_term: RawPodAffinityTerm,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawPodAffinityTerm {
    pub label_selector: Option<RawSelector>,
    pub namespaces: Option<Vec<String>>,
    pub namespace_selector: Option<Filled>,
    pub mismatch_label_keys: Option<Filled>,
    pub match_label_keys: Option<Filled>,
    pub topology_key: String,
}

/// `v1.TopologySpreadConstraint`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawSpread {
    pub max_skew: i32,
    pub topology_key: String,
    pub when_unsatisfiable: String,
    pub label_selector: Option<RawSelector>,
    pub min_domains: Option<i32>,
    pub node_affinity_policy: Option<String>,
    pub node_taints_policy: Option<String>,
    pub match_label_keys: Option<Vec<String>>,
}

/// `v1.PodSchedulingGate`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RawGate {
    pub name: String,
}
