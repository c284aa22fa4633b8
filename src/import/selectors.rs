//! Expressions that select devices (CEL), as far as they are comparisons joined by `&&`, `||`, `!` and parentheses.
//!
//! `device.driver == "d"`, `device.attributes["d"].x == "text"`, `== true`, with `!=` as well, `>= 3` and the like on
//! numbers, `in ["a", "b"]`, and an attribute that is a truth by itself (`k8s.io/dynamic-resource-allocation/cel`).
//! Versions are not compared. An attribute that is not there, or is of another type, is an error and so no match, unless
//! the other side of `||` is true, or that of `&&` is false.

use crate::import::prelude::*;

/// The attributes of a device, each under a key of its one type: `{"string": "a"}`.
pub(super) type Attributes = BTreeMap<String, BTreeMap<String, Value>>;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Expr {
    /// The driver is that.
    Driver(String),
    /// An attribute compares to a value in the way of one of the [`SIGNS`].
    Attribute(Attribute, &'static str, Value),
    /// All of these.
    All(Vec<Expr>),
    /// One of these.
    Any(Vec<Expr>),
    /// Not this.
    Not(Box<Expr>),
}

/// An attribute of a device.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Attribute {
    domain: String,
    name: String,
}

/// How the value of a device is compared to that of an expression; longer ones before those that begin them.
const SIGNS: [&str; 6] = ["==", "!=", ">=", "<=", ">", "<"];

/// How many parentheses and `!` stand within each other at most.
const DEPTH_MAX: u32 = 50;

/// The parts of an expression that are joined by `&&`, if it is of this kind.
pub(super) fn terms(expression: &str) -> Option<Vec<Expr>> {
    let mut reader = Reader { rest: expression };
    let read = reader.any(0)?;
    reader.rest.trim().is_empty().then(|| read.terms())
}

/// What is left to be read of an expression.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Whether that is next, and then takes it.
    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn any(&mut self, depth: u32) -> Option<Expr> {
        let mut parts = vec![self.all(depth)?];
        while self.takes("||") {
            parts.push(self.all(depth)?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(Expr::Any(parts)) }
    }

    fn all(&mut self, depth: u32) -> Option<Expr> {
        let mut parts = self.term(depth)?.terms();
        while self.takes("&&") {
            parts.extend(self.term(depth)?.terms());
        }
        if parts.len() == 1 { parts.pop() } else { Some(Expr::All(parts)) }
    }

    fn term(&mut self, depth: u32) -> Option<Expr> {
        if depth > DEPTH_MAX {
            return None;
        }
        if self.takes("(") {
            let read = self.any(depth + 1)?;
            return self.takes(")").then_some(read);
        }
        if !self.takes("!") {
            return self.comparison();
        }
        // It binds closer than a comparison.
        let is_compound = self.rest.trim_start().starts_with(['(', '!']);
        let read =
            if is_compound { self.term(depth + 1)? } else { self.attribute()?.is(true.into()) };
        Some(Expr::Not(Box::new(read)))
    }

    fn comparison(&mut self) -> Option<Expr> {
        if self.takes("device.driver") {
            let wanted = self.takes("==").then(|| self.value())??;
            return Some(Expr::Driver(wanted.as_str()?.to_owned()));
        }
        let attribute = self.attribute()?;
        if self.takes("in") {
            self.takes("[").then_some(())?;
            let mut values = vec![attribute.is(self.value()?)];
            while self.takes(",") {
                values.push(attribute.is(self.value()?));
            }
            return self.takes("]").then_some(Expr::Any(values));
        }
        let Some(sign) = SIGNS.into_iter().find(|sign| self.takes(sign)) else {
            return Some(attribute.is(true.into()));
        };
        let wanted = self.value()?;
        let has_order = matches!(sign, "==" | "!=") || wanted.is_i64();
        has_order.then_some(Expr::Attribute(attribute, sign, wanted))
    }

    fn attribute(&mut self) -> Option<Attribute> {
        self.takes("device.attributes[").then_some(())?;
        let (domain, rest) = quoted(self.rest.trim_start())?;
        self.rest = rest;
        (self.takes("]") && self.takes(".")).then_some(())?;
        let name = self.word();
        (!name.is_empty()).then(|| Attribute { domain: domain.to_owned(), name: name.to_owned() })
    }

    /// A text, a number or a truth.
    fn value(&mut self) -> Option<Value> {
        if let Some((text, rest)) = quoted(self.rest.trim_start()) {
            self.rest = rest;
            return Some(text.into());
        }
        let sign = if self.takes("-") { "-" } else { "" };
        match (sign, self.word()) {
            ("", word @ ("true" | "false")) => Some((word == "true").into()),
            (sign, digits) => Some(format!("{sign}{digits}").parse::<i64>().ok()?.into()),
        }
    }

    fn word(&mut self) -> &'t str {
        let is_of_it = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = self.rest.trim_start();
        let end = rest.find(|c| !is_of_it(c)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }
}

/// A text without escapes, and what stands behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inside, rest) = text[1..].split_once(quote)?;
    (!inside.contains('\\')).then_some((inside, rest))
}

impl Attribute {
    fn is(&self, value: Value) -> Expr {
        Expr::Attribute(self.clone(), "==", value)
    }
}

impl Expr {
    /// The parts of it that are joined by `&&`.
    fn terms(self) -> Vec<Self> {
        if let Self::All(all) = self { all } else { vec![self] }
    }

    /// Whether it is true of a device; none where that is an error.
    pub(super) fn holds(&self, driver: &str, attributes: &Attributes) -> Option<bool> {
        // The one answer that ends it, whatever the others are.
        let joined = |parts: &[Self], ends: bool| {
            let answers: Vec<_> = parts.iter().map(|p| p.holds(driver, attributes)).collect();
            let is_ended = answers.contains(&Some(ends));
            (is_ended || !answers.contains(&None)).then_some(is_ended == ends)
        };
        let (Attribute { domain, name }, sign, wanted) = match self {
            Self::Driver(wanted) => return Some(wanted == driver),
            Self::All(parts) => return joined(parts, false),
            Self::Any(parts) => return joined(parts, true),
            Self::Not(of) => return of.holds(driver, attributes).map(|holds| !holds),
            Self::Attribute(attribute, sign, wanted) => (attribute, *sign, wanted),
        };
        // Those of the driver's own domain may be written without it.
        let own = (domain == driver).then(|| attributes.get(name)).flatten();
        let typed = attributes.get(&format!("{domain}/{name}")).or(own)?;
        let has = match wanted {
            Value::String(_) => typed.get("string"),
            Value::Bool(_) => typed.get("bool"),
            _ => typed.get("int"),
        }?;
        let order = || Some(has.as_i64()?.cmp(&wanted.as_i64()?));
        match sign {
            "==" => Some(has == wanted),
            "!=" => Some(has != wanted),
            ">=" => order().map(|o| o.is_ge()),
            "<=" => order().map(|o| o.is_le()),
            ">" => order().map(|o| o.is_gt()),
            _ => order().map(|o| o.is_lt()),
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
            ("(device.driver == 'd.example')", true),
            (
                r#"device.attributes['d.example'].type == 'x' || device.attributes['d.example'].memory == 80"#,
                true,
            ),
            (r#"device.attributes['d.example'].memory in [40, 80]"#, true),
            (r#"device.attributes['d.example'].type in ["a","b"]"#, false),
            ("!device.attributes['other.example'].ready", false),
            (
                r#"!(device.attributes['d.example'].memory < 80 || device.attributes['d.example'].type == "x")"#,
                true,
            ),
            (
                r#"device.attributes['d.example'].memory == -1 || !!device.attributes['other.example'].ready"#,
                true,
            ),
            // `&&` binds closer than `||`: true, or (true and false).
            (
                r#"device.attributes['d.example'].memory == 80 || device.attributes['d.example'].memory == 80 && device.attributes['d.example'].memory == 1"#,
                true,
            ),
            // What is an error is no match, also where it is turned round, unless the other side decides.
            ("!(device.attributes['d.example'].missing == 'x')", false),
            ("device.attributes['d.example'].missing == 'x' || device.driver == 'd.example'", true),
            ("!(device.attributes['d.example'].missing == 'x' && device.driver == 'e')", true),
        ] {
            let terms = terms(text).expect(text);
            let all = terms.iter().all(|t| t.holds("d.example", &attributes) == Some(true));
            assert_eq!(all, holds, "{text}");
        }
        for text in [
            "",
            "true",
            "device.driver != 'd'",
            "!device.attributes['d'].x == false",
            "device.driver == 'd' ||",
            "(device.driver == 'd'",
            "device.driver == 'd')",
            "device.attributes['d'].x in []",
            "device.attributes['d'].x in ['a'",
            "device.attributes['d'].x >= 'a'",
            "device.driver in ['d', 'e']",
            &"(".repeat(1000),
            &"!".repeat(1000),
            "device.attributes['d'].v.compareTo(semver('1.0.0')) >= 0",
            "device.capacity['d'].memory >= quantity('1Gi')",
            "'x' in device.attributes",
            "device.attributes['d'].x == y",
        ] {
            assert_eq!(terms(text), None, "{text}");
        }
    }
}
