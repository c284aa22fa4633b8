//! RON as scenarios are written: a text from ron's own serializer as a tree of pieces, and the tree
//! as lines.

use super::ron_options::extensions;
use serde::Serialize;
use std::fmt::Write;

/// The width in columns that lines are broken to fit into where that is possible.
pub(crate) const WIDTH: usize = 120;

/// In RON as scenarios are written, without `Some`.
pub(crate) fn to_ron<T: Serialize + ?Sized>(value: &T) -> String {
    let options = ron::Options::default().with_default_extension(extensions());
    // The types of the language are structs, lists, maps with texts as keys, and plain values; ron
    // writes all of them.
    options
        .to_string(value)
        .expect("the scenario language is RON")
}

/// A piece of RON: what stands before its bracket, and what stands in it. A field's name is part of
/// what stands before: `at: "10s"` is all head, of `do: Taint(…)` the head is `do: Taint`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What stands before the bracket, or all of it.
    pub head: String,
    /// The brackets and what they hold, if there are any.
    pub body: Option<(char, char, Vec<Piece>)>,
}

impl Piece {
    /// The tree of a value.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::read(&to_ron(value))
    }

    /// The tree of a text of RON without white space or comments between its pieces.
    pub fn read(text: &str) -> Self {
        read_piece(&mut text.chars().peekable())
    }

    /// On one line.
    pub fn flat(&self) -> String {
        let mut out = String::new();
        flat(self, &mut out);
        out
    }

    /// As a scenario file: each field on a line of its own, each item of a list that does not fit
    /// beside its name, too.
    pub(crate) fn file(&self) -> String {
        let mut out = String::from("Scenario(\n");
        for field in self.body.iter().flat_map(|(.., fields)| fields) {
            let width = 4 + field.flat().chars().count();
            match &field.body {
                Some(('[', _, items))
                    if width >= WIDTH || items.iter().any(|i| i.body.is_some()) =>
                {
                    _ = writeln!(out, "    {}[", field.head);
                    for item in items {
                        _ = write!(out, "        ");
                        write_piece(item, 8, 8, &mut out);
                        out.push_str(",\n");
                    }
                    out.push_str("    ],\n");
                }
                _ => {
                    out.push_str("    ");
                    write_piece(field, 4, 4, &mut out);
                    out.push_str(",\n");
                }
            }
        }
        out.push_str(")\n");
        out
    }
}

/// Breaks RON without white space into lines; the first begins at column `indent`.
pub(crate) fn lay_out(text: &str, indent: usize) -> String {
    let mut out = String::new();
    write_piece(&Piece::read(text), indent, indent, &mut out);
    out
}

fn read_piece(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Piece {
    let mut head = String::new();
    while let Some(&c) = chars.peek() {
        match c {
            ',' | ')' | ']' | '}' => break,
            '(' | '[' | '{' => {
                chars.next();
                let close = match c {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                let mut body = Vec::new();
                while chars.peek().is_some_and(|c| *c != close) {
                    body.push(read_piece(chars));
                    chars.next_if_eq(&',');
                }
                chars.next();
                return Piece {
                    head,
                    body: Some((c, close, body)),
                };
            }
            '"' => read_text(chars, &mut head),
            ':' => {
                chars.next();
                head.push_str(": ");
            }
            _ => {
                chars.next();
                head.push(c);
            }
        }
    }
    Piece { head, body: None }
}

/// A text in quotes, with its escapes.
fn read_text(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, head: &mut String) {
    head.extend(chars.next());
    while let Some(c) = chars.next() {
        head.push(c);
        match c {
            '\\' => head.extend(chars.next()),
            '"' => break,
            _ => {}
        }
    }
}

fn flat(piece: &Piece, out: &mut String) {
    out.push_str(&piece.head);
    let Some((open, close, body)) = &piece.body else {
        return;
    };
    out.push(*open);
    for (i, p) in body.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        flat(p, out);
    }
    out.push(*close);
}

/// Writes a piece whose lines are indented by `indent` columns; `column` is where it begins.
fn write_piece(piece: &Piece, indent: usize, column: usize, out: &mut String) {
    let mut line = String::new();
    flat(piece, &mut line);
    let Some((open, close, body)) = piece
        .body
        .as_ref()
        .filter(|_| column + line.chars().count() >= WIDTH)
    else {
        out.push_str(&line);
        return;
    };
    out.push_str(&piece.head);
    out.push(*open);
    if let ([only], '(') = (body.as_slice(), open) {
        // `Nodes([…])`: the inner brackets alone are broken up.
        write_piece(only, indent, column + piece.head.chars().count() + 1, out);
        out.push(*close);
        return;
    }
    let inner = indent + 4;
    let plain = body.iter().all(|p| p.body.is_none());
    let mut column = WIDTH;
    for p in body {
        // Plain values share lines; everything else has its own.
        let width = p.head.chars().count() + 2;
        if plain && column + width <= WIDTH {
            out.push(' ');
        } else {
            _ = write!(out, "\n{:inner$}", "");
            column = inner;
        }
        write_piece(p, inner, inner, out);
        out.push(',');
        column += width;
    }
    _ = write!(out, "\n{:indent$}{close}", "");
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
        let names = (0..30)
            .map(|i| format!("\"name-{i:02}\""))
            .collect::<Vec<_>>()
            .join(",");
        let got = lay_out(&format!("(names:[{names}],zone:\"a\")"), 4);
        let lines: Vec<&str> = got.lines().collect();
        assert_eq!(lines[..2], ["(", "        names: ["]);
        assert!(
            lines[2].starts_with("            \"name-00\", \"name-01\","),
            "{got}"
        );
        assert_eq!(
            lines[lines.len() - 3..],
            ["        ],", "        zone: \"a\",", "    )"]
        );
        assert!(lines.iter().all(|l| l.chars().count() <= WIDTH), "{got}");
    }
}
