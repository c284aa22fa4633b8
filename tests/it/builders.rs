//! The builders of scenarios for Python are written from the schema of the language. Its own tests
//! hold them to it word for word; this one needs no Python, and says so at once.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The names of parts and of their fields, as a schema has them.
fn names(schema: &Value) -> Vec<&str> {
    let all = match schema {
        Value::Object(all) => all,
        Value::Array(all) => return all.iter().flat_map(names).collect(),
        _ => return Vec::new(),
    };
    let mut found: Vec<&str> = all.values().flat_map(names).collect();
    for listed in ["properties", "$defs"] {
        if let Some(Value::Object(of)) = all.get(listed) {
            found.extend(of.keys().map(String::as_str));
        }
    }
    found
}

#[test]
fn the_builders_for_python_know_every_word_of_the_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A package of the crate is without it.
    let Ok(text) = std::fs::read_to_string(root.join("extra/python/taintsim/language.py")) else {
        return;
    };
    let known: BTreeSet<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .flat_map(|word| [word, word.trim_end_matches('_')])
        .collect();
    let schema = taintsim::language::schema();
    let missing: Vec<&str> =
        names(&schema).into_iter().filter(|name| !known.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "{missing:?}: taintsim schema | python3 extra/python/generate_language.py"
    );
}
