//! In place of `yaml.rs` where the program was built without YAML: every text of it is refused.

use super::seeds::{Cursor, Raw};
use super::sight::REFUSED;

/// What is wrong with a document, where.
pub(super) struct Wrong {
    /// From 1; zero is unknown.
    pub(super) line: usize,
    /// The same.
    pub(super) column: usize,
    pub(super) message: String,
}

/// Refuses a document.
pub(super) fn parse(_: &str, _: &Cursor) -> Result<Raw, Wrong> {
    Err(Wrong { line: 0, column: 0, message: REFUSED.to_owned() })
}
