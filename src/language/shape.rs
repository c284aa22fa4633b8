//! The JSON Schema of the scenario language, from its types, and what it says of the type of a value:
//! its fields, its variants, and what is written for it. Whoever changes a part of a scenario, or
//! draws one, goes by it.

use super::text::Tree;
use crate::language::Scenario;
use serde_json::Value;
use std::sync::OnceLock;

/// A type of the language, as the schema has it.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its name, if it has one.
    pub name: &'static str,
    schema: &'static Value,
}

/// What is written for a value of a type.
pub enum Kind {
    /// A text in quotes; a number would do, too, where the type takes both.
    Text,
    /// A whole number.
    Whole,
    /// A number.
    Fraction,
    /// `true` or `false`.
    Truth,
    /// One of these words.
    Words(Vec<&'static str>),
    /// A list of texts.
    Texts,
    /// Texts with values of that type.
    Map(Shape),
    /// Fields.
    Struct,
    /// One of several words, some of which have something in brackets.
    Variants,
    /// Something else.
    Other,
}

impl Shape {
    /// A whole scenario.
    pub fn scenario() -> Self {
        Self { name: "Scenario", schema: language() }
    }

    /// Every type that has a name.
    pub fn all() -> impl Iterator<Item = Self> {
        let named = language()["$defs"].as_object().into_iter().flatten();
        let named = named.map(|(name, schema)| Self { name, schema });
        [Self::scenario()].into_iter().chain(named)
    }

    /// The type of that name.
    pub(crate) fn of(name: &'static str) -> Self {
        Self { name, schema: &language()["$defs"][name] }
    }

    /// A type that may be only referred to, or be optional.
    fn resolved(mut schema: &'static Value) -> Self {
        let mut name = "";
        loop {
            if let Some(of) = schema["$ref"].as_str().and_then(|r| r.rsplit('/').next()) {
                (name, schema) = (of, &language()["$defs"][of]);
                continue;
            }
            let some: Vec<&Value> =
                list(&schema["anyOf"]).filter(|v| v["type"] != "null").collect();
            let [only] = some[..] else { return Self { name, schema } };
            schema = only;
        }
    }

    /// Its fields, if it has some.
    pub fn fields(self) -> impl Iterator<Item = (&'static str, Self)> {
        let fields = self.schema["properties"].as_object().into_iter().flatten();
        fields.map(|(name, schema)| (name.as_str(), Self::resolved(schema)))
    }

    /// Its field of that name, or what stands in it under a key.
    pub fn part(self, name: &str) -> Option<Self> {
        match self.kind() {
            Kind::Struct => Some(Self::resolved(self.schema["properties"].get(name)?)),
            Kind::Map(of) => Some(of),
            _ => None,
        }
    }

    /// Whether its values are as many as their types, in parentheses.
    pub fn is_tuple(self) -> bool {
        self.schema["prefixItems"].is_array()
    }

    /// The type of an item of a list.
    pub fn item(self, i: usize) -> Self {
        let own = self.schema["prefixItems"].get(i);
        Self::resolved(own.unwrap_or(&self.schema["items"]))
    }

    /// The type of each item, of a list.
    pub(crate) fn items(self) -> Option<Self> {
        self.schema.get("items").map(Self::resolved)
    }

    /// Whether it may be written without any field.
    pub(crate) fn may_be_empty(self) -> bool {
        list(&self.schema["required"]).next().is_none()
    }

    /// The words of its variants, each with what stands in its brackets if it has any.
    pub fn variants(self) -> impl Iterator<Item = (&'static str, Option<Self>)> {
        let variants = list(&self.schema["oneOf"]);
        let held = variants.clone().flat_map(|v| Self::resolved(v).fields());
        let words = [self.schema].into_iter().chain(variants);
        let words = words.flat_map(|v| list(&v["enum"]).chain(v.get("const")));
        let words = words.filter_map(Value::as_str);
        // What holds something is an object with one entry.
        words.map(|word| (word, None)).chain(held.map(|(word, shape)| (word, Some(shape))))
    }

    /// What stands in the brackets of a value of this type: of one of several variants what that
    /// holds.
    pub fn within(self, tree: &Tree) -> Self {
        let variant = self.variants().find(|(word, _)| *word == tree.word());
        variant.and_then(|(_, held)| held).unwrap_or(self)
    }

    /// What is written for its values.
    pub fn kind(self) -> Kind {
        let schema = self.schema;
        if schema["properties"].is_object() {
            return Kind::Struct;
        }
        if schema["additionalProperties"].is_object() {
            return Kind::Map(Self::resolved(&schema["additionalProperties"]));
        }
        if self.variants().any(|(_, held)| held.is_some()) {
            return Kind::Variants;
        }
        if self.variants().next().is_some() {
            return Kind::Words(self.variants().map(|(word, _)| word).collect());
        }
        let mut kinds = list(&schema["anyOf"]).map(|v| &v["type"]).chain([&schema["type"]]);
        let is_text = kinds.any(|k| k == "string" || list(k).any(|k| k == "string"));
        match schema["type"].as_str().or(schema["type"][0].as_str()) {
            _ if is_text => Kind::Text,
            Some("integer") => Kind::Whole,
            Some("number") => Kind::Fraction,
            Some("boolean") => Kind::Truth,
            Some("array") if schema["items"]["type"] == "string" => Kind::Texts,
            _ => Kind::Other,
        }
    }
}

fn list(value: &'static Value) -> impl Iterator<Item = &'static Value> + Clone {
    value.as_array().into_iter().flatten()
}

/// The schema, made once: the types do not change.
fn language() -> &'static Value {
    static LANGUAGE: OnceLock<Value> = OnceLock::new();
    LANGUAGE.get_or_init(schema)
}

/// The JSON Schema of a scenario: of the data that its RON stands for, a variant with fields being
/// an object with one entry.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

#[cfg(test)]
mod tests {
    use crate::language::text::Tree;
    use crate::language::{Claim, Expectation};
    use crate::scenario::{Overrides, expecting, parse};
    use serde_json::{Value, json};
    use std::path::Path;

    const PAGE: &str = include_str!("../../docs/expectations.md");

    #[test]
    fn every_example_of_the_page_and_of_the_types_is_read() {
        let types = include_str!("expect.rs");
        let of_types =
            types[types.find("pub enum Expectation").unwrap()..].split('`').skip(1).step_by(2);
        let mut kinds = 0;
        for example in PAGE
            .split('`')
            .chain(of_types)
            .filter(|t| t.starts_with(char::is_uppercase) && t.ends_with(')'))
        {
            let read = Tree::read(example).and_then(|t| t.typed::<Expectation>());
            assert!(read.is_ok(), "{example}: {read:?}");
            kinds += 1;
        }
        // The page has an example for each line of its tables, the type one for each kind.
        assert!(kinds > 45, "{kinds}");
        let scenario = PAGE.split_once("```ron\n").unwrap().1.split_once("```").unwrap().0;
        let loaded = parse("page.ron", scenario.as_bytes().to_vec(), Path::new("")).unwrap();
        assert_eq!(expecting(&loaded, &Overrides::default()).unwrap().1.list.len(), 6);
    }

    /// What is counted stands alone: whoever writes it as a claim is told so, of every kind.
    #[test]
    fn what_is_counted_is_no_claim() {
        for (kind, held) in super::Shape::of("Expectation").variants() {
            // `NotEvicted` says the one without a count.
            let is_counted = held.is_some_and(|of| of.part("count").is_some()) && kind != "Evicted";
            let read = Tree::read(&format!("{kind}()")).and_then(|t| t.typed::<Claim>());
            let said = read.map_or_else(|mistake| mistake.to_string(), |_| String::new());
            assert_eq!(said.contains(&format!("`{kind}(count: 0, …)`")), is_counted, "{said}");
        }
    }

    /// What `validate` refuses at first sight is nothing that the schema takes: no version or another one, no end, a group
    /// without a name.
    #[test]
    fn it_asks_for_what_the_program_asks_for() {
        let schema = super::schema();
        assert_eq!(schema["required"], json!(["version", "horizon"]));
        let version = &schema["properties"]["version"];
        assert_eq!((&version["type"], &version["const"]), (&json!("integer"), &json!(1)));
        for group in ["NodeGroup", "PodGroup", "WorkloadGroup"] {
            let either = &schema["$defs"][group]["allOf"][0]["anyOf"];
            assert_eq!(*either, json!([{ "required": ["name"] }, { "required": ["names"] }]));
            let text = match group {
                "NodeGroup" => "nodes: [()]",
                "PodGroup" => "nodes: [(name: \"n\")], pods: [(on: Node(\"n\"))]",
                _ => "workloads: [Deployment()]",
            };
            let text = format!("(version: 1, horizon: \"5m\", {text})");
            let refused = parse("s.ron", text.into_bytes(), Path::new(""))
                .and_then(|loaded| expecting(&loaded, &Overrides::default()).map(drop));
            assert!(refused.unwrap_err().to_string().contains("has no name"), "{group}");
        }
        assert!(schema["$defs"]["DurationText"]["pattern"].is_string());
    }

    #[test]
    fn it_has_every_kind_of_expectation_and_every_step() {
        let schema = super::schema();
        let variants = |name: &str| -> Vec<String> {
            let all =
                schema["$defs"][name]["oneOf"].as_array().unwrap_or_else(|| panic!("no {name}"));
            all.iter().filter_map(|v| v["required"][0].as_str().map(str::to_owned)).collect()
        };
        let kinds = variants("Expectation");
        for kind in [
            "Evicted",
            "NotEvicted",
            "Tainted",
            "Event",
            "Pending",
            "Order",
            "Always",
            "Never",
            "Eventually",
            "Until",
            "Whenever",
            "Mostly",
        ] {
            assert!(kinds.iter().any(|k| k == kind), "{kind}: {kinds:?}");
        }
        assert!(variants("Step").iter().any(|s| s == "Partition"));
        assert_eq!(schema["properties"]["expect"]["items"]["$ref"], "#/$defs/Expectation");
        // Each variant says what it is, with an example.
        let all = schema["$defs"]["Expectation"]["oneOf"].as_array().unwrap();
        for v in all {
            let text = v["description"].as_str().unwrap_or_default();
            assert!(text.contains('`'), "{v}");
        }
        assert!(schema["additionalProperties"] == Value::Bool(false));
    }
}
