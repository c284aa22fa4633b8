//! The JSON Schema of the scenario language, from its types.

use super::spec::Scenario;

/// The JSON Schema of a scenario: of the data that its RON stands for, a variant with fields being an object with one entry.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn it_has_every_kind_of_expectation_and_every_step() {
        let schema = super::schema();
        let variants = |name: &str| -> Vec<String> {
            let all = schema["$defs"][name]["oneOf"].as_array().unwrap_or_else(|| panic!("no {name}"));
            all.iter().filter_map(|v| v["required"][0].as_str().map(str::to_owned)).collect()
        };
        let kinds = variants("Expectation");
        for kind in ["Evicted", "NotEvicted", "Tainted", "Event", "Pending", "Order", "Always", "Never", "Eventually", "Until", "Mostly"] {
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
