//! What the importer reads of rules of the node readiness controller, as their CRD prints them.

use super::object::RawTaint;
use super::raw_scheduling::RawSelector;
use crate::import::prelude::*;

raw! {
    /// `readiness.node.x-k8s.io/v1alpha1 NodeReadinessRuleSpec` (0.5.0, with `conditionPolicy`)
    struct RawReadinessSpec {
        conditions: Vec<RawConditionRequirement>,
        condition_policy: String,
        enforcement_mode: String,
        taint: RawTaint,
        node_selector: RawSelector,
        dry_run: bool,
        /// What other versions have beside these.
        #[serde(flatten)]
        others: BTreeMap<String, Value>,
    }

    /// `ConditionRequirement`
    struct RawConditionRequirement {
        r#type: String,
        required_status: String,
        default_status: String,
        #[serde(flatten)]
        others: BTreeMap<String, Value>,
    }
}

/// An exported rule.
pub(super) type RawRule = Object<RawReadinessSpec, ()>;
