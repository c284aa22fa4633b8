//! RON as scenarios are written: a value as text by ron's own serializer, and the tree of such a
//! text on one line, in lines, or as a file.

use super::problem::spelt;
use super::tree::{Tree, Value, close_of};
use ron::extensions::Extensions;
use serde::Serialize;
use std::fmt::Write;

/// The width in columns that lines are broken to fit into where that is possible.
pub(crate) const WIDTH: usize = 120;

/// In RON as scenarios are written, without `Some` and without the second parentheses of
/// `Deployment((…))`.
pub(crate) fn to_ron<T: Serialize + ?Sized>(value: &T) -> String {
    let options = ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES);
    // The types of the language are structs, lists, maps with texts as keys, and plain values; ron
    // writes all of them.
    options.to_string(value).expect("the scenario language is RON")
}

/// Breaks RON into lines; the first begins at column `indent`.
pub(crate) fn lay_out(text: &str, indent: usize) -> String {
    let mut out = String::new();
    match Tree::written(text) {
        Ok(tree) => write(&tree.given(), '(', indent, indent, &mut out),
        // It was written a moment ago; what is no RON stays as it is.
        Err(_) => out.push_str(text),
    }
    out
}

impl Tree {
    /// The tree of a value.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::written(&to_ron(value)).expect("what was written is RON").given()
    }

    /// What is given of it: a field that holds `None` is not written. In a map `None` stands for
    /// something that is taken away.
    fn given(mut self) -> Self {
        let fields = self.open() == Some('(');
        if let Some(parts) = self.parts_mut() {
            parts.retain(|part| !(fields && part.name().is_some() && part.word() == "None"));
            let inner = std::mem::take(parts);
            *parts = inner.into_iter().map(Self::given).collect();
        }
        self
    }

    /// On one line.
    pub fn flat(&self) -> String {
        let mut out = String::new();
        flat(self, '(', &mut out);
        out
    }

    /// What stands before its bracket, or all of it; `of` is the bracket that it stands in.
    pub fn head(&self, of: char) -> String {
        let mut head = match self.name() {
            Some(name) if of == '{' => format!("{}: ", quoted(name)),
            Some(name) => format!("{}: ", spelt(name)),
            None => String::new(),
        };
        match &self.value {
            Value::Word(word) | Value::Brackets { word, .. } => head.push_str(word),
            Value::Text(text) => head.push_str(&quoted(text)),
        }
        head
    }

    /// As a scenario file: each field on a line of its own, each item of a list that does not fit
    /// beside its name, too.
    pub(crate) fn file(&self) -> String {
        let mut out = String::from("Scenario(\n");
        for field in self.parts() {
            let mut line = String::new();
            flat(field, '(', &mut line);
            let is_long = 4 + line.chars().count() >= WIDTH;
            out.push_str("    ");
            if field.open() == Some('[')
                && (is_long || field.parts().iter().any(|i| i.open().is_some()))
            {
                out.push_str(&field.head('('));
                out.push_str("[\n");
                for item in field.parts() {
                    out.push_str("        ");
                    write(item, '[', 8, 8, &mut out);
                    out.push_str(",\n");
                }
                out.push_str("    ]");
            } else {
                write(field, '(', 4, 4, &mut out);
            }
            out.push_str(",\n");
        }
        out.push_str(")\n");
        out
    }
}

/// A text in quotes, as ron writes it.
fn quoted(text: &str) -> String {
    let escaped = text.chars().flat_map(char::escape_debug);
    std::iter::once('"').chain(escaped).chain(['"']).collect()
}

fn flat(tree: &Tree, of: char, out: &mut String) {
    out.push_str(&tree.head(of));
    let Some(open) = tree.open() else { return };
    out.push(open);
    for (i, part) in tree.parts().iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        flat(part, open, out);
    }
    out.push(close_of(open));
}

/// Writes a value that stands in such brackets and whose lines are indented by `indent` columns;
/// `column` is where it begins.
fn write(tree: &Tree, of: char, indent: usize, column: usize, out: &mut String) {
    let mut line = String::new();
    flat(tree, of, &mut line);
    let is_long = column + line.chars().count() >= WIDTH;
    let Some(open) = tree.open().filter(|_| is_long) else {
        out.push_str(&line);
        return;
    };
    let head = tree.head(of);
    out.push_str(&head);
    out.push(open);
    if let ([only], '(') = (tree.parts(), open) {
        // `Nodes([…])`: the inner brackets alone are broken up.
        write(only, open, indent, column + head.chars().count() + 1, out);
        out.push(close_of(open));
        return;
    }
    let inner = indent + 4;
    let plain = tree.parts().iter().all(|p| p.open().is_none());
    let mut column = WIDTH;
    for part in tree.parts() {
        // Plain values share lines; everything else has its own.
        let width = part.head(open).chars().count() + 2;
        if plain && column + width <= WIDTH {
            out.push(' ');
        } else {
            _ = write!(out, "\n{:inner$}", "");
            column = inner;
        }
        write(part, open, inner, inner, out);
        out.push(',');
        column += width;
    }
    _ = write!(out, "\n{:indent$}{}", "", close_of(open));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_stay_on_a_line() {
        assert_eq!(
            lay_out("(a:1,b:[\"x:,\\\"]\"],c:{\"k\":\"v\"},d:Node(\"n\"))", 0),
            "(a: 1, b: [\"x:,\\\"]\"], c: {\"k\": \"v\"}, d: Node(\"n\"))"
        );
    }

    #[test]
    fn long_values_are_broken() {
        let names = (0..30).map(|i| format!("\"name-{i:02}\"")).collect::<Vec<_>>().join(",");
        let got = lay_out(&format!("(names:[{names}],zone:\"a\")"), 4);
        let lines: Vec<&str> = got.lines().collect();
        assert_eq!(lines[..2], ["(", "        names: ["]);
        assert!(lines[2].starts_with("            \"name-00\", \"name-01\","), "{got}");
        assert_eq!(lines[lines.len() - 3..], ["        ],", "        zone: \"a\",", "    )"]);
        assert!(lines.iter().all(|l| l.chars().count() <= WIDTH), "{got}");
    }
}
