//! Selectors as workloads have them: `matchLabels` with `matchExpressions`.

use super::requirement::{Labels, Operator, Requirement, SelectorError};
use super::selector::Selector;

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
