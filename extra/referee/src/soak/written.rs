//! What was drawn by the language's schema, as the tree of a scenario's text.

use taintsim::language::text::Tree;
use taintsim::language::text::tree::Value;
use taintsim::language::{Kind, Shape};

/// A value of a type, as RON has it.
pub(super) fn written(shape: Shape, value: &serde_json::Value) -> Tree {
    let written = match (value, shape.kind()) {
        (serde_json::Value::Null, _) => Value::word("None"),
        (serde_json::Value::String(word), Kind::Words(_) | Kind::Variants) => Value::word(word),
        (serde_json::Value::String(text), _) => Value::text(text),
        (serde_json::Value::Array(items), _) => {
            let items = items.iter().enumerate();
            let items = items.map(|(i, item)| written(shape.item(i), item)).collect();
            Value::brackets(if shape.is_tuple() { '(' } else { '[' }, items)
        }
        (serde_json::Value::Object(entries), Kind::Variants) => variant(shape, entries),
        // A text would do, too: how long something takes.
        (serde_json::Value::Object(entries), Kind::Text) => {
            let of = Shape::all().find(|of| of.name == "Distribution");
            variant(of.unwrap_or(shape), entries)
        }
        (serde_json::Value::Object(entries), kind) => {
            let is_map = matches!(kind, Kind::Map(_));
            let entry = |(name, value): (&String, &serde_json::Value)| {
                let inner = shape.part(name).unwrap_or(shape);
                written(inner, value).named(name)
            };
            let entries = entries.iter().map(entry).collect();
            Value::brackets(if is_map { '{' } else { '(' }, entries)
        }
        (plain, _) => Value::word(&plain.to_string()),
    };
    written.into()
}

/// A variant with what it holds, which the schema has as an object with one entry.
fn variant(shape: Shape, entries: &serde_json::Map<String, serde_json::Value>) -> Value {
    let Some((word, value)) = entries.iter().next() else {
        return Value::word("None");
    };
    let inner = shape.within(&Value::word(word).into());
    let content = written(inner, value);
    let parts = match (content.value, inner.kind()) {
        (Value::Brackets { parts, .. }, Kind::Struct) => parts,
        (Value::Brackets { parts, .. }, _) if inner.is_tuple() => parts,
        (value, _) => vec![value.into()],
    };
    Value::Brackets { word: word.as_str().into(), open: '(', parts }
}
