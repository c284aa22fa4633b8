//! Small checks of single values, by the API server's own rules: names, labels, words.

use super::fields::Texts;
use crate::api::validation::{self, FieldError};
use serde::Deserialize;
use serde::de::value::StrDeserializer;
use std::collections::BTreeMap;

/// What is wrong with an object; its place is added by whoever knows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong(pub String);

impl From<FieldError> for Wrong {
    fn from(error: FieldError) -> Self {
        match &error.hint {
            Some(hint) => Wrong(format!("{error} ({hint})")),
            None => Wrong(error.to_string()),
        }
    }
}

/// The first of a check's errors, if there are any.
pub(super) fn first(errors: Vec<FieldError>) -> Result<(), Wrong> {
    errors.into_iter().next().map_or(Ok(()), |e| Err(e.into()))
}

/// One of the words that Kubernetes and a scenario share, if it is one.
pub(super) fn shared<'t, T: Deserialize<'t>>(text: &'t str) -> Option<T> {
    T::deserialize(StrDeserializer::<serde::de::value::Error>::new(text)).ok()
}

/// One of these words, which must be there.
pub(super) fn word<'t, T: Deserialize<'t>>(field: &str, text: Option<&'t str>) -> Result<T, Wrong> {
    let text = text.unwrap_or_default();
    shared(text).ok_or_else(|| Wrong(format!("{field} is {text:?}, which the API does not know")))
}

/// The name of a node or pod, which must be there.
pub(super) fn name<'t>(field: &str, text: Option<&'t str>) -> Result<&'t str, Wrong> {
    legal(field, text, validation::dns1123_subdomain)
}

/// The name of a namespace, which must be there.
pub(super) fn namespace<'t>(field: &str, text: Option<&'t str>) -> Result<&'t str, Wrong> {
    legal(field, text, validation::dns1123_label)
}

fn legal<'t>(
    field: &str,
    text: Option<&'t str>,
    check: fn(&str) -> Vec<String>,
) -> Result<&'t str, Wrong> {
    let Some(text) = text.filter(|n| !n.is_empty()) else {
        return Err(FieldError::required(field).into());
    };
    let detail = check(text).join("; ");
    if detail.is_empty() { Ok(text) } else { Err(FieldError::invalid(field, text, detail).into()) }
}

/// Labels, checked; a null value is an empty one.
pub(super) fn labels(field: &str, raw: Option<&Texts>) -> Result<BTreeMap<String, String>, Wrong> {
    let mut out = BTreeMap::new();
    for (key, value) in raw.into_iter().flatten() {
        let value = value.as_deref().unwrap_or_default();
        for (text, errors) in [
            (key.as_str(), validation::qualified_name(key)),
            (value, validation::label_value(value)),
        ] {
            if !errors.is_empty() {
                return Err(FieldError::invalid(field, text, errors.join("; ")).into());
            }
        }
        out.insert(key.clone(), value.to_owned());
    }
    Ok(out)
}
