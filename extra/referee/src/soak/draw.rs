//! Random values of the language's types, by their JSON Schema: what is added to the language is
//! drawn without a change here.

use super::words::{self, Known};
use serde_json::{Map, Value};
use taintsim::lab::dice::Dice;

/// Draws values.
pub(super) struct Draw<'a> {
    pub(super) dice: Dice,
    pub(super) schema: &'a Value,
    pub(super) known: Known,
}

/// Deeper than this only what is required is drawn: selectors of nodes hold selectors.
const DEEPEST: u32 = 22;

impl<'a> Draw<'a> {
    pub(super) fn new(schema: &'a Value, seed: u64) -> Self {
        Self { dice: Dice::new(seed), schema, known: Known { seconds: 60, ..Known::default() } }
    }

    /// A value of a type of the language.
    pub(super) fn of(&mut self, kind: &str) -> Value {
        self.definition(kind, "", "", 0)
    }

    /// A field of the scenario itself.
    pub(super) fn field(&mut self, field: &str) -> Value {
        let schema = self.schema;
        self.value(&schema["properties"][field], "Scenario", field, 0)
    }

    fn definition(&mut self, kind: &str, of: &str, field: &str, depth: u32) -> Value {
        if let Some(value) = words::typed(&mut self.dice, &self.known, kind, of, field) {
            return value;
        }
        let schema = self.schema;
        let of = if kind == "OneOrMany" { of } else { kind };
        let field = if kind == "OneOrMany" { field } else { "" };
        self.value(&schema["$defs"][kind], of, field, depth + 1)
    }

    fn value(&mut self, schema: &'a Value, of: &str, field: &str, depth: u32) -> Value {
        if let Some(kind) = schema["$ref"].as_str().and_then(|r| r.rsplit('/').next()) {
            return self.definition(kind, of, field, depth);
        }
        if let Some(all) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            let variants: Vec<&Value> = all.iter().filter(|v| v["type"] != "null").collect();
            let plain = |v: &&&Value| v["const"].is_string();
            let with_fields: Vec<&Value> = variants.iter().filter(|v| !plain(v)).copied().collect();
            let variant = if depth > DEEPEST {
                variants.iter().find(plain).copied().unwrap_or(variants[0])
            } else if !with_fields.is_empty() && self.dice.once_in(2) {
                // What has fields is worth more draws than a mere word.
                self.dice.one(&with_fields)
            } else {
                self.dice.one(&variants)
            };
            return self.value(variant, of, field, depth);
        }
        if let Some(word) = schema["const"].as_str() {
            return word.into();
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<&Value> = words.iter().collect();
            return self.dice.one(&words).clone();
        }
        let kind =
            schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default();
        match kind {
            "object" => self.object(schema, of, field, depth),
            "array" => self.list(schema, of, field, depth),
            "boolean" => self.dice.once_in(2).into(),
            "integer" => {
                let is_signed = !schema["format"].as_str().unwrap_or_default().starts_with('u');
                words::number(&mut self.dice, of, field, is_signed)
            }
            "number" => words::fraction(&mut self.dice, field),
            _ => words::text(&mut self.dice, &self.known, of, field).into(),
        }
    }

    fn object(&mut self, schema: &'a Value, of: &str, field: &str, depth: u32) -> Value {
        let mut object = Map::new();
        if let Some(properties) = schema["properties"].as_object() {
            let required: Vec<&str> = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            // A variant of an enumeration is an object with one field, and its own fields are under
            // its name.
            let is_variant = properties.len() == 1 && required.len() == 1;
            let excluded = self.excluded(properties, of);
            for (name, inner) in
                properties.iter().filter(|(name, _)| !excluded.contains(&name.as_str()))
            {
                let wanted = required.contains(&name.as_str())
                    || (depth < DEEPEST && self.is_wanted(of, name));
                if !wanted {
                    continue;
                }
                let inner_of =
                    if is_variant && inner["properties"].is_object() { name } else { of };
                let value = self.value(inner, inner_of, name, depth + 1);
                object.insert(name.clone(), value);
            }
        } else if schema["additionalProperties"].is_object() {
            // There are many flags and gates, each of some releases.
            let flags = of == "Flags" || (of, field) == ("NodeGroup", "kubelet");
            let many = of == "Flags" || field == "feature_gates";
            let most = if many { 7 } else { 3 };
            for _ in 0..self.dice.below(most) {
                let key = words::text(&mut self.dice, &self.known, of, field);
                let inner = &schema["additionalProperties"];
                let named = if flags {
                    key.clone()
                } else if inner["type"] == "string" || inner["type"].is_array() {
                    format!("value of {field}")
                } else {
                    field.to_owned()
                };
                let value = if inner["type"][1] == "null" && self.dice.once_in(3) {
                    Value::Null
                } else {
                    self.value(inner, of, &named, depth + 1)
                };
                object.insert(key, value);
            }
        }
        words::agree(&mut self.dice, of, &mut object);
        Value::Object(object)
    }

    /// Of fields that exclude each other, those that are not drawn. Now and then both are drawn, or
    /// both may be.
    fn excluded(&mut self, properties: &Map<String, Value>, of: &str) -> Vec<&'static str> {
        let pairs = [
            ["name", "names"],
            ["node", "nodes"],
            ["pod", "pods"],
            ["minAvailable", "maxUnavailable"],
            ["count", "replicas"],
            ["nodes", "groups"],
            ["rate", "up"],
        ];
        let pairs =
            pairs.into_iter().filter(|pair| pair.iter().all(|name| properties.contains_key(*name)));
        let mut excluded: Vec<&'static str> =
            pairs.map(|pair| pair[self.dice.below(2) as usize]).collect();
        if of == "Entry" && !self.dice.once_in(5) {
            excluded.extend(["every", "times"]);
        }
        // Most volumes are reached from more than one node.
        if of == "VolumeClaim" && !self.dice.once_in(4) {
            excluded.push("node");
        }
        if self.dice.once_in(50) { Vec::new() } else { excluded }
    }

    /// Whether an optional field is drawn.
    fn is_wanted(&mut self, of: &str, name: &str) -> bool {
        match name {
            // An expectation that holds until another does is rare enough.
            "after" if of == "Until" => true,
            "each" | "within" if of == "Whenever" => !self.dice.once_in(4),
            // Of these, what is not excluded is needed.
            "name" | "names" | "node" | "nodes" | "pod" | "pods" | "minAvailable"
            | "maxUnavailable" | "every" | "times" | "groups" | "rate" | "up" | "lasts" => true,
            // Without a key and an effect little else fits a toleration.
            "key" | "effect" | "selector" => !self.dice.once_in(4),
            "owner"
            | "static"
            | "affinity"
            | "topologySpreadConstraints"
            | "schedulingGates"
            | "ports" => self.dice.once_in(8),
            "devices" if of == "PodGroup" => false,
            "kubelet" if of == "NodeGroup" => self.dice.once_in(6),
            "conditions" | "bootstrapCompleted" if of == "NodeGroup" => {
                self.known.readiness && !self.dice.once_in(3)
            }
            "devices" | "resourceClaims" => self.known.devices && !self.dice.once_in(3),
            "start" | "nodeName" | "placement" | "priorityClassName" => self.dice.once_in(5),
            _ => self.dice.once_in(3),
        }
    }

    fn list(&mut self, schema: &'a Value, of: &str, field: &str, depth: u32) -> Value {
        if let Some(items) = schema["prefixItems"].as_array() {
            let numbered = items.iter().enumerate();
            return numbered
                .map(|(i, item)| self.value(item, of, &i.to_string(), depth + 1))
                .collect();
        }
        let count = if depth > DEEPEST { 0 } else { 1 + self.dice.below(2) };
        (0..count).map(|_| self.value(&schema["items"], of, field, depth + 1)).collect()
    }
}
