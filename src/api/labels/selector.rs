//! Selectors: conditions that must all be met, in kubectl's form and as workloads have them,
//! `matchLabels` with `matchExpressions`.

use super::parser;
use super::requirement::{Labels, Operator, Requirement, SelectorError};
use std::fmt;

/// Conditions that must all be met; without any, everything matches.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Selector {
    /// Sorted by key.
    requirements: Vec<Requirement>,
}

impl Selector {
    /// A selector of these conditions.
    pub(crate) fn new(requirements: impl IntoIterator<Item = Requirement>) -> Self {
        let mut requirements: Vec<Requirement> = requirements.into_iter().collect();
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Self { requirements }
    }

    /// Reads kubectl's form (`labels.Parse`): conditions `key`, `!key`, `key=value`, `key==value`,
    /// `key!=value`, `key in (x,y)`, `key notin (x,y)`, `key>1` and `key<1`, with commas between
    /// them. An empty text selects everything.
    ///
    /// # Errors
    /// What is not of that form, and keys and values that no label can have.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        parser::parse(text).map(Self::new)
    }

    /// Whether labels meet every condition.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(labels))
    }

    /// Whether it has no condition.
    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// As Go prints a LabelSelector (`%v`).
    pub(crate) fn as_go_prints_it(&self) -> String {
        let (labels, expressions): (Vec<_>, Vec<_>) = (self.requirements.iter())
            .map(Requirement::as_go_prints_it)
            .partition(|(is_label, _)| *is_label);
        let joined = |parts: Vec<(bool, String)>| -> String {
            parts.into_iter().map(|(_, text)| text).collect()
        };
        format!(
            "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{}}},}}",
            joined(labels),
            joined(expressions)
        )
    }

    /// Its conditions, sorted by key.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }
}

/// kubectl's form.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, requirement) in self.requirements.iter().enumerate() {
            write!(f, "{}{requirement}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// One of `matchExpressions` (`metav1.LabelSelectorRequirement`), as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// For `In` and `NotIn`.
    pub values: Vec<String>,
}

/// A selector as workloads have it (`metav1.LabelSelector`). Empty, it selects everything; an
/// object that has none at all selects nothing, which is for its reader to see.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelSelector {
    /// Labels that must be there with these values.
    pub match_labels: Labels,
    /// Further conditions.
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

impl LabelSelector {
    /// The conditions it stands for (`LabelSelectorAsSelector`).
    ///
    /// # Errors
    /// An operator that is none of the four, and what [`Requirement::new`] refuses.
    pub fn as_selector(&self) -> Result<Selector, SelectorError> {
        let exact = self
            .match_labels
            .iter()
            .map(|(key, value)| Requirement::new(key, Operator::Equals, [value.clone()]));
        let further = self.match_expressions.iter().map(|expression| {
            let operator = match expression.operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    return Err(SelectorError(format!(
                        "{other:?} is not a valid label selector operator"
                    )));
                }
            };
            Requirement::new(&expression.key, operator, expression.values.iter().cloned())
        });
        exact.chain(further).collect::<Result<Vec<_>, _>>().map(Selector::new)
    }
}
