//! Tolerations, of pods and of claims on devices.

use crate::api::taint::Effect;
use crate::api::toleration::Operator;
use crate::language::prelude::*;

/// A toleration as in the Kubernetes API.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Toleration {
    /// The taint's key; none with `Exists` tolerates everything.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// How values are compared; `Equal` where not given.
    pub operator: Option<Operator>,
    /// The value to compare with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The taint's effect; every effect where not given.
    pub effect: Option<Effect>,
    /// How long a NoExecute taint is tolerated; for ever where not given.
    pub toleration_seconds: Option<i64>,
}
