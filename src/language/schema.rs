//! The JSON Schema of the scenario language, from its types.

use crate::language::Scenario;

/// The JSON Schema of a scenario: of the data that its RON stands for, a variant with fields being
/// an object with one entry.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

#[cfg(test)]
mod tests {
    use crate::language::Expectation;
    use crate::language::text::Tree;
    use crate::scenario::{Overrides, expecting, parse};
    use serde_json::Value;
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
