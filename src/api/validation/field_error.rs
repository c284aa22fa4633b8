//! An error about one field of an object (`apimachinery/pkg/util/validation/field/errors.go`).

use crate::api::spelling;
use std::fmt;

/// An error about one field of an object. Its text is the API server's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FieldError {
    /// What is wrong: `Invalid value`.
    kind: &'static str,
    /// The field: `spec.taints[1].key`.
    pub(crate) field: String,
    /// What it holds, as the message shows it, quotes included, where it does.
    bad_value: Option<String>,
    /// More words; may be empty.
    pub(crate) detail: String,
    /// What may have been meant, which the API server does not say.
    pub(crate) hint: Option<String>,
}

impl FieldError {
    /// The field must be there.
    pub(crate) fn required(field: &str) -> Self {
        Self::new("Required value", field, None, String::new())
    }

    /// The field holds a text that is malformed.
    pub(crate) fn invalid(field: &str, value: &str, detail: impl Into<String>) -> Self {
        Self::new("Invalid value", field, Some(quoted(value)), detail.into())
    }

    /// The field holds a word that is not one of `supported`; what is near to it becomes the hint.
    pub(crate) fn not_supported(field: &str, value: &str, supported: &[&'static str]) -> Self {
        let list: Vec<String> = supported.iter().map(|word| quoted(word)).collect();
        let detail = format!("supported values: {}", list.join(", "));
        let mut error = Self::new("Unsupported value", field, Some(quoted(value)), detail);
        error.hint = spelling::nearest(value, supported.iter().copied())
            .map(|word| format!("did you mean {word:?}?"));
        error
    }

    /// The field holds what is there already; `value` is shown as it stands.
    pub(crate) fn duplicate(field: &str, value: String, detail: impl Into<String>) -> Self {
        Self::new("Duplicate value", field, Some(value), detail.into())
    }

    /// The field may not be so here.
    pub(crate) fn forbidden(field: &str, detail: impl Into<String>) -> Self {
        Self::new("Forbidden", field, None, detail.into())
    }

    fn new(kind: &'static str, field: &str, bad_value: Option<String>, detail: String) -> Self {
        Self { kind, field: field.to_owned(), bad_value, detail, hint: None }
    }
}

/// A text in the quotes of Go's `%q`, which are those of Rust for all that people write in names.
pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.kind)?;
        if let Some(value) = &self.bad_value {
            write!(f, ": {value}")?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for FieldError {}
