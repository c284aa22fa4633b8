//! Labels, and selectors of labels in both of Kubernetes' forms: `matchLabels` with
//! `matchExpressions`, and kubectl's `a=b,c!=d,e in (x,y),!f`.
//!
//! `apimachinery/pkg/labels/selector.go` and `pkg/apis/meta/v1/helpers.go:
//! LabelSelectorAsSelector`, v1.34, with their error texts. Where ours differs: `x==y` is written
//! as `x=y`, and a list may end in two commas.

mod by_label;
mod parser;
mod requirement;
mod selector;
#[cfg(test)]
mod tests;

pub(crate) use by_label::{ByLabel, Selectors};
pub use requirement::{Labels, Operator, Requirement, SelectorError};
pub use selector::{LabelSelector, LabelSelectorRequirement, Selector, SelectorOperator};
