//! Tolerations of a pod, new and changed (`ValidateTolerations`, `validateOnlyAddedTolerations`).

use super::content::label_value;
use super::field_error::FieldError;
use super::taints::key_errors;
use crate::api::taint::Effect;
use crate::api::toleration::{Operator, Toleration, canonical_integer};

/// Checks tolerations; `path` is the list's own, `spec.tolerations`. `comparison_operators` is the
/// gate TaintTolerationComparisonOperators, or that the stored pod already uses such operators.
///
/// An operator that was left out cannot be told from `Equal` here, and is shown as that.
pub(crate) fn validate_tolerations(
    tolerations: &[Toleration],
    path: &str,
    comparison_operators: bool,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, toleration) in tolerations.iter().enumerate() {
        let at = |field: &str| format!("{path}[{i}].{field}");
        let operator = toleration.operator;
        if !toleration.key.is_empty() {
            errors.extend(key_errors(&toleration.key, &at("key")));
        } else if operator != Operator::Exists {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.push(FieldError::invalid(&at("operator"), operator.as_str(), detail));
        }
        if toleration.toleration_seconds.is_some() && toleration.effect != Some(Effect::NoExecute) {
            let effect = toleration.effect.map_or("", Effect::as_str);
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(FieldError::invalid(&at("effect"), effect, detail));
        }
        errors.extend(value_errors(toleration, at, comparison_operators));
    }
    errors
}

/// What is wrong with the value of a toleration, or with its operator; `at` gives the path of a
/// field.
fn value_errors(
    toleration: &Toleration,
    at: impl Fn(&str) -> String,
    comparison_operators: bool,
) -> Vec<FieldError> {
    let (operator, value) = (toleration.operator, toleration.value.as_str());
    let invalid = |field, detail: &str| vec![FieldError::invalid(&at(field), value, detail)];
    match operator {
        // Upstream reports a wrong value of Equal and Exists at the operator.
        Operator::Equal => {
            let wrong = label_value(value);
            if wrong.is_empty() { Vec::new() } else { invalid("operator", &wrong.join(";")) }
        }
        Operator::Exists if value.is_empty() => Vec::new(),
        Operator::Exists => invalid("operator", "value must be empty when `operator` is 'Exists'"),
        Operator::Lt | Operator::Gt if !comparison_operators => vec![FieldError::not_supported(
            &at("operator"),
            operator.as_str(),
            &["Equal", "Exists", "Lt", "Gt"],
        )],
        Operator::Lt | Operator::Gt => integer_errors(value)
            .into_iter()
            .map(|detail| FieldError::invalid(&at("value"), value, detail))
            .collect(),
    }
}

/// What keeps a text from being a canonical int64: first its form, then its range
/// (`content.IsDecimalInteger` and `strconv.ParseInt`, which upstream both asks and both reports).
fn integer_errors(value: &str) -> Vec<String> {
    if canonical_integer(value).is_some() {
        return Vec::new();
    }
    let mut errors = Vec::new();
    let digits = value.strip_prefix('-').unwrap_or(value);
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if value.is_empty() {
        errors.push("must be non-empty".to_owned());
    } else if !all_digits(digits) || digits.starts_with('0') {
        errors.push("must be a valid decimal integer in canonical form".to_owned());
    }
    if value.parse::<i64>().is_err() {
        let form_ok = all_digits(value.strip_prefix(['-', '+']).unwrap_or(value));
        let reason = if form_ok { "value out of range" } else { "invalid syntax" };
        errors.push(format!("strconv.ParseInt: parsing {value:?}: {reason}"));
    }
    errors
}

/// Checks a pod's update: every old toleration must still be there, in which only the seconds may
/// have changed; more may come (`validateOnlyAddedTolerations`).
pub(crate) fn validate_toleration_update(
    new: &[Toleration],
    old: &[Toleration],
    path: &str,
    comparison_operators: bool,
) -> Vec<FieldError> {
    let same_but_seconds = |a: &Toleration, b: &Toleration| {
        (&a.key, a.operator, &a.value, a.effect) == (&b.key, b.operator, &b.value, b.effect)
    };
    if old.iter().any(|o| !new.iter().any(|n| same_but_seconds(o, n))) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        return vec![FieldError::forbidden(path, detail)];
    }
    // A stored pod that uses Lt or Gt may go on doing so with the gate off.
    let uses = old.iter().any(|t| matches!(t.operator, Operator::Lt | Operator::Gt));
    validate_tolerations(new, path, comparison_operators || uses)
}

/// Reads an operator at `path`; an empty one is `Equal`.
///
/// # Errors
/// A word that is no operator, with what is near to it as the hint.
pub(crate) fn operator_of(text: &str, path: &str) -> Result<Operator, FieldError> {
    let operator = if text.is_empty() { Some(Operator::Equal) } else { Operator::parse(text) };
    operator.ok_or_else(|| FieldError::not_supported(path, text, &["Equal", "Exists"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toleration(
        key: &str,
        operator: Operator,
        value: &str,
        effect: Option<Effect>,
        seconds: Option<i64>,
    ) -> Toleration {
        Toleration {
            key: key.to_owned(),
            operator,
            value: value.to_owned(),
            effect,
            toleration_seconds: seconds,
        }
    }

    fn check(toleration: Toleration, gate: bool, expected: &[&str]) {
        let errors: Vec<String> = validate_tolerations(&[toleration], "spec.tolerations", gate)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(errors, expected);
    }

    /// The cases of upstream's `TestValidatePod` that concern tolerations.
    #[test]
    fn tolerations_that_upstream_takes() {
        let no_execute = Some(Effect::NoExecute);
        for good in [
            toleration("foo", Operator::Equal, "bar", no_execute, Some(60)),
            toleration("foo", Operator::Exists, "", no_execute, Some(60)),
            toleration("", Operator::Exists, "", Some(Effect::NoSchedule), None),
            toleration("", Operator::Exists, "", None, None),
            toleration("foo", Operator::Equal, "", Some(Effect::NoSchedule), None),
            toleration("foo", Operator::Exists, "", no_execute, Some(0)),
            toleration("foo", Operator::Exists, "", no_execute, Some(i64::MIN)),
        ] {
            check(good, false, &[]);
        }
        // Duplicates are allowed.
        let twice = vec![toleration("foo", Operator::Exists, "", None, None); 2];
        assert_eq!(validate_tolerations(&twice, "spec.tolerations", false), []);
    }

    #[test]
    fn tolerations_that_upstream_refuses() {
        let no_execute = Some(Effect::NoExecute);
        check(
            toleration("", Operator::Equal, "bar", None, None),
            false,
            &[
                "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which means \
               \"match all values and all keys\"",
            ],
        );
        for (effect, shown) in [(Some(Effect::NoSchedule), "NoSchedule"), (None, "")] {
            let text = format!(
                "spec.tolerations[0].effect: Invalid value: \"{shown}\": effect must be 'NoExecute' when `tolerationSeconds` is set"
            );
            check(toleration("foo", Operator::Exists, "", effect, Some(20)), false, &[&text]);
        }
        check(
            toleration("foo", Operator::Exists, "bar", no_execute, None),
            false,
            &[
                "spec.tolerations[0].operator: Invalid value: \"bar\": value must be empty when `operator` is 'Exists'",
            ],
        );
        let wrong = validate_tolerations(
            &[toleration("no$", Operator::Equal, "n/o", None, None)],
            "spec.tolerations",
            false,
        );
        let fields: Vec<&str> = wrong.iter().map(|e| e.field.as_str()).collect();
        assert_eq!(fields, ["spec.tolerations[0].key", "spec.tolerations[0].operator"]);
    }

    #[test]
    fn comparison_operators_need_their_gate_and_canonical_integers() {
        check(
            toleration("sla", Operator::Gt, "950", None, None),
            false,
            &[
                "spec.tolerations[0].operator: Unsupported value: \"Gt\": supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\"",
            ],
        );
        for good in ["950", "0", "-5", "9223372036854775807"] {
            check(toleration("sla", Operator::Lt, good, Some(Effect::NoSchedule), None), true, &[]);
        }
        let form = "must be a valid decimal integer in canonical form";
        for (value, details) in [
            ("0950", vec![form.to_owned()]),
            ("+5", vec![form.to_owned()]),
            (
                "x",
                vec![form.to_owned(), "strconv.ParseInt: parsing \"x\": invalid syntax".to_owned()],
            ),
            (
                "",
                vec![
                    "must be non-empty".to_owned(),
                    "strconv.ParseInt: parsing \"\": invalid syntax".to_owned(),
                ],
            ),
            (
                "9223372036854775808",
                vec![
                    "strconv.ParseInt: parsing \"9223372036854775808\": value out of range"
                        .to_owned(),
                ],
            ),
        ] {
            let expected: Vec<String> = details
                .iter()
                .map(|d| format!("spec.tolerations[0].value: Invalid value: {value:?}: {d}"))
                .collect();
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            check(toleration("sla", Operator::Lt, value, None, None), true, &expected);
        }
    }

    /// What a pod has before it is updated.
    fn stored() -> Toleration {
        toleration("a", Operator::Equal, "1", Some(Effect::NoExecute), Some(10))
    }

    #[test]
    fn an_update_may_only_add_and_change_seconds() {
        let old = [stored()];
        let changed =
            |t: Toleration| validate_toleration_update(&[t], &old, "spec.tolerations", false);
        assert_eq!(
            changed(toleration("a", Operator::Equal, "1", Some(Effect::NoExecute), None)),
            []
        );
        assert_eq!(
            changed(toleration("a", Operator::Equal, "1", Some(Effect::NoExecute), Some(20))),
            []
        );
        let refused =
            changed(toleration("a", Operator::Equal, "2", Some(Effect::NoExecute), Some(10)));
        assert_eq!(refused.len(), 1);
        assert_eq!(
            refused[0].to_string(),
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
        );
        assert_eq!(validate_toleration_update(&[], &old, "spec.tolerations", false).len(), 1);
    }

    #[test]
    fn what_an_update_adds_is_checked_like_anything_else() {
        let old = [stored()];
        let more = [old[0].clone(), toleration("b", Operator::Exists, "", None, None)];
        assert_eq!(validate_toleration_update(&more, &old, "spec.tolerations", false), []);
        let wrong = [old[0].clone(), toleration("b", Operator::Exists, "", None, Some(1))];
        assert_eq!(validate_toleration_update(&wrong, &old, "spec.tolerations", false).len(), 1);
    }

    #[test]
    fn a_pod_that_uses_comparison_operators_keeps_them() {
        let old = [toleration("sla", Operator::Lt, "5", None, None)];
        assert_eq!(validate_toleration_update(&old, &old, "spec.tolerations", false), []);
    }

    #[test]
    fn operators_are_read() {
        assert_eq!(operator_of("", "o"), Ok(Operator::Equal));
        assert_eq!(operator_of("Exists", "o"), Ok(Operator::Exists));
        let error = operator_of("exists", "o").unwrap_err();
        assert_eq!(
            error.to_string(),
            "o: Unsupported value: \"exists\": supported values: \"Equal\", \"Exists\""
        );
        assert_eq!(error.hint.as_deref(), Some("did you mean \"Exists\"?"));
    }
}
