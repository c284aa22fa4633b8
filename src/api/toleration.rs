//! Tolerations (`v1.Toleration`) and their matching.
//!
//! `staging/src/k8s.io/api/core/v1/toleration.go: ToleratesTaint` and
//! `component-helpers/scheduling/corev1/helpers.go: GetMatchingTolerations`, v1.34. The operators `Lt` and
//! `Gt` (alpha and off in 1.35 to 1.37) match nothing while their gate is off, and are matched as upstream
//! does when it is on.

use super::taint::{Effect, Taint};

/// How a toleration compares values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Operator {
    /// The value must be equal; the default.
    #[default]
    Equal,
    /// Any value.
    Exists,
    /// The taint's value is an integer below the toleration's.
    Lt,
    /// The taint's value is an integer above the toleration's.
    Gt,
}

impl Operator {
    /// The word Kubernetes uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "Equal",
            Self::Exists => "Exists",
            Self::Lt => "Lt",
            Self::Gt => "Gt",
        }
    }
}

/// A toleration of a pod.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Toleration {
    /// The taint's key; empty with `Exists` tolerates everything.
    pub key: String,
    /// How the value is compared.
    pub operator: Operator,
    /// The value to compare with.
    pub value: String,
    /// The taint's effect; none means every effect.
    pub effect: Option<Effect>,
    /// How long a NoExecute taint is tolerated, in seconds; none is for ever, zero and less not at all.
    pub toleration_seconds: Option<i64>,
}

impl Toleration {
    /// Whether this toleration tolerates `taint` (`Toleration.ToleratesTaint`). `comparison_operators` is the gate
    /// TaintTolerationComparisonOperators.
    pub fn tolerates(&self, taint: &Taint, comparison_operators: bool) -> bool {
        if self.effect.is_some_and(|e| e != taint.effect) {
            return false;
        }
        if !self.key.is_empty() && self.key != taint.key {
            return false;
        }
        match self.operator {
            Operator::Equal => self.value == taint.value,
            Operator::Exists => true,
            Operator::Lt | Operator::Gt if !comparison_operators => false,
            Operator::Lt => compare(&taint.value, &self.value).is_some_and(|(t, own)| t < own),
            Operator::Gt => compare(&taint.value, &self.value).is_some_and(|(t, own)| t > own),
        }
    }
}

fn compare(taint: &str, toleration: &str) -> Option<(i64, i64)> {
    Some((canonical_integer(taint)?, canonical_integer(toleration)?))
}

/// A decimal integer without a plus sign or leading zeros (`content.IsDecimalInteger`).
pub fn canonical_integer(s: &str) -> Option<i64> {
    let digits = s.strip_prefix('-').unwrap_or(s);
    let canonical = s == "0" || !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    if canonical { s.parse().ok() } else { None }
}

/// For each taint the first toleration that matches it, in the pod's order; `None` as soon as a taint is not
/// tolerated (`GetMatchingTolerations`).
pub fn matching_tolerations<'a>(
    taints: &[Taint],
    tolerations: &'a [Toleration],
    comparison_operators: bool,
) -> Option<Vec<&'a Toleration>> {
    taints.iter().map(|taint| tolerations.iter().find(|t| t.tolerates(taint, comparison_operators))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_canonical() {
        for (text, value) in
            [("0", Some(0)), ("-1", Some(-1)), ("10", Some(10)), ("+1", None), ("01", None), ("-0", None), ("", None), ("-", None)]
        {
            assert_eq!(canonical_integer(text), value, "{text:?}");
        }
    }
}
