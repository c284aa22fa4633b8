//! A tape inside a scenario: the choices in which its run deviates from the default order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The choices of a run: `tape: (choices: 1, deviations: [("next", "eviction:default/db-0", 0,
/// 1)])`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tape {
    /// The number of the choice format that it was written in.
    pub choices: u32,
    /// The release that it was found on, `1.34.4`, and is a tape of; one without is tried on
    /// whatever release the scenario runs as.
    pub release: Option<String>,
    /// Which kinds of trouble are left to the choices: `stale`, `crash`, `coalesce`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perturb: Vec<String>,
    /// The property that the run violates.
    pub property: Option<String>,
    /// The deviations from the default order.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
}

/// An object without a name as a tape writes it.
#[must_use]
pub(crate) fn object_text_of_number(number: u64) -> String {
    match number {
        0 => String::new(),
        1..=0xffff => format!("#{number}"),
        _ => format!("{number:#018x}"),
    }
}

/// Point, object, ordinal, value: the how many-th choice for the object at the point, from 0, and
/// what to choose.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Deviation(pub String, pub String, pub u32, pub u64);
