//! An error about one field of an object (`apimachinery/pkg/util/validation/field/errors.go`).

use crate::api::spelling;
use std::fmt;

/// What is wrong with a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FieldErrorKind {
    /// It must be there.
    Required,
    /// It is malformed.
    Invalid,
    /// It is not one of the words allowed.
    NotSupported,
    /// It must be unique and is not.
    Duplicate,
    /// It may not be so here.
    Forbidden,
}

/// An error about one field of an object. Its text is the API server's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FieldError {
    /// What is wrong.
    pub(crate) kind: FieldErrorKind,
    /// The field: `spec.taints[1].key`.
    pub(crate) field: String,
    /// What it holds, as the message shows it, quotes included; not shown for `Required` and
    /// `Forbidden`.
    bad_value: String,
    /// More words; may be empty.
    pub(crate) detail: String,
    /// What may have been meant, which the API server does not say.
    pub(crate) hint: Option<String>,
}

impl FieldError {
    /// The field must be there.
    pub(crate) fn required(field: &str) -> Self {
        Self::new(FieldErrorKind::Required, field, String::new(), String::new())
    }

    /// The field holds a text that is malformed.
    pub(crate) fn invalid(field: &str, value: &str, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorKind::Invalid, field, quoted(value), detail.into())
    }

    /// The field holds a word that is not one of `supported`; what is near to it becomes the hint.
    pub(crate) fn not_supported(field: &str, value: &str, supported: &[&'static str]) -> Self {
        let list: Vec<String> = supported.iter().map(|word| quoted(word)).collect();
        let detail = format!("supported values: {}", list.join(", "));
        let mut error = Self::new(FieldErrorKind::NotSupported, field, quoted(value), detail);
        error.hint = spelling::nearest(value, supported.iter().copied())
            .map(|word| format!("did you mean {word:?}?"));
        error
    }

    /// The field holds what is there already; `value` is shown as it stands.
    pub(crate) fn duplicate(field: &str, value: String, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorKind::Duplicate, field, value, detail.into())
    }

    /// The field may not be so here.
    pub(crate) fn forbidden(field: &str, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorKind::Forbidden, field, String::new(), detail.into())
    }

    fn new(kind: FieldErrorKind, field: &str, bad_value: String, detail: String) -> Self {
        Self { kind, field: field.to_owned(), bad_value, detail, hint: None }
    }
}

/// A text in the quotes of Go's `%q`, which are those of Rust for all that people write in names.
pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FieldErrorKind::Required => "Required value",
            FieldErrorKind::Invalid => "Invalid value",
            FieldErrorKind::NotSupported => "Unsupported value",
            FieldErrorKind::Duplicate => "Duplicate value",
            FieldErrorKind::Forbidden => "Forbidden",
        };
        write!(f, "{}: {kind}", self.field)?;
        if !matches!(self.kind, FieldErrorKind::Required | FieldErrorKind::Forbidden) {
            write!(f, ": {}", self.bad_value)?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for FieldError {}
