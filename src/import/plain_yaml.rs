//! YAML as plain values. Without the feature of that name every text of it is refused.

use serde_json::Value;

/// What is said of YAML without the feature.
#[cfg(not(feature = "yaml"))]
pub(super) const REFUSED: &str = "this build reads JSON alone: print it with `-o json`";

/// A text as values, one for each document; what is wrong in the parser's own words.
#[cfg(feature = "yaml")]
pub(crate) fn values(text: &str) -> Result<Vec<Value>, String> {
    serde_saphyr::from_multiple(text).map_err(|e| e.to_string())
}

/// Refuses a text.
#[cfg(not(feature = "yaml"))]
pub(crate) fn values(_: &str) -> Result<Vec<Value>, String> {
    Err(REFUSED.to_owned())
}

/// A text of one document as a value.
#[cfg(feature = "yaml")]
pub(super) fn value(text: &str) -> Option<Value> {
    serde_saphyr::from_str(text).ok()
}

/// Nothing of a text.
#[cfg(not(feature = "yaml"))]
pub(super) fn value(_: &str) -> Option<Value> {
    None
}
