//! Where things stand in a scenario's text: a light reader of RON that keeps positions and no
//! values.
//!
//! `ron` reads the file; this reader runs only when something is wrong with it, to find the bytes
//! of a field, of an element, of an entry of a map. It reads what `ron` reads, and gives up without
//! harm on what it does not know: a problem then has no place.

use super::place::Step;
use super::tokens::Reader;
use std::ops::Range;

/// A value with the bytes it covers.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The bytes of the value.
    pub(crate) bytes: Range<usize>,
    /// Its parts.
    pub(crate) parts: Vec<Part>,
}

/// A part of a value.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name, if it has one.
    pub(crate) key: Option<(String, Range<usize>)>,
    /// The part itself.
    pub(crate) value: Tree,
}

impl Part {
    /// The bytes of the part with its name.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.key
            .as_ref()
            .map_or(self.value.bytes.start, |(_, k)| k.start)..self.value.bytes.end
    }
}

/// How deep values may be nested; more than any scenario needs, and far from the stack's end.
pub(crate) const DEPTH_MAX: usize = 100;

impl Tree {
    /// Reads a text; nothing if it is not RON, or too deep.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { text, at: 0 };
        reader.blank()?;
        while reader.rest().starts_with("#!") {
            reader.at += reader.rest().find(']')? + 1;
            reader.blank()?;
        }
        value(&mut reader, 0)
    }

    /// The part at the end of those steps.
    pub(crate) fn find(&self, place: &[Step]) -> Option<&Self> {
        self.part(place).map_or_else(
            || place.is_empty().then_some(self),
            |part| Some(&part.value),
        )
    }

    /// The last of the parts on the way, with its name.
    pub(crate) fn part(&self, place: &[Step]) -> Option<&Part> {
        let (first, rest) = place.split_first()?;
        let part = match first {
            Step::Key(key) => self
                .parts
                .iter()
                .find(|p| p.key.as_ref().is_some_and(|(k, _)| k == key)),
            Step::Index(i) => self.parts.get(*i),
        }?;
        if rest.is_empty() {
            Some(part)
        } else {
            part.value.part(rest)
        }
    }

    /// Every name that stands twice in the same struct or map, where it stands again.
    pub(crate) fn doubles(&self) -> Vec<(String, Range<usize>)> {
        let mut found = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for part in &self.parts {
            if let Some((key, bytes)) = &part.key
                && !seen.insert(key)
            {
                found.push((key.clone(), bytes.clone()));
            }
            found.extend(part.value.doubles());
        }
        found
    }
}

/// Reads a value, nested this deep.
fn value(reader: &mut Reader<'_>, depth: usize) -> Option<Tree> {
    if depth > DEPTH_MAX {
        return None;
    }
    let start = reader.at;
    let parts = match reader.peek()? {
        '"' => reader.string().map(|_| Vec::new())?,
        '\'' => reader.character().map(|()| Vec::new())?,
        '[' => parts(reader, ']', depth)?,
        '{' => parts(reader, '}', depth)?,
        '(' => parts(reader, ')', depth)?,
        c if c.is_ascii_digit() || "+-.".contains(c) => {
            reader.number();
            Vec::new()
        }
        _ => {
            if reader.raw_string().is_some() {
                Vec::new()
            } else {
                let name = reader.identifier()?;
                let end = reader.at;
                reader.blank()?;
                if reader.peek() == Some('(') {
                    let parts = parts(reader, ')', depth)?;
                    if name == "Some" && parts.len() == 1 {
                        // An optional value is its content.
                        return parts.into_iter().next().map(|p| p.value);
                    }
                    return Some(Tree {
                        bytes: start..reader.at,
                        parts,
                    });
                }
                reader.at = end;
                Vec::new()
            }
        }
    };
    Some(Tree {
        bytes: start..reader.at,
        parts,
    })
}

/// Reads the parts of a value up to its closing bracket.
fn parts(reader: &mut Reader<'_>, close: char, depth: usize) -> Option<Vec<Part>> {
    reader.at += 1;
    let mut parts = Vec::new();
    loop {
        reader.blank()?;
        if reader.eat(close) {
            return Some(parts);
        }
        let key_start = reader.at;
        let key = match close {
            ')' => reader.field_name(),
            '}' => Some(reader.string()?),
            _ => None,
        };
        let key = key.map(|k| (k, key_start..reader.at));
        if key.is_some() {
            reader.blank()?;
            if !reader.eat(':') {
                return None;
            }
            reader.blank()?;
        }
        parts.push(Part {
            key,
            value: value(reader, depth + 1)?,
        });
        reader.blank()?;
        if !reader.eat(',') && reader.peek() != Some(close) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::{Place, at};
    use super::*;

    const TEXT: &str = r##"// a comment
Scenario(version: 1, /* another /* inside */ */
    nodes: [(name: "a-{0..3}", taints: [r#"x=":NoExecute"#], c: '"'), (name: Some("b"))],
    flags: (kubelet: { "a b": -1.5e3, "c": true }),
    timeline: [(at: "1m", do: Partition(nodes: Share(of: Zone("z"), fraction: 0.5)))],
)"##;

    fn text_at(place: Place) -> &'static str {
        let tree = Tree::read(TEXT).unwrap();
        &TEXT[tree.find(&place).unwrap().bytes.clone()]
    }

    #[test]
    fn places_are_found() {
        assert_eq!(text_at(at!["version"]), "1");
        assert_eq!(text_at(at!["nodes", 0, "name"]), r#""a-{0..3}""#);
        assert_eq!(
            text_at(at!["nodes", 0, "taints", 0]),
            r##"r#"x=":NoExecute"#"##
        );
        assert_eq!(
            text_at(at!["nodes", 1, "name"]),
            r#""b""#,
            "Some is see-through"
        );
        assert_eq!(text_at(at!["flags", "kubelet", "a b"]), "-1.5e3");
        assert_eq!(
            text_at(at!["timeline", 0, "do", "nodes", "of", 0]),
            r#""z""#
        );
        assert_eq!(
            text_at(at!["timeline", 0, "do", "nodes", "fraction"]),
            "0.5"
        );
    }

    #[test]
    fn names_that_stand_twice_are_found() {
        let text = r#"(a: { "x": 1, "y": 2, "x": 3 }, b: 1)"#;
        assert_eq!(
            Tree::read(text).unwrap().doubles(),
            vec![("x".to_owned(), 22..25)]
        );
    }

    #[test]
    fn what_is_not_ron_is_given_up() {
        for text in [
            "", "(", "(a: )", "(a: \"", "[1 2]", "{1: 2}", "/* ", "(a 1)", "'", "'\\", "r#\"",
            "#![",
        ] {
            assert!(Tree::read(text).is_none(), "{text:?}");
        }
        let deep = "[".repeat(1_000_000);
        assert!(
            Tree::read(&deep).is_none(),
            "a million deep is no stack overflow"
        );
    }
}
