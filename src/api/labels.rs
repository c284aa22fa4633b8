//! Labels, and selectors of labels in both of Kubernetes' forms: `matchLabels` with
//! `matchExpressions`, and kubectl's `a=b,c!=d,e in (x,y),!f`.
//!
//! `apimachinery/pkg/labels/selector.go` and `pkg/apis/meta/v1/helpers.go:
//! LabelSelectorAsSelector`, v1.34, with their error texts. Where ours differs: `x==y` is written
//! as `x=y`, and a list may end in two commas.

use super::validation::{label_value, qualified_name};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

mod by_label;
mod parser;

pub use by_label::{ByLabel, Selectors};

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;

/// How a requirement compares a label (`selection.Operator`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operator {
    /// `=` or `==`
    Equals,
    /// `!=`; also where there is no such label.
    NotEquals,
    /// `in`
    In,
    /// `notin`; also where there is no such label.
    NotIn,
    /// The label is there.
    Exists,
    /// The label is not there.
    DoesNotExist,
    /// The label is an integer above the value.
    GreaterThan,
    /// The label is an integer below the value.
    LessThan,
}

/// One condition on one label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Requirement {
    key: String,
    operator: Operator,
    /// Sorted, without duplicates.
    values: Vec<String>,
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
        let shown = || {
            format!(
                "[{}]",
                given
                    .iter()
                    .map(|v| format!("{v:?}"))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        };
        let mut errors = Vec::new();
        let key_errors = qualified_name(key);
        if !key_errors.is_empty() {
            errors.push(format!(
                "key: Invalid value: {key:?}: {}",
                key_errors.join("; ")
            ));
        }
        let wrong_number = match operator {
            Operator::In | Operator::NotIn if given.is_empty() => {
                Some("for 'in', 'notin' operators, values set can't be empty")
            }
            Operator::Equals | Operator::NotEquals if given.len() != 1 => {
                Some("exact-match compatibility requires one single value")
            }
            Operator::Exists | Operator::DoesNotExist if !given.is_empty() => {
                Some("values set must be empty for exists and does not exist")
            }
            Operator::GreaterThan | Operator::LessThan if given.len() != 1 => {
                Some("for 'Gt', 'Lt' operators, exactly one value is required")
            }
            _ => None,
        };
        if let Some(text) = wrong_number {
            errors.push(format!("values: Invalid value: {}: {text}", shown()));
        }
        for (i, value) in given.iter().enumerate() {
            let compares = matches!(operator, Operator::GreaterThan | Operator::LessThan);
            if compares && value.parse::<i64>().is_err() {
                errors.push(format!("values[{i}]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"));
            }
            let value_errors = label_value(value);
            if !value_errors.is_empty() {
                errors.push(format!(
                    "values[{i}][{key}]: Invalid value: {value:?}: {}",
                    value_errors.join("; ")
                ));
            }
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
        Ok(Self {
            key: key.to_owned(),
            operator,
            values,
        })
    }

    /// The label that has to be there, and the values that it may have, if that is the condition.
    pub fn one_of(&self) -> Option<(&str, &[String])> {
        matches!(self.operator, Operator::Equals | Operator::In)
            .then_some((&*self.key, &*self.values))
    }

    /// Whether labels meet the condition (`Requirement.Matches`).
    pub fn matches(&self, labels: &Labels) -> bool {
        let label = labels.get(&self.key);
        let listed = |value: &String| self.values.contains(value);
        match self.operator {
            Operator::Equals | Operator::In => label.is_some_and(listed),
            Operator::NotEquals | Operator::NotIn => !label.is_some_and(listed),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let integers = label
                    .and_then(|l| l.parse::<i64>().ok())
                    .zip(self.values.first().and_then(|v| v.parse::<i64>().ok()));
                let above = self.operator == Operator::GreaterThan;
                integers
                    .is_some_and(|(label, value)| if above { label > value } else { label < value })
            }
        }
    }
}

/// `a=b`, `a in (x,y)`, `!a`
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Exists => write!(f, "{key}"),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

/// Conditions that must all be met; without any, everything matches.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Selector {
    /// Sorted by key.
    requirements: Vec<Requirement>,
}

impl Selector {
    /// A selector of these conditions.
    pub fn new(requirements: impl IntoIterator<Item = Requirement>) -> Self {
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
        self.requirements
            .iter()
            .all(|requirement| requirement.matches(labels))
    }

    /// Whether it has no condition.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
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
        exact
            .chain(further)
            .collect::<Result<Vec<_>, _>>()
            .map(Selector::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Labels {
        text.split(',')
            .filter_map(|pair| pair.split_once('='))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect()
    }

    /// Upstream's `TestSelectorMatches` and `TestRequirementSelectorMatching` (selector_test.go,
    /// v1.34).
    #[test]
    fn matching() {
        for (selector, of, matches) in [
            ("", "x=y", true),
            ("x=y", "x=y", true),
            ("x=y,z=w", "x=y,z=w", true),
            ("x!=y,z!=w", "x=z,z=a", true),
            ("notin=in", "notin=in", true),
            ("x", "x=z", true),
            ("!x", "y=z", true),
            ("x>1", "x=2", true),
            ("x<1", "x=0", true),
            ("x=z", "", false),
            ("x=y", "x=z", false),
            ("x=y,z=w", "x=w,z=w", false),
            ("x!=y,z!=w", "x=z,z=w", false),
            ("x", "y=z", false),
            ("!x", "x=z", false),
            ("x>1", "x=0", false),
            ("x<1", "x=2", false),
            ("x>1", "x=two", false),
            ("x>1", "y=2", false),
            ("foo=bar,foobar!=b,baz", "foo=bar,baz=blah", true),
            ("x in (a,b)", "x=b", true),
            ("x in (a,b)", "x=c", false),
            ("x in (a,b)", "y=a", false),
            ("x notin (a,b)", "x=c", true),
            ("x notin (a,b)", "x=a", false),
            // Upstream counts a missing label as not in the list, and as not equal.
            ("x notin (a,b)", "y=a", true),
            ("x!=a", "y=a", true),
            ("x=,y", "x=,y=1", true),
            ("x in ()", "x=", true),
        ] {
            let parsed = Selector::parse(selector).unwrap_or_else(|e| panic!("{selector}: {e}"));
            assert_eq!(parsed.matches(&labels(of)), matches, "{selector} | {of}");
        }
    }

    /// Upstream's `TestLabelSelectorAsSelector` (meta/v1/helpers_test.go, v1.34).
    #[test]
    fn labels_and_expressions() {
        let expression = |key: &str, operator: &str, values: &[&str]| LabelSelectorRequirement {
            key: key.to_owned(),
            operator: operator.to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        };
        let selector = |of: &str, expressions: &[LabelSelectorRequirement]| {
            let selector = LabelSelector {
                match_labels: labels(of),
                match_expressions: expressions.to_vec(),
            };
            selector
                .as_selector()
                .map(|s| s.to_string())
                .map_err(|e| e.0)
        };
        assert_eq!(selector("", &[]), Ok(String::new()));
        assert_eq!(selector("foo=bar", &[]), Ok("foo=bar".to_owned()));
        assert_eq!(
            selector("", &[expression("baz", "In", &["qux", "norf"])]),
            Ok("baz in (norf,qux)".to_owned())
        );
        assert_eq!(
            selector("foo=bar", &[expression("baz", "In", &["qux", "norf"])]),
            Ok("baz in (norf,qux),foo=bar".to_owned())
        );
        assert_eq!(
            selector(
                "",
                &[
                    expression("a", "Exists", &[]),
                    expression("b", "DoesNotExist", &[])
                ]
            ),
            Ok("a,!b".to_owned())
        );
        assert_eq!(
            selector("foo=bar", &[expression("baz", "Exists", &["qux", "norf"])]),
            Err("values: Invalid value: [\"qux\",\"norf\"]: values set must be empty for exists and does not exist".to_owned())
        );
        assert_eq!(
            selector("", &[expression("a", "in", &["b"])]),
            Err("\"in\" is not a valid label selector operator".to_owned())
        );
        assert_eq!(
            selector("", &[expression("a", "NotIn", &[])]),
            Err(
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
                    .to_owned()
            )
        );
    }

    /// What apimachinery v0.34.4 prints for the selectors that it reads.
    #[test]
    fn texts_that_upstream_reads() {
        for (text, canonical) in [
            ("", ""),
            ("x=a,y=b,z=c", "x=a,y=b,z=c"),
            ("x!=a,y=b", "x!=a,y=b"),
            ("x=", "x="),
            ("x= ,z=", "x=,z="),
            ("x in ()", "x in ()"),
            ("x in (a)", "x in (a)"),
            ("x in (a,b)", "x in (a,b)"),
            ("x in (a,,b)", "x in (,a,b)"),
            ("x in (,a)", "x in (,a)"),
            ("x in (a,)", "x in (,a)"),
            ("x in (,)", "x in ()"),
            ("x notin (b,a)", "x notin (a,b)"),
            ("x notin (a), y", "x notin (a),y"),
            ("!x", "!x"),
            ("!x,y", "!x,y"),
            ("! x", "!x"),
            ("x,!y", "x,!y"),
            ("  x  =  a ", "x=a"),
            ("x>1", "x>1"),
            ("x<1", "x<1"),
            ("x>1,z<5", "x>1,z<5"),
            ("in", "in"),
            ("notin", "notin"),
            ("in in (in)", "in in (in)"),
            ("x in (in,notin)", "x in (in,notin)"),
            ("x=in", "x=in"),
            ("in=notin", "in=notin"),
            ("x in (),y", "x in (),y"),
            ("a.b/c-d_e=f.g", "a.b/c-d_e=f.g"),
        ] {
            assert_eq!(
                Selector::parse(text).map(|s| s.to_string()),
                Ok(canonical.to_owned()),
                "{text:?}"
            );
        }
        assert_eq!(Selector::parse("x==a"), Selector::parse("x=a"));
    }

    /// What it says about those it does not.
    #[test]
    fn texts_that_upstream_refuses() {
        for (text, error) in [
            ("x==a==b", "found '==', expected: ',' or 'end of string'"),
            ("!x=a", "found '=', expected: ',' or 'end of string'"),
            ("!x in (a)", "found 'in', expected: ',' or 'end of string'"),
            ("x=a,", "found '', expected: identifier after ','"),
            (
                ",x=a",
                "found ',', expected: !, identifier, or 'end of string'",
            ),
            ("x,,y", "found ',', expected: identifier after ','"),
            (
                "x in a",
                "unable to parse requirement: found 'a' expected: '('",
            ),
            (
                "x in (a",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "x in (a b)",
                "unable to parse requirement: found 'b', expected: ',' or ')'",
            ),
            (
                "x in (a=b)",
                "unable to parse requirement: found '=', expected: ',' or ')'",
            ),
            (
                "x in ((a))",
                "unable to parse requirement: found '(', expected: ',', ')' or identifier",
            ),
            (
                "x y",
                "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "x=!a",
                "unable to parse requirement: found '!', expected: identifier",
            ),
            (
                "x=(a)",
                "unable to parse requirement: found '(', expected: identifier",
            ),
            (
                "=a",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            (
                "!",
                "unable to parse requirement: found '', expected: identifier",
            ),
            (
                "!!x",
                "unable to parse requirement: found '!', expected: identifier",
            ),
            (
                "x!a",
                "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("x=a b", "found 'b', expected: ',' or 'end of string'"),
            (
                "x===a",
                "unable to parse requirement: found '=', expected: identifier",
            ),
            (
                "x=!=a",
                "unable to parse requirement: found '!=', expected: identifier",
            ),
            (
                "x>=1",
                "unable to parse requirement: found '=', expected: identifier",
            ),
            (
                "x=<1",
                "unable to parse requirement: found '<', expected: identifier",
            ),
            (
                "x)",
                "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "(x)",
                "found '(', expected: !, identifier, or 'end of string'",
            ),
        ] {
            assert_eq!(
                Selector::parse(text).map_err(|e| e.0),
                Err(error.to_owned()),
                "{text:?}"
            );
        }
        for text in ["%=a", "a/b/c", "x=a%", "x in (%)"] {
            assert!(
                Selector::parse(text).is_err_and(|e| e.0.contains("Invalid value")),
                "{text:?}"
            );
        }
        assert!(Selector::parse("a=\0").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-c=!<>(), 0-9]{0,12}|[a-c] (not)?in [(][a-c,]{0,6}[)]|\\PC{0,20}") {
            if let Ok(selector) = Selector::parse(&text) {
                proptest::prop_assert_eq!(Selector::parse(&selector.to_string()), Ok(selector));
            }
        }
    }
}
