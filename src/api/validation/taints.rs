//! Taints of a node (`validateNodeTaints`).

use super::content::{label_value, qualified_name};
use super::field_error::{FieldError, quoted};
use crate::api::taint::{Effect, Taint};

/// Checks a node's taints; `path` is the list's own, `spec.taints`.
pub(crate) fn validate_taints(taints: &[Taint], path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, taint) in taints.iter().enumerate() {
        let at = format!("{path}[{i}]");
        errors.extend(key_errors(&taint.key, &format!("{at}.key")));
        let value_errors = label_value(&taint.value);
        if !value_errors.is_empty() {
            let (field, detail) = (format!("{at}.value"), value_errors.join(";"));
            errors.push(FieldError::invalid(&field, &taint.value, detail));
        }
        if taints[..i].iter().any(|earlier| earlier.matches(taint)) {
            let detail = "taints must be unique by key and effect pair";
            errors.push(FieldError::duplicate(&at, as_json(taint), detail));
        }
    }
    errors
}

/// Reads an effect at `path` (`validateTaintEffect`).
///
/// # Errors
/// An empty effect, and one that is not of the three, with what is near to it as the hint.
pub(crate) fn effect_of(text: &str, path: &str) -> Result<Effect, FieldError> {
    if text.is_empty() {
        return Err(FieldError::required(path));
    }
    Effect::parse(text)
        .ok_or_else(|| FieldError::not_supported(path, text, &Effect::ALL.map(Effect::as_str)))
}

/// One error for each rule that a key breaks (`ValidateLabelName`).
pub(super) fn key_errors(key: &str, path: &str) -> Vec<FieldError> {
    qualified_name(key).into_iter().map(|message| FieldError::invalid(path, key, message)).collect()
}

/// A taint as messages show it: the internal type has no JSON names.
fn as_json(taint: &Taint) -> String {
    let (key, value) = (quoted(&taint.key), quoted(&taint.value));
    format!(
        "{{\"Key\":{key},\"Value\":{value},\"Effect\":\"{}\",\"TimeAdded\":null}}",
        taint.effect
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taint(key: &str, value: &str, effect: Effect) -> Taint {
        Taint { value: value.to_owned(), ..Taint::new(key, effect) }
    }

    #[test]
    fn taints_that_upstream_takes() {
        // One key with two effects, a key with a prefix, an empty value.
        let taints = [
            taint("GPU", "abc", Effect::NoSchedule),
            taint("GPU", "abc", Effect::NoExecute),
            taint("example.com/dedicated", "", Effect::PreferNoSchedule),
        ];
        assert_eq!(validate_taints(&taints, "spec.taints"), []);
    }

    #[test]
    fn taints_that_upstream_refuses() {
        let shown = |taints: &[Taint]| {
            validate_taints(taints, "spec.taints")
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        let name = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                    character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
        assert_eq!(
            shown(&[
                taint("ok", "", Effect::NoSchedule),
                taint("nospecialchars%^=@", "", Effect::NoSchedule)
            ]),
            [format!("spec.taints[1].key: Invalid value: \"nospecialchars%^=@\": {name}")]
        );
        let value = shown(&[taint("GPU", "some\\invalid", Effect::NoSchedule)]);
        assert_eq!(value.len(), 1);
        assert!(
            value[0].starts_with(
                "spec.taints[0].value: Invalid value: \"some\\\\invalid\": a valid label must be"
            ),
            "{value:?}"
        );
        assert_eq!(
            shown(&[taint("a", "1", Effect::NoExecute), taint("a", "2", Effect::NoExecute)]),
            [
                "spec.taints[1]: Duplicate value: {\"Key\":\"a\",\"Value\":\"2\",\"Effect\":\"NoExecute\",\"TimeAdded\":null}: \
                 taints must be unique by key and effect pair"
            ]
        );
    }

    #[test]
    fn effects_are_one_of_three() {
        assert_eq!(effect_of("NoExecute", "e"), Ok(Effect::NoExecute));
        assert_eq!(
            effect_of("", "spec.taints[0].effect").unwrap_err().to_string(),
            "spec.taints[0].effect: Required value"
        );
        let error = effect_of("NoExcute", "spec.taints[0].effect").unwrap_err();
        assert_eq!(
            error.to_string(),
            "spec.taints[0].effect: Unsupported value: \"NoExcute\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""
        );
        assert_eq!(error.hint.as_deref(), Some("did you mean \"NoExecute\"?"));
    }
}
