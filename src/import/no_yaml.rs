//! In place of `yaml.rs` where the program was built without YAML: every text of it is refused.

use super::seeds::{Cursor, Raw};
use serde_json::Value;

const REFUSED: &str = "this build reads JSON alone: print it with `-o json`";

/// Refuses a document.
pub(super) fn parse(_: &str, _: &Cursor) -> Result<Raw, (usize, usize, String)> {
    Err((0, 0, REFUSED.to_owned()))
}

/// Refuses a text.
pub(crate) fn values(_: &str) -> Result<Vec<Value>, String> {
    Err(REFUSED.to_owned())
}

/// Nothing of a text.
pub(super) fn value(_: &str) -> Option<Value> {
    None
}
