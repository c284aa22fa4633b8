//! Reads a text of RON into its tree, with limits: how deep values may be nested, and how many of
//! them there may be.

use super::mistake::Mistake;
use super::problem::{Problem, Source};
use super::tree::{Tree, Value, close_of};
use super::words::Words;

/// How deep values may be nested; more than any scenario needs, and far from the stack's end.
pub(crate) const DEPTH_MAX: usize = 100;

/// The most entries of a timeline, the most elements of any other list at the top of a file, the
/// most structs, lists and maps in all of it, and the most values: far more than a scenario that
/// people write or that is imported has, and as many as can be held.
const ENTRIES_MAX: usize = 100_000;
const ELEMENTS_MAX: usize = 200_000;
const BRACKETS_MAX: usize = 4_000_000;
const VALUES_MAX: usize = 8_000_000;

impl Tree {
    /// Reads a text.
    ///
    /// # Errors
    /// The first place that is not RON, or where there is too much.
    pub(crate) fn read(text: &str) -> Result<Self, Mistake> {
        read(text, true)
    }

    /// Reads a text that was written by us, which may be as large as what it was written from.
    pub(super) fn written(text: &str) -> Result<Self, Mistake> {
        read(text, false)
    }
}

impl Source {
    /// A note about the scenario that this is, at what the note names first.
    pub(crate) fn noted(&self, note: &str) -> Problem {
        let problem = Problem::new(note);
        let name = note.split('`').nth(1);
        match name.and_then(|name| Tree::read(&self.text).ok()?.called(name)) {
            Some(bytes) => problem.at(self, bytes),
            None => problem,
        }
    }
}

fn read(text: &str, is_limited: bool) -> Result<Tree, Mistake> {
    let mut reader = Reader { words: Words { text, at: 0 }, is_limited, brackets: 0, values: 0 };
    reader.file().map_err(|mistake| mistake.help(reader.words.curly()))
}

struct Reader<'a> {
    words: Words<'a>,
    /// Whether there are limits to how many values there may be.
    is_limited: bool,
    brackets: usize,
    values: usize,
}

impl Reader<'_> {
    fn file(&mut self) -> Result<Tree, Mistake> {
        self.words.blank()?;
        self.attributes()?;
        let tree = self.value(0)?;
        self.words.blank()?;
        let colon = self.words.rest().starts_with(':');
        let help = colon.then(|| "all of it is in brackets: `Scenario(version: 1, …)`".to_owned());
        match self.words.rest() {
            "" => Ok(tree),
            _ => Err(self.words.wrong("expected the end of the file").help(help)),
        }
    }

    /// `#![enable(implicit_some)]`: the file is read so anyway.
    fn attributes(&mut self) -> Result<(), Mistake> {
        let known = ["implicit_some", "unwrap_newtypes", "unwrap_variant_newtypes"];
        while self.words.rest().starts_with('#') {
            let rest = self.words.rest();
            let end = rest.find(']').unwrap_or(0);
            let inside: String = rest[..end].split_whitespace().collect();
            let names = inside
                .strip_prefix("#![enable(")
                .and_then(|i| i.strip_suffix(')'))
                .filter(|names| names.split(',').all(|n| known.contains(&n)));
            if names.is_none() {
                return Err(self.words.wrong("expected an `#![enable(...)]` attribute"));
            }
            self.words.at += end + 1;
            self.words.blank()?;
        }
        Ok(())
    }

    /// Reads a value, nested this deep.
    fn value(&mut self, depth: usize) -> Result<Tree, Mistake> {
        let start = self.words.at;
        self.values += 1;
        if self.values > VALUES_MAX && self.is_limited {
            let text = format!("there are more than {VALUES_MAX} values, the limit of a file");
            return Err(self.words.wrong(text));
        }
        let value = match self.words.peek() {
            None if depth == 0 => return Err(self.words.wrong("nothing is written here")),
            None => return Err(self.early()),
            Some('"') => Value::Text(self.words.string()?.into()),
            Some('\'') => Value::word(self.words.character()?),
            Some(open @ ('[' | '{' | '(')) => Value::brackets(open, self.parts(open, "", depth)?),
            Some(c) if c.is_ascii_digit() || "+-.".contains(c) => Value::word(self.words.number()),
            Some(c) => match self.words.raw_string()? {
                Some(text) => Value::Text(text.into()),
                None => self.word(c, depth)?,
            },
        };
        Ok(Tree::placed(value, start..self.words.at))
    }

    /// Reads a word, and the brackets behind it if there are any.
    fn word(&mut self, c: char, depth: usize) -> Result<Value, Mistake> {
        let Some(word) = self.words.word() else {
            return Err(self.words.wrong(format!("expected a value, found `{c}`")));
        };
        let end = self.words.at;
        self.words.blank()?;
        if self.words.peek() != Some('(') {
            self.words.at = end;
            return Ok(Value::word(word));
        }
        Ok(Value::Brackets { word: word.into(), open: '(', parts: self.parts('(', "", depth)? })
    }

    /// Reads what stands between brackets; `field` is the field of the file whose list they hold.
    fn parts(&mut self, open: char, field: &str, depth: usize) -> Result<Vec<Tree>, Mistake> {
        self.brackets += 1;
        if self.brackets > BRACKETS_MAX && self.is_limited {
            return Err(self.words.wrong(format!(
                "there are more than {BRACKETS_MAX} structs, lists and maps, the limit of a file"
            )));
        }
        if depth >= DEPTH_MAX {
            let text = format!("values are nested deeper than {DEPTH_MAX} levels");
            return Err(self.words.wrong(text));
        }
        let close = close_of(open);
        self.words.at += 1;
        let mut parts = Vec::new();
        loop {
            self.words.blank()?;
            if self.words.eat(close) {
                return Ok(parts);
            }
            if depth == 1 && open == '[' {
                self.crowd(field, parts.len())?;
            }
            parts.push(self.part(open, depth)?);
            self.words.blank()?;
            match self.words.peek() {
                Some(',') => self.words.at += 1,
                Some(c) if c == close => {}
                Some(_) => {
                    let text = "expected a comma, or the closing bracket";
                    return Err(self.words.wrong(text));
                }
                None => return Err(self.early()),
            }
        }
    }

    /// Reads a part, with its name if it has one.
    fn part(&mut self, open: char, depth: usize) -> Result<Tree, Mistake> {
        let start = self.words.at;
        let name = match open {
            '(' => self.words.field_name()?,
            '{' => Some(self.key()?),
            _ => None,
        };
        let Some(name) = name else { return self.value(depth + 1) };
        let end = self.words.at;
        self.words.blank()?;
        if !self.words.eat(':') {
            return Err(self.words.wrong("expected colon"));
        }
        self.words.blank()?;
        let value = if depth == 0 && self.words.peek() == Some('[') {
            let from = self.words.at;
            self.values += 1;
            let value = Value::brackets('[', self.parts('[', &name, depth + 1)?);
            Tree::placed(value, from..self.words.at)
        } else {
            self.value(depth + 1)?
        };
        Ok(value.named_at(&name, start..end))
    }

    /// The key of an entry of a map: a text, or a word without quotes.
    fn key(&mut self) -> Result<String, Mistake> {
        if self.words.peek() == Some('"') {
            return self.words.string();
        }
        if let Some(key) = self.words.raw_string()? {
            return Ok(key);
        }
        match self.words.dashed_identifier() {
            Some(key) => Ok(key),
            None if self.words.rest().is_empty() => Err(self.early()),
            None => Err(self.words.wrong("expected a text in quotes")),
        }
    }

    /// Refuses one more element of a list at the top of the file where there are too many.
    fn crowd(&self, field: &str, elements: usize) -> Result<(), Mistake> {
        let (most, what) = match field {
            "timeline" => {
                (ENTRIES_MAX, "the limit of a timeline; `every` and `times` repeat an entry")
            }
            _ => (ELEMENTS_MAX, "the limit of a list"),
        };
        if elements < most || field.is_empty() || !self.is_limited {
            return Ok(());
        }
        let text = format!("`{field}` has more than {most} elements, {what}");
        Err(self.words.wrong(text))
    }

    fn early(&self) -> Mistake {
        self.words.wrong("the file ends too early: a bracket is not closed")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Place, at};
    use super::*;

    #[test]
    fn what_is_not_ron_is_refused_with_its_place() {
        let early = "the file ends too early: a bracket is not closed";
        let comma = "expected a comma, or the closing bracket";
        let quote = "this text has no closing quote";
        for (text, byte, said) in [
            ("", 0, "nothing is written here"),
            ("// (\n", 5, "nothing is written here"),
            ("(", 1, early),
            ("(a: )", 4, "expected a value, found `)`"),
            ("(a: \"", 4, quote),
            ("[1 2]", 3, comma),
            ("/* ", 0, "unclosed block comment"),
            ("/* /* */", 0, "unclosed block comment"),
            ("(a 1)", 3, comma),
            ("'", 0, "expected char"),
            ("'\\", 0, "expected char"),
            ("r#\"", 0, quote),
            ("#![", 0, "expected an `#![enable(...)]` attribute"),
            ("() ()", 3, "expected the end of the file"),
            ("\"\\q\"", 1, "unknown escape character"),
            ("\"\\u{110000}\"", 1, "not a valid Unicode-escaped character"),
        ] {
            let mistake = Tree::read(text).expect_err(text);
            assert_eq!(mistake.to_string(), said, "{text:?}");
            assert_eq!(mistake.found().unwrap().shown.start, byte, "{text:?}");
        }
        let deep = Tree::read(&"[".repeat(1_000_000)).unwrap_err();
        assert!(deep.to_string().contains("deeper than 100 levels"));
    }

    #[test]
    fn texts_are_what_they_stand_for() {
        for (text, content) in [
            (r#""a\n\t\"\\\u{e4}\xc3\xa4\x41""#, "a\n\t\"\\ääA"),
            ("\"a\\\n    b\"", "ab"),
            ("r##\"a\\n\"#b\"##", "a\\n\"#b"),
            ("r\"\"", ""),
        ] {
            let tree = Tree::read(text).unwrap();
            assert_eq!(tree.text(), Some(content), "{text}");
            assert_eq!(tree.bytes(), 0..text.len());
        }
    }

    #[test]
    fn names_may_have_dashes_and_quotes() {
        for text in [
            "(kube-apiserver: {\"a-b\": 1})",
            "(\"kube-apiserver\" : {\"a-b\": 1}, x: -1)",
            "(r#kube-apiserver: {\"a-b\": 1})",
            "(/* (a: 2) */ kube_apiserver: { r\"a-b\": 1 })",
            "(kube-apiserver: {a-b: 1})",
        ] {
            let tree = Tree::read(text).unwrap();
            let place: Place = at!["kube_apiserver", "a-b"];
            assert_eq!(tree.find(&place).map(Tree::word), Some("1"), "{text}");
        }
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let list = |field: &str, n: usize, end: &str| {
            format!(
                "(version: 1, {field}: [{}{end}])",
                vec!["(a: [1, 2], b: \"),(\")"; n].join(",")
            )
        };
        let said = |text: &str| Tree::read(text).err().map(|m| m.to_string());
        for end in ["", ",", ", // (),()\n"] {
            assert_eq!(said(&list("timeline", 100_000, end)), None, "{end:?}");
            assert!(
                said(&list("timeline", 100_001, end))
                    .unwrap()
                    .starts_with("`timeline` has more than 100000 elements"),
                "{end:?}"
            );
        }
        assert_eq!(said(&list("pods", 200_000, "")), None);
        assert!(
            said(&list("pods", 200_001, ""))
                .unwrap()
                .starts_with("`pods` has more than 200000 elements")
        );
        let deep = format!("(nodes: [(labels: [{}])])", "(),".repeat(4_000_000));
        assert!(said(&deep).unwrap().contains("more than 4000000 structs"));
    }
}
