//! Which fields and words of the language a scenario has, by its JSON Schema: `Partition.cut`,
//! `Effect=NoExecute`.

use crate::language::Scenario;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a scenario has of the language.
pub(super) fn used(schema: &Value, spec: &Scenario) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    // Every type of the language can be written.
    let value = serde_json::to_value(spec).unwrap_or_default();
    Walk {
        schema,
        all: &mut all,
    }
    .value(schema, "Scenario", Some(&value));
    all
}

/// Everything that the language has.
pub fn everything(schema: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut walk = Walk {
        schema,
        all: &mut all,
    };
    walk.value(schema, "Scenario", None);
    for (kind, of) in schema["$defs"].as_object().into_iter().flatten() {
        walk.value(of, kind, None);
    }
    all
}

struct Walk<'a> {
    schema: &'a Value,
    all: &'a mut BTreeSet<String>,
}

impl<'a> Walk<'a> {
    /// A value of a type; without a value, all that the type itself says.
    fn value(&mut self, schema: &'a Value, of: &str, value: Option<&Value>) {
        if let Some(kind) = schema["$ref"].as_str().and_then(|r| r.rsplit('/').next()) {
            if value.is_some() {
                let root = self.schema;
                self.value(&root["$defs"][kind], kind, value);
            }
            return;
        }
        for variant in schema["anyOf"]
            .as_array()
            .or(schema["oneOf"].as_array())
            .into_iter()
            .flatten()
        {
            if value.is_none_or(|v| is_of(variant, v)) {
                self.value(variant, of, value);
            }
        }
        let words = schema["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(Some(&schema["const"]))
            .filter_map(Value::as_str);
        self.all.extend(
            words
                .filter(|w| value.is_none_or(|v| v == w))
                .map(|w| format!("{of}={w}")),
        );
        if let Some(items) = value.and_then(Value::as_array) {
            for (i, item) in items.iter().enumerate() {
                let inner = schema["prefixItems"].get(i).unwrap_or(&schema["items"]);
                self.value(inner, of, Some(item));
            }
        }
        if let Some(entries) = value
            .and_then(Value::as_object)
            .filter(|_| schema["additionalProperties"].is_object())
        {
            for entry in entries.values() {
                self.value(&schema["additionalProperties"], of, Some(entry));
            }
        }
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        // A variant of an enumeration is an object with one field, and its own fields are under its
        // name.
        let is_variant =
            properties.len() == 1 && schema["required"].as_array().is_some_and(|r| r.len() == 1);
        for (name, inner) in properties {
            let inner_value = value.map(|v| &v[name]);
            if inner_value.is_some_and(Value::is_null) {
                continue;
            }
            self.all.insert(format!("{of}.{name}"));
            let of = if is_variant && inner["properties"].is_object() {
                name
            } else {
                of
            };
            self.value(inner, of, inner_value);
        }
    }
}

/// Whether a value is of this variant of several.
fn is_of(variant: &Value, value: &Value) -> bool {
    match value {
        Value::Null => variant["type"] == "null",
        Value::String(word) => {
            let is_listed = variant["enum"]
                .as_array()
                .is_some_and(|all| all.contains(value));
            variant["$ref"].is_string() || variant["const"] == *word || is_listed
        }
        Value::Object(object) => {
            let properties = variant["properties"].as_object();
            variant["$ref"].is_string()
                || properties.is_some_and(|p| object.keys().all(|k| p.contains_key(k)))
        }
        _ => variant["$ref"].is_string() || variant["type"] == "array",
    }
}
