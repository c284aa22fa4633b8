//! Rules of the node readiness controller (`readiness.node.x-k8s.io/v1alpha1 NodeReadinessRule`, v0.5.0), and
//! what it and the agents of nodes write to nodes.

use super::labels::Selector;
use super::meta::{ConditionStatus, Uid};
use super::taint::Taint;
use crate::api::prelude::*;

/// A condition that a node must have (`ConditionRequirement`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionRequirement {
    /// `type`
    pub kind: String,
    /// `requiredStatus`
    pub required: ConditionStatus,
    /// `defaultStatus`: what counts where the node has no such condition.
    pub default: ConditionStatus,
}

/// What a rule asks for (`NodeReadinessRuleSpec`); all of it is immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadinessSpec {
    /// `metadata.name`
    pub name: String,
    /// `conditions`
    pub conditions: Vec<ConditionRequirement>,
    /// `conditionPolicy: anyOf`: one of them is enough.
    pub any_of: bool,
    /// `enforcementMode: bootstrap-only`: once they were met at a node, it is never tainted again.
    pub bootstrap_only: bool,
    /// `taint`
    pub taint: Taint,
    /// `nodeSelector`
    pub selector: Selector,
}

impl ReadinessSpec {
    /// Whether conditions are met, of which `status` says the status where there is one
    /// (`evaluateRuleForNode`).
    pub(crate) fn is_met(&self, status: impl Fn(&str) -> Option<ConditionStatus>) -> bool {
        let met = |c: &ConditionRequirement| status(&c.kind).unwrap_or(c.default) == c.required;
        if self.any_of { self.conditions.iter().any(met) } else { self.conditions.iter().all(met) }
    }

    /// What conditions are, and what they have to be, for people.
    pub(crate) fn told(&self, status: impl Fn(&str) -> Option<ConditionStatus>) -> String {
        let one = |c: &ConditionRequirement| {
            let is = status(&c.kind).map_or_else(
                || format!("{} is missing, which counts as {}", c.kind, c.default.as_str()),
                |status| format!("{} is {}", c.kind, status.as_str()),
            );
            format!("{is} ({} is required)", c.required.as_str())
        };
        let all: Vec<String> = self.conditions.iter().map(one).collect();
        format!("rule {}: {}", self.name, all.join(", "))
    }
}

/// A rule, one version of it. Its status is left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeReadinessRule {
    /// Its name.
    pub(crate) name: TextId,
    /// This life of it.
    pub(crate) uid: Uid,
    /// It has the finalizer `readiness.node.x-k8s.io/cleanup-taints`.
    pub(crate) finalizer: bool,
    /// It has a deletionTimestamp.
    pub(crate) deleting: bool,
    /// `spec`
    pub(crate) spec: Rc<ReadinessSpec>,
}

/// What agents and the node readiness controller wrote to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeReadiness {
    /// Conditions of types that no kubelet posts.
    pub conditions: BTreeMap<String, ConditionStatus>,
    /// The rules whose bootstrap is completed (annotations `readiness.k8s.io/bootstrap-completed-UID`), with
    /// their names.
    pub(crate) completed: BTreeMap<Uid, TextId>,
}
