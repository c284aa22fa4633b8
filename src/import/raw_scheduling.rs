//! What the importer reads of a pod's placement and of label selectors, as the API prints them
//! (`k8s.io/api/core/v1/types.go`, v1.34).

use super::fields::{self, Filled, Texts, Wrong, raw};
use crate::api::labels::{LabelSelector, LabelSelectorRequirement};

raw! {
    /// `v1.Affinity`
    struct RawAffinity {
        node_affinity: RawNodeAffinity,
        pod_affinity: RawPodAffinity,
        pod_anti_affinity: RawPodAffinity,
    }

    /// `v1.NodeAffinity`
    struct RawNodeAffinity {
        required_during_scheduling_ignored_during_execution: Option<RawNodeTerms>,
        preferred_during_scheduling_ignored_during_execution: Vec<RawPreferredNodes>,
    }

    /// `v1.NodeSelector`
    struct RawNodeTerms {
        node_selector_terms: Vec<RawNodeTerm>,
    }

    /// `v1.PreferredSchedulingTerm`
    struct RawPreferredNodes {
        weight: i32,
        preference: RawNodeTerm,
    }

    /// `v1.NodeSelectorTerm`
    struct RawNodeTerm {
        match_expressions: Vec<RawRequirement>,
        match_fields: Vec<RawRequirement>,
    }

    /// `v1.NodeSelectorRequirement` and `metav1.LabelSelectorRequirement`
    struct RawRequirement {
        key: String,
        operator: String,
        values: Vec<String>,
    }

    /// `v1.PodAffinity` and `v1.PodAntiAffinity`
    struct RawPodAffinity {
        required_during_scheduling_ignored_during_execution: Vec<RawPodAffinityTerm>,
        preferred_during_scheduling_ignored_during_execution: Vec<RawWeightedPods>,
    }

    /// `v1.WeightedPodAffinityTerm`
    struct RawWeightedPods {
        weight: i32,
        pod_affinity_term: RawPodAffinityTerm,
    }

    /// `v1.PodAffinityTerm`
    struct RawPodAffinityTerm {
        label_selector: Option<RawSelector>,
        namespaces: Vec<String>,
        namespace_selector: Option<Filled>,
        mismatch_label_keys: Filled,
        match_label_keys: Filled,
        topology_key: String,
    }

    /// `v1.TopologySpreadConstraint`
    struct RawSpread {
        max_skew: i32,
        topology_key: String,
        when_unsatisfiable: String,
        label_selector: Option<RawSelector>,
        min_domains: Option<i32>,
        node_affinity_policy: String,
        node_taints_policy: String,
        match_label_keys: Vec<String>,
    }

    /// `v1.PodSchedulingGate`
    struct RawGate {
        name: String,
    }

    /// `metav1.LabelSelector`
    struct RawSelector {
        match_labels: Texts,
        match_expressions: Vec<RawRequirement>,
    }
}

/// The selector of that field as a scenario has it.
pub(super) fn selector(field: &str, raw: &RawSelector) -> Result<LabelSelector, Wrong> {
    let expressions = raw.match_expressions.iter().map(|e| {
        let unknown =
            || format!("{field}: {:?} is not a valid label selector operator", e.operator);
        Ok::<_, Wrong>(LabelSelectorRequirement {
            key: e.key.clone(),
            operator: fields::shared(&e.operator).ok_or_else(|| Wrong(unknown()))?,
            values: e.values.clone(),
        })
    });
    Ok(LabelSelector {
        match_labels: fields::labels(&format!("{field}.matchLabels"), &raw.match_labels)?,
        match_expressions: expressions.collect::<Result<_, _>>()?,
    })
}
