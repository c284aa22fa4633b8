//! Disruption budgets, with the fields of the Kubernetes API.

use super::labels::LabelSelector;
use super::texts::FlagValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `policy/v1 PodDisruptionBudget`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PodDisruptionBudget {
    /// `metadata.name`
    pub(crate) name: String,
    /// `metadata.namespace`; `default` where not given.
    pub(crate) namespace: Option<String>,
    /// `spec.selector`; empty is every pod of the namespace.
    #[serde(default)]
    pub(crate) selector: LabelSelector,
    /// `spec.minAvailable`: a number, or `"50%"`.
    pub(crate) min_available: Option<FlagValue>,
    /// `spec.maxUnavailable`: a number, or `"25%"`.
    pub(crate) max_unavailable: Option<FlagValue>,
    /// `spec.unhealthyPodEvictionPolicy`; `IfHealthyBudget` where not given.
    pub(crate) unhealthy_pod_eviction_policy: Option<UnhealthyPodEvictionPolicy>,
}

/// `spec.unhealthyPodEvictionPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum UnhealthyPodEvictionPolicy {
    /// Pods that are not ready go only while enough others are.
    IfHealthyBudget,
    /// Pods that are not ready may always go.
    AlwaysAllow,
}
