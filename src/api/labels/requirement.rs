//! Labels, and one condition on them.

use crate::api::prelude::*;
use crate::api::validation::{label_value, qualified_name};
use thiserror::Error;

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;

rows! {
    /// How a requirement compares a label (`selection.Operator`).
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum Operator {
        /// `=` or `==`
        Equals = ("=", ""),
        /// `!=`; also where there is no such label.
        NotEquals = ("!=", "NotIn"),
        /// `in`
        In = ("in", "In"),
        /// `notin`; also where there is no such label.
        NotIn = ("notin", "NotIn"),
        /// The label is there.
        Exists = ("", "Exists"),
        /// The label is not there.
        DoesNotExist = ("!", "DoesNotExist"),
        /// The label is an integer above the value.
        GreaterThan = (">", "Gt"),
        /// The label is an integer below the value.
        LessThan = ("<", "Lt"),
    }

    /// kubectl's sign for it, and what it is in an expression, which [`Self::Equals`] is not.
    fn row -> (&'static str, &'static str);
}

/// One condition on one label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Requirement {
    pub(super) key: String,
    operator: Operator,
    /// Sorted, without duplicates.
    pub(super) values: Vec<String>,
}

/// Why a text or a list of expressions is not a selector, in upstream's words.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct SelectorError(pub String);

impl Requirement {
    /// A condition on the label `key` (`NewRequirement`).
    ///
    /// # Errors
    /// A key or value that no label can have, and a number of values that the operator does not
    /// take.
    pub fn new(
        key: &str,
        operator: Operator,
        values: impl IntoIterator<Item = String>,
    ) -> Result<Self, SelectorError> {
        let given: Vec<String> = values.into_iter().collect();
        let mut errors = Vec::new();
        let key_errors = qualified_name(key);
        if !key_errors.is_empty() {
            errors.push(format!("key: Invalid value: {key:?}: {}", key_errors.join("; ")));
        }
        if let Some(text) = wrong_number(operator, given.len()) {
            let shown: Vec<String> = given.iter().map(|v| format!("{v:?}")).collect();
            errors.push(format!("values: Invalid value: [{}]: {text}", shown.join(",")));
        }
        for (i, value) in given.iter().enumerate() {
            errors.extend(value_errors(key, operator, i, value));
        }
        match errors.as_slice() {
            [] => {}
            [one] => return Err(SelectorError(one.clone())),
            // As an aggregate of errors is printed.
            several => return Err(SelectorError(format!("[{}]", several.join(", ")))),
        }
        let mut values = given;
        values.sort_unstable();
        values.dedup();
        Ok(Self { key: key.to_owned(), operator, values })
    }

    /// A condition that no labels meet: one of no values at all.
    pub(super) fn unmet() -> Self {
        Self { key: String::new(), operator: Operator::In, values: Vec::new() }
    }

    /// The label that has to be there, and the values that it may have, if that is the condition.
    pub(crate) fn one_of(&self) -> Option<(&str, &[String])> {
        matches!(self.operator, Operator::Equals | Operator::In)
            .then_some((&*self.key, &*self.values))
    }

    /// Its label, its operator, and its values, sorted.
    pub fn parts(&self) -> (&str, Operator, &[String]) {
        (&self.key, self.operator, &self.values)
    }

    /// Whether labels meet the condition (`Requirement.Matches`).
    pub(crate) fn matches(&self, labels: &Labels) -> bool {
        let label = labels.get(&self.key);
        let listed = |value: &String| self.values.contains(value);
        match self.operator {
            Operator::Equals | Operator::In => label.is_some_and(listed),
            Operator::NotEquals | Operator::NotIn => !label.is_some_and(listed),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let integer = |text: Option<&String>| text?.parse::<i64>().ok();
                let both = integer(label).zip(integer(self.values.first()));
                let above = self.operator == Operator::GreaterThan;
                both.is_some_and(|(label, value)| if above { label > value } else { label < value })
            }
        }
    }

    /// As Go prints it within a LabelSelector, and whether that is among the labels or the
    /// expressions.
    pub(super) fn as_go_prints_it(&self) -> (bool, String) {
        if self.operator == Operator::Equals {
            return (true, format!("{}: {},", self.key, self.values.join(",")));
        }
        let (_, operator) = self.operator.row();
        let (key, values) = (&self.key, self.values.join(" "));
        let text = format!(
            "LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},"
        );
        (false, text)
    }
}

/// What is wrong with a number of values, if the operator does not take it.
fn wrong_number(operator: Operator, count: usize) -> Option<&'static str> {
    match operator {
        Operator::In | Operator::NotIn if count == 0 => {
            Some("for 'in', 'notin' operators, values set can't be empty")
        }
        Operator::Equals | Operator::NotEquals if count != 1 => {
            Some("exact-match compatibility requires one single value")
        }
        Operator::Exists | Operator::DoesNotExist if count != 0 => {
            Some("values set must be empty for exists and does not exist")
        }
        Operator::GreaterThan | Operator::LessThan if count != 1 => {
            Some("for 'Gt', 'Lt' operators, exactly one value is required")
        }
        _ => None,
    }
}

/// What is wrong with the value at place `i`.
fn value_errors(key: &str, operator: Operator, i: usize, value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let compares = matches!(operator, Operator::GreaterThan | Operator::LessThan);
    if compares && value.parse::<i64>().is_err() {
        errors.push(format!(
            "values[{i}]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"
        ));
    }
    let value_errors = label_value(value);
    if !value_errors.is_empty() {
        errors.push(format!(
            "values[{i}][{key}]: Invalid value: {value:?}: {}",
            value_errors.join("; ")
        ));
    }
    errors
}

/// `a=b`, `a in (x,y)`, `!a`
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, sign, values) = (&self.key, self.operator.row().0, self.values.join(","));
        match self.operator {
            Operator::In | Operator::NotIn => write!(f, "{key} {sign} ({values})"),
            Operator::Exists | Operator::DoesNotExist => write!(f, "{sign}{key}"),
            _ => write!(f, "{key}{sign}{values}"),
        }
    }
}
