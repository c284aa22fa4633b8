//! In place of `yaml.rs` where the program was built without YAML: every text of it is refused.

/// Why a text is refused; it has no place.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Wrong {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) json: String,
}

/// Refuses a text.
///
/// # Errors
/// Always.
pub fn to_json(_: &str) -> Result<String, Wrong> {
    let message = "this build reads JSON alone: print it with `-o json`".to_owned();
    Err(Wrong { line: 0, column: 0, message, json: String::new() })
}

/// No place.
pub(super) fn place(_: &str, _: usize) -> (usize, usize) {
    (0, 0)
}
