//! Where things stand in a scenario's text: a light reader of RON that keeps positions and no
//! values.
//!
//! `ron` reads the file; this reader runs only when something is wrong with it, to find the bytes
//! of a field, of an element, of an entry of a map. It reads what `ron` reads, and gives up without
//! harm on what it does not know: a problem then has no place.

use std::ops::Range;

/// A step from a value into one of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A field of a struct, or of an enum's variant; or an entry of a map.
    Key(String),
    /// An element of a list, or of an enum's variant without field names.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
        Self::Key(key.clone())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A value's place: the steps to it from the top of the file.
pub(super) type Place = Vec<Step>;

/// Writes a [`Place`]: `at!["nodes", 3, "zone"]`.
macro_rules! at {
    ($($step:expr),* $(,)?) => { vec![$($crate::scenario::syntax::Step::from($step)),*] };
}
pub(crate) use at;

/// A value with the bytes it covers.
#[derive(Debug)]
pub(super) struct Tree {
    /// The bytes of the value.
    pub(super) bytes: Range<usize>,
    /// Its parts.
    pub(super) parts: Vec<Part>,
}

/// A part of a value.
#[derive(Debug)]
pub(super) struct Part {
    /// Its name, if it has one.
    pub(super) key: Option<(String, Range<usize>)>,
    /// The part itself.
    pub(super) value: Tree,
}

impl Part {
    /// The bytes of the part with its name.
    pub(super) fn bytes(&self) -> Range<usize> {
        self.key
            .as_ref()
            .map_or(self.value.bytes.start, |(_, k)| k.start)..self.value.bytes.end
    }
}

/// How deep values may be nested; more than any scenario needs, and far from the stack's end.
pub(super) const DEPTH_MAX: usize = 100;

impl Tree {
    /// Reads a text; nothing if it is not RON, or too deep.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { text, at: 0 };
        reader.blank()?;
        while reader.rest().starts_with("#!") {
            reader.at += reader.rest().find(']')? + 1;
            reader.blank()?;
        }
        reader.value(0)
    }

    /// The part at the end of those steps.
    pub(super) fn find(&self, place: &[Step]) -> Option<&Self> {
        self.part(place).map_or_else(
            || place.is_empty().then_some(self),
            |part| Some(&part.value),
        )
    }

    /// The last of the parts on the way, with its name.
    pub(super) fn part(&self, place: &[Step]) -> Option<&Part> {
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
    pub(super) fn doubles(&self) -> Vec<(String, Range<usize>)> {
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

/// A text of the same length in which the names of fields are identifiers: `kube-apiserver: {…}`,
/// `"kube-apiserver": {…}` and `r#kube-apiserver: {…}` in a struct become `kube_apiserver`. Keys of
/// maps stay as they are.
pub(super) fn undashed(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut reader = Reader { text, at: 0 };
    let mut open: Vec<char> = Vec::new();
    // Where a name may begin: after the bracket of a struct, and after a comma in it.
    let mut may_begin = false;
    loop {
        if reader.blank().is_none() {
            break;
        }
        let start = reader.at;
        let Some(c) = reader.peek() else { break };
        if may_begin && open.last() == Some(&'(') && reader.field_name().is_some() {
            let written = &text[start..reader.at];
            let name = written.strip_prefix("r#").unwrap_or(written);
            if written.contains(['-', '"']) || written != name {
                let bare = name.trim_matches('"');
                if bare
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
                    && !bare.is_empty()
                {
                    let at = start + written.find(bare).unwrap_or(0);
                    out[start..reader.at].fill(b' ');
                    out[at..at + bare.len()].copy_from_slice(bare.replace('-', "_").as_bytes());
                }
            }
            may_begin = false;
            continue;
        }
        may_begin = false;
        match c {
            '"' => {
                if reader.string().is_none() {
                    break;
                }
            }
            '(' | '[' | '{' => {
                open.push(c);
                reader.at += 1;
                may_begin = true;
            }
            ')' | ']' | '}' => {
                open.pop();
                reader.at += 1;
            }
            ',' => {
                reader.at += 1;
                may_begin = true;
            }
            '\'' => {
                if reader.character().is_none() {
                    break;
                }
            }
            _ if reader.raw_string().is_some() => {}
            _ if reader.identifier().is_some() => {}
            other => reader.at += other.len_utf8(),
        }
    }
    // Only ASCII was written over ASCII.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The most entries of a timeline, the most elements of any other list at the top of a file, and
/// the most structs, lists and maps in all of it: far more than a scenario that people write or
/// that is imported has, and as many as can be held.
const ENTRIES_MAX: usize = 100_000;
const ELEMENTS_MAX: usize = 200_000;
const BRACKETS_MAX: usize = 4_000_000;

/// What there is too much of in a text, with the limit, and where it goes beyond. The text alone is
/// looked at: nothing is built of what is counted.
pub(super) fn crowded(text: &str) -> Option<(String, usize)> {
    let mut reader = Reader { text, at: 0 };
    let (mut depth, mut brackets, mut elements) = (0_usize, 0, 0);
    // The field of the file that comes next; whether its value is a list that is being read, and an
    // element of it may begin.
    let (mut field, mut in_list, mut begins) = (String::new(), false, false);
    loop {
        reader.blank()?;
        let start = reader.at;
        let c = reader.peek()?;
        if depth == 2 && in_list && begins && !matches!(c, ']' | ',') {
            (elements, begins) = (elements + 1, false);
            let (most, what) = match field.as_str() {
                "timeline" => (
                    ENTRIES_MAX,
                    "the limit of a timeline; `every` and `times` repeat an entry",
                ),
                _ => (ELEMENTS_MAX, "the limit of a list"),
            };
            if elements > most {
                return Some((
                    format!("`{field}` has more than {most} elements, {what}"),
                    start,
                ));
            }
        }
        match c {
            '"' => drop(reader.string()?),
            '\'' => drop(reader.character()?),
            '(' | '[' | '{' => {
                reader.at += 1;
                (depth, brackets) = (depth + 1, brackets + 1);
                if depth == 2 {
                    (elements, in_list, begins) = (0, c == '[', true);
                }
                if brackets > BRACKETS_MAX {
                    return Some((
                        format!(
                            "there are more than {BRACKETS_MAX} structs, lists and maps, the limit of a file"
                        ),
                        start,
                    ));
                }
            }
            ')' | ']' | '}' => {
                reader.at += 1;
                depth = depth.checked_sub(1)?;
            }
            ',' => {
                reader.at += 1;
                begins |= depth == 2;
            }
            _ if reader.raw_string().is_some() => {}
            c => match reader.identifier() {
                Some(name) if depth == 1 => field = name,
                Some(_) => {}
                None => reader.at += c.len_utf8(),
            },
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Skips spaces and comments; nothing if a block comment never ends.
    fn blank(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            let skipped = rest.len() - rest.trim_start().len();
            self.at += skipped;
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                self.at += 2;
                let mut open = 1;
                while open > 0 {
                    let next = self.rest().find("*/")?;
                    match self.rest()[..next].find("/*") {
                        Some(inner) => (self.at, open) = (self.at + inner + 2, open + 1),
                        None => (self.at, open) = (self.at + next + 2, open - 1),
                    }
                }
            } else if skipped == 0 {
                return Some(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Tree> {
        if depth > DEPTH_MAX {
            return None;
        }
        let start = self.at;
        let parts = match self.peek()? {
            '"' => self.string().map(|_| Vec::new())?,
            '\'' => self.character()?,
            '[' => self.parts(']', depth)?,
            '{' => self.parts('}', depth)?,
            '(' => self.parts(')', depth)?,
            c if c.is_ascii_digit() || "+-.".contains(c) => self.number(),
            _ => {
                if let Some(parts) = self.raw_string() {
                    parts
                } else {
                    let name = self.identifier()?;
                    let end = self.at;
                    self.blank()?;
                    if self.peek() == Some('(') {
                        let parts = self.parts(')', depth)?;
                        if name == "Some" && parts.len() == 1 {
                            // An optional value is its content.
                            return parts.into_iter().next().map(|p| p.value);
                        }
                        return Some(Tree {
                            bytes: start..self.at,
                            parts,
                        });
                    }
                    self.at = end;
                    Vec::new()
                }
            }
        };
        Some(Tree {
            bytes: start..self.at,
            parts,
        })
    }

    fn parts(&mut self, close: char, depth: usize) -> Option<Vec<Part>> {
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            self.blank()?;
            if self.eat(close) {
                return Some(parts);
            }
            let key_start = self.at;
            let key = match close {
                ')' => self.field_name(),
                '}' => Some(self.string()?),
                _ => None,
            };
            let key = key.map(|k| (k, key_start..self.at));
            if key.is_some() {
                self.blank()?;
                if !self.eat(':') {
                    return None;
                }
                self.blank()?;
            }
            parts.push(Part {
                key,
                value: self.value(depth + 1)?,
            });
            self.blank()?;
            if !self.eat(',') && self.peek() != Some(close) {
                return None;
            }
        }
    }

    /// The name of a field if one stands here, with its colon still to come. A name with dashes is
    /// read as [`undashed`] writes it.
    fn field_name(&mut self) -> Option<String> {
        let start = self.at;
        let name = if self.peek() == Some('"') {
            self.string()
        } else {
            self.dashed_identifier()
        };
        let end = self.at;
        let colon = name.is_some() && self.blank().is_some() && self.peek() == Some(':');
        self.at = if colon { end } else { start };
        name.filter(|_| colon).map(|n| n.replace('-', "_"))
    }

    /// An identifier, in which dashes may stand as in `kube-apiserver`.
    fn dashed_identifier(&mut self) -> Option<String> {
        let mut name = self.identifier()?;
        while self.rest().starts_with('-') {
            self.at += 1;
            name.push('-');
            name.push_str(&self.identifier()?);
        }
        Some(name)
    }

    fn identifier(&mut self) -> Option<String> {
        let start = self.at;
        let raw = self.rest().starts_with("r#");
        let body = if raw { start + 2 } else { start };
        let length = self.text[body..]
            .char_indices()
            .find(|&(_, c)| !(c.is_alphanumeric() || c == '_' || raw && "+-.".contains(c)))
            .map_or(self.text.len() - body, |(i, _)| i);
        if length == 0 {
            return None;
        }
        self.at = body + length;
        Some(self.text[body..self.at].to_owned())
    }

    fn number(&mut self) -> Vec<Part> {
        let rest = self.rest();
        self.at += rest
            .find(|c: char| !(c.is_alphanumeric() || "+-._".contains(c)))
            .unwrap_or(rest.len());
        Vec::new()
    }

    fn character(&mut self) -> Option<Vec<Part>> {
        let rest = &self.rest()[1..];
        let skip = if rest.starts_with('\\') {
            2
        } else {
            rest.chars().next()?.len_utf8()
        };
        self.at += 1 + skip + rest.get(skip..)?.find('\'')? + 1;
        Some(Vec::new())
    }

    /// A text in quotes, with simple escapes resolved: enough to compare keys.
    fn string(&mut self) -> Option<String> {
        if !self.eat('"') {
            return None;
        }
        let mut content = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Some(content);
                }
                '\\' => content.extend(chars.next().map(|(_, c)| c)),
                c => content.push(c),
            }
        }
        None
    }

    fn raw_string(&mut self) -> Option<Vec<Part>> {
        let rest = self.rest().strip_prefix('r')?;
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let body = rest[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let length = body.find(&close)?;
        self.at += 1 + hashes + 1 + length + close.len();
        Some(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_counted_and_not_built() {
        let list = |field: &str, n: usize, end: &str| {
            format!(
                "(version: 1, {field}: [{}{end}])",
                vec!["(a: [1, 2], b: \"),(\")"; n].join(",")
            )
        };
        let said = |text: &str| crowded(text).map(|(what, _)| what);
        for end in ["", ",", ", // (),()\n"] {
            assert_eq!(said(&list("timeline", 100_000, end)), None, "{end:?}");
            assert!(
                said(&list("timeline", 100_001, end))
                    .unwrap()
                    .starts_with("`timeline` has more than 100000 elements"),
                "{end:?}"
            );
            assert_eq!(said(&list("pods", 200_000, end)), None, "{end:?}");
        }
        assert!(
            said(&list("pods", 200_001, ""))
                .unwrap()
                .starts_with("`pods` has more than 200000 elements")
        );
        let deep = format!("(nodes: [(labels: [{}])])", "(),".repeat(4_000_000));
        assert!(said(&deep).unwrap().contains("more than 4000000 structs"));
        for text in ["", "(", "((((", "))))", "(timeline: [", "[]", "\"", "/*"] {
            assert_eq!(said(text), None, "{text:?}");
        }
    }

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
    fn names_with_dashes_become_identifiers_of_the_same_length() {
        for (text, expected) in [
            (
                "(kube-apiserver: {\"a-b\": 1})",
                "(kube_apiserver: {\"a-b\": 1})",
            ),
            (
                "(\"kube-apiserver\" : 1, x: -1)",
                "( kube_apiserver  : 1, x: -1)",
            ),
            ("(r#kube-apiserver: 1)", "(  kube_apiserver: 1)"),
            (
                "(a: \"(kube-apiserver: 1)\", /* (b-c: 2) */ d-e: [(f-g: r#\"(h-i: 1)\"#)])",
                "(a: \"(kube-apiserver: 1)\", /* (b-c: 2) */ d_e: [(f_g: r#\"(h-i: 1)\"#)])",
            ),
            (
                "{\"a-b\": (\"x-y\", \"ä-ö\")}",
                "{\"a-b\": (\"x-y\", \"ä-ö\")}",
            ),
            ("(\"ä-ö\": 1)", "(\"ä-ö\": 1)"),
            ("(\"a", "(\"a"),
            ("(a-: 1)", "(a-: 1)"),
        ] {
            assert_eq!(undashed(text), expected);
        }
        let tree = Tree::read("(flags: (kube-apiserver: {\"a-b\": 10}))").unwrap();
        let place: Place = at!["flags", "kube_apiserver", "a-b"];
        assert_eq!(tree.find(&place).map(|t| t.bytes.clone()), Some(33..35));
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
