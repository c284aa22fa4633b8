//! Selectors: conditions that must all be met, in kubectl's form and as workloads have them,
//! `matchLabels` with `matchExpressions`.

use super::parser;
use super::requirement::{Labels, Operator, Requirement, SelectorError};
use crate::api::prelude::*;

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

    /// What an object without a selector selects: nothing (`labels.Nothing`).
    pub(crate) fn nothing() -> Self {
        Self { requirements: vec![Requirement::unmet()] }
    }

    /// Whether labels meet every condition.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(labels))
    }

    /// Whether some labels match this and another one (`selectorsOverlap` of the node readiness controller): for no key
    /// do the conditions of both contradict each other. Of the operators those that a LabelSelector has.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let all = || self.requirements.iter().chain(&other.requirements);
        all().all(|one| {
            let of_key: Vec<&Requirement> = all().filter(|r| r.key == one.key).collect();
            // The label is not there, or has one of the values that are named, or one that nobody names.
            let named = of_key.iter().flat_map(|r| &r.values).map(|v| Some(v.clone()));
            let mut cases = named.chain([None, Some(String::from("-"))]);
            cases.any(|value| {
                let labels: Labels = value.into_iter().map(|v| (one.key.clone(), v)).collect();
                of_key.iter().all(|r| r.matches(&labels))
            })
        })
    }

    /// Whether it has no condition.
    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// As Go prints a LabelSelector (`%v`).
    pub(crate) fn as_go_prints_it(&self) -> String {
        let all = self.requirements.iter().map(Requirement::as_go_prints_it);
        let (labels, expressions): (Vec<_>, Vec<_>) = all.partition(|(is_label, _)| *is_label);
        let joined =
            |parts: Vec<(bool, String)>| -> String { parts.into_iter().map(|p| p.1).collect() };
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

words! {
    /// How a selector compares a label.
    #[derive(Deserialize, Serialize, JsonSchema)]
    pub enum SelectorOperator {
        /// One of the values.
        In = "In": Operator::In,
        /// None of the values, or no such label.
        NotIn = "NotIn": Operator::NotIn,
        /// There is such a label.
        Exists = "Exists": Operator::Exists,
        /// There is no such label.
        DoesNotExist = "DoesNotExist": Operator::DoesNotExist,
    }
    /// The same among all operators.
    fn operator -> Operator;
}

/// One of `matchExpressions`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// How it is compared.
    pub operator: SelectorOperator,
    /// For `In` and `NotIn`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

// Empty, it selects everything; an object that has none at all selects nothing, which is for its reader
// to see.
/// `metav1.LabelSelector`
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LabelSelector {
    /// Labels with the values they must have.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub match_labels: Labels,
    /// Further conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

impl LabelSelector {
    /// The conditions it stands for (`LabelSelectorAsSelector`).
    ///
    /// # Errors
    /// What [`Requirement::new`] refuses.
    pub fn as_selector(&self) -> Result<Selector, SelectorError> {
        let exact = self.match_labels.iter();
        let exact = exact.map(|(key, v)| Requirement::new(key, Operator::Equals, [v.clone()]));
        let further = self.match_expressions.iter().map(|expression| {
            let (operator, values) = (expression.operator.operator(), &expression.values);
            Requirement::new(&expression.key, operator, values.iter().cloned())
        });
        exact.chain(further).collect::<Result<Vec<_>, _>>().map(Selector::new)
    }
}
