//! Rules of the node readiness controller, which taint nodes by their conditions.

use crate::api::labels::LabelSelector;
use crate::language::prelude::*;

/// A rule of the node readiness controller (`readiness.node.x-k8s.io NodeReadinessRule`): nodes without these
/// conditions have this taint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NodeReadinessRule {
    /// `metadata.name`
    pub(crate) name: String,
    /// `spec.conditions`, at least one.
    pub(crate) conditions: Vec<ConditionRequirement>,
    /// `spec.conditionPolicy`: whether all are required or one of them; `AllOf` where not given.
    pub(crate) condition_policy: Option<ConditionPolicy>,
    /// `spec.enforcementMode`
    pub(crate) enforcement_mode: EnforcementMode,
    /// `spec.taint`: `"readiness.k8s.io/cni=pending:NoSchedule"`; its key begins with `readiness.k8s.io/`.
    pub(crate) taint: String,
    /// `spec.nodeSelector`; all nodes where not given.
    pub(crate) node_selector: Option<LabelSelector>,
}

/// A condition that nodes must have.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ConditionRequirement {
    /// Its type: one of those that kubelets post, or that of an agent.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The status that it must have.
    pub(crate) required_status: ConditionStatus,
    /// What counts where a node has no such condition; `Unknown` where not given.
    pub(crate) default_status: Option<ConditionStatus>,
}

/// How many of the conditions are required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum ConditionPolicy {
    /// `allOf`
    AllOf,
    /// `anyOf`
    AnyOf,
}

/// How long a rule is enforced at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum EnforcementMode {
    /// `bootstrap-only`: until its conditions are met for the first time.
    BootstrapOnly,
    /// `continuous`: for ever.
    Continuous,
}
