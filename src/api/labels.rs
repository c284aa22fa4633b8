//! Labels and label selectors (`metav1.LabelSelector`).

use std::collections::BTreeMap;

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;
