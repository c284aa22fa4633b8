//! Disruption budgets, with the fields of the Kubernetes API.

use super::labels::LabelSelector;
use super::texts::FlagValue;
use serde::{Deserialize, Serialize};

/// `policy/v1 PodDisruptionBudget`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PodDisruptionBudget {
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`; `default` where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `spec.selector`; empty is every pod of the namespace.
    #[serde(default)]
    pub selector: LabelSelector,
    /// `spec.minAvailable`: a number, or `"50%"`.
    #[serde(default, rename = "minAvailable", skip_serializing_if = "Option::is_none")]
    pub min_available: Option<FlagValue>,
    /// `spec.maxUnavailable`: a number, or `"25%"`.
    #[serde(default, rename = "maxUnavailable", skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<FlagValue>,
    /// `spec.unhealthyPodEvictionPolicy`; `IfHealthyBudget` where not given.
    #[serde(
        default,
        rename = "unhealthyPodEvictionPolicy",
        skip_serializing_if = "Option::is_none"
    )]
    pub unhealthy_pod_eviction_policy: Option<UnhealthyPodEvictionPolicy>,
}

/// `spec.unhealthyPodEvictionPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
pub enum UnhealthyPodEvictionPolicy {
    /// Pods that are not ready go only while enough others are.
    IfHealthyBudget,
    /// Pods that are not ready may always go.
    AlwaysAllow,
}
