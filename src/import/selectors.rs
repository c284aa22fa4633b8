//! Expressions that select devices (CEL), as far as they are comparisons joined by `&&`.
//!
//! `device.driver == "d"`, `device.attributes["d"].x == "text"`, `== true`, with `!=` as well, `>= 3` and the like on
//! numbers, and an attribute that is a truth by itself (`k8s.io/dynamic-resource-allocation/cel`). Versions are not
//! compared.

use crate::import::prelude::*;

/// The attributes of a device, each under a key of its one type: `{"string": "a"}`.
pub(super) type Attributes = BTreeMap<String, BTreeMap<String, Value>>;

/// A part of an expression that has to be true.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Term {
    /// The driver is that.
    Driver(String),
    /// An attribute of a domain compares to a value in that way.
    Attribute(String, String, Comparison, Value),
}

/// How the value of a device is compared to that of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// Longer ones before those that begin them.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    (">", Comparison::Above),
    ("<", Comparison::Below),
];

/// The parts of an expression, if it is of this kind.
pub(super) fn terms(expression: &str) -> Option<Vec<Term>> {
    split(expression).into_iter().map(term).collect()
}

/// Cut at each `&&` that is outside of texts.
fn split(expression: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quote) = (Vec::new(), 0, None);
    for (i, c) in expression.char_indices() {
        match quote {
            Some(q) if c == q => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if i >= start && expression[i..].starts_with("&&") => {
                parts.push(&expression[start..i]);
                start = i + 2;
            }
            _ => {}
        }
    }
    parts.push(&expression[start..]);
    parts
}

fn term(text: &str) -> Option<Term> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("device.driver") {
        let (how, value) = compared(rest)?;
        let driver = value.as_str().filter(|_| how == Comparison::Equal)?;
        return Some(Term::Driver(driver.to_owned()));
    }
    let rest = text.strip_prefix("device.attributes[")?.trim_start();
    let (domain, rest) = quoted(rest)?;
    let rest = rest.trim_start().strip_prefix(']')?.strip_prefix('.')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let (how, value) = match rest.is_empty() {
        true => (Comparison::Equal, Value::Bool(true)),
        false => compared(rest)?,
    };
    (!name.is_empty()).then(|| Term::Attribute(domain.to_owned(), name.to_owned(), how, value))
}

/// A comparison, and the value that stands behind it: a text, a number or a truth.
fn compared(text: &str) -> Option<(Comparison, Value)> {
    let text = text.trim_start();
    let (how, value) =
        COMPARISONS.iter().find_map(|(sign, how)| Some((*how, text.strip_prefix(sign)?.trim())))?;
    let value = match value {
        "true" | "false" => Value::Bool(value == "true"),
        _ => match quoted(value) {
            Some((text, "")) => Value::String(text.to_owned()),
            _ => value.parse::<i64>().ok()?.into(),
        },
    };
    Some((how, value))
}

/// A text without escapes, and what stands behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inside, rest) = text[1..].split_once(quote)?;
    (!inside.contains('\\')).then_some((inside, rest))
}

impl Term {
    /// Whether it is true of a device; an attribute that is not there, or is of another type, is no match.
    pub(super) fn holds(&self, driver: &str, attributes: &Attributes) -> bool {
        let (domain, name, how, wanted) = match self {
            Self::Driver(wanted) => return wanted == driver,
            Self::Attribute(domain, name, how, wanted) => (domain, name, how, wanted),
        };
        // Those of the driver's own domain may be written without it.
        let own = (domain == driver).then(|| attributes.get(name)).flatten();
        let Some(typed) = attributes.get(&format!("{domain}/{name}")).or(own) else { return false };
        let has = match wanted {
            Value::String(_) => typed.get("string"),
            Value::Bool(_) => typed.get("bool"),
            _ => typed.get("int"),
        };
        let Some(has) = has else { return false };
        let order = || Some(has.as_i64()?.cmp(&wanted.as_i64()?));
        match how {
            Comparison::Equal => has == wanted,
            Comparison::NotEqual => has != wanted,
            Comparison::AtLeast => order().is_some_and(|o| o.is_ge()),
            Comparison::AtMost => order().is_some_and(|o| o.is_le()),
            Comparison::Above => order().is_some_and(|o| o.is_gt()),
            Comparison::Below => order().is_some_and(|o| o.is_lt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comparisons_that_are_understood() {
        let attributes: Attributes = serde_json::from_value(json!({
            "type": {"string": "gpu && more"}, "memory": {"int": 80}, "other.example/ready": {"bool": true}
        }))
        .unwrap();
        for (text, holds) in [
            ("device.driver == 'd.example'", true),
            ("device.driver=='e.example'", false),
            (
                r#"device.driver == "d.example" && device.attributes["d.example"].type == "gpu && more""#,
                true,
            ),
            (r#"device.attributes["d.example"].type != 'mig'"#, true),
            (r#"device.attributes["e.example"].type == "gpu && more""#, false),
            (
                r#"device.attributes['d.example'].memory >= 80 && device.attributes['d.example'].memory < 81"#,
                true,
            ),
            (r#"device.attributes['d.example'].memory > 80"#, false),
            (r#"device.attributes['d.example'].memory <= 79"#, false),
            (r#"device.attributes['other.example'].ready"#, true),
            (r#"device.attributes['other.example'].ready == false"#, false),
            (r#"device.attributes['d.example'].missing != 'x'"#, false),
        ] {
            let terms = terms(text).expect(text);
            assert_eq!(terms.iter().all(|t| t.holds("d.example", &attributes)), holds, "{text}");
        }
        for text in [
            "",
            "true",
            "device.driver != 'd'",
            "device.driver == 'd' || device.driver == 'e'",
            "device.attributes['d'].v.compareTo(semver('1.0.0')) >= 0",
            "device.capacity['d'].memory >= quantity('1Gi')",
            "'x' in device.attributes",
            "device.attributes['d'].x == y",
        ] {
            assert_eq!(terms(text), None, "{text}");
        }
    }
}
