//! Label selectors as the API prints them.

use super::fields::Texts;
use super::value::{self, Wrong};
use crate::language::{LabelSelector, LabelSelectorRequirement};
use serde::Deserialize;

/// `metav1.LabelSelector`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawSelector {
    match_labels: Option<Texts>,
    match_expressions: Option<Vec<RawRequirement>>,
}

/// `metav1.LabelSelectorRequirement`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct RawRequirement {
    key: String,
    operator: String,
    values: Option<Vec<String>>,
}

/// The selector as a scenario has it.
pub(super) fn selector(raw: &RawSelector) -> Result<LabelSelector, Wrong> {
    let expressions = raw.match_expressions.iter().flatten().map(|e| {
        let unknown =
            || format!("spec.selector: {:?} is not a valid label selector operator", e.operator);
        Ok::<_, Wrong>(LabelSelectorRequirement {
            key: e.key.clone(),
            operator: value::shared(&e.operator).ok_or_else(|| Wrong(unknown()))?,
            values: e.values.clone().unwrap_or_default(),
        })
    });
    Ok(LabelSelector {
        match_labels: value::labels("spec.selector.matchLabels", raw.match_labels.as_ref())?,
        match_expressions: expressions.collect::<Result<_, _>>()?,
    })
}
