//! The tree of a scenario's text: every value with the bytes that it covers, and with its name if
//! it is a field or stands in a map. Whoever reads, changes or writes a scenario does it by this
//! tree.

use std::ops::Range;

/// A value, and its name if it has one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    name: Option<Name>,
    /// What it is.
    pub value: Value,
    bytes: Bytes,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    text: Box<str>,
    bytes: Bytes,
}

/// The first byte, and the one behind the last. A text is never so long that these do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Bytes(u32, u32);

impl Bytes {
    fn of(range: Range<usize>) -> Self {
        let byte = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self(byte(range.start), byte(range.end))
    }

    fn range(self) -> Range<usize> {
        self.0 as usize..self.1 as usize
    }
}

/// What stands at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number, or a word without brackets, as written: `-5`, `true`, `All`.
    Word(Box<str>),
    /// A text in quotes, with its escapes resolved.
    Text(Box<str>),
    /// Brackets, and the word before them: `Zone("b")`, `[1, 2]`.
    Brackets {
        /// The word, or nothing.
        word: Box<str>,
        /// The opening bracket.
        open: char,
        /// What stands between them.
        parts: Vec<Tree>,
    },
}

impl Value {
    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// A word.
    pub fn word(word: &str) -> Self {
        Self::Word(word.into())
    }

    /// Brackets without a word before them.
    pub fn brackets(open: char, parts: Vec<Tree>) -> Self {
        Self::Brackets { word: "".into(), open, parts }
    }
}

/// The bracket that closes what another opens.
pub(super) fn close_of(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        Self::placed(value, 0..0)
    }
}

impl Tree {
    /// A value that stands at these bytes.
    pub(crate) fn placed(value: Value, bytes: Range<usize>) -> Self {
        Self { name: None, value, bytes: Bytes::of(bytes) }
    }

    /// The same under a name that stands at these bytes.
    pub(crate) fn named_at(mut self, name: &str, bytes: Range<usize>) -> Self {
        self.name = Some(Name { text: name.into(), bytes: Bytes::of(bytes) });
        self
    }

    /// The same under a name.
    pub fn named(self, name: &str) -> Self {
        let bytes = self.bytes();
        self.named_at(name, bytes.start..bytes.start)
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(|n| &*n.text)
    }

    /// Whether that is its name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    /// The bytes of its name.
    pub(crate) fn name_bytes(&self) -> Option<Range<usize>> {
        self.name.as_ref().map(|n| n.bytes.range())
    }

    /// The bytes of the value.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.bytes.range()
    }

    /// The bytes of the value with its name.
    pub(crate) fn whole(&self) -> Range<usize> {
        let bytes = self.bytes();
        self.name_bytes().map_or(bytes.start, |name| name.start)..bytes.end
    }

    /// What stands in its brackets.
    pub fn parts(&self) -> &[Self] {
        if let Value::Brackets { parts, .. } = &self.value { parts } else { &[] }
    }

    /// What stands in its brackets, to change it.
    pub(crate) fn parts_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Value::Brackets { parts, .. } = &mut self.value { Some(parts) } else { None }
    }

    /// Its opening bracket.
    pub fn open(&self) -> Option<char> {
        if let Value::Brackets { open, .. } = &self.value { Some(*open) } else { None }
    }

    /// The word that it is, or that stands before its brackets.
    pub fn word(&self) -> &str {
        match &self.value {
            Value::Word(word) | Value::Brackets { word, .. } => word,
            Value::Text(_) => "",
        }
    }

    /// The text that it is.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The word, where there is nothing else.
    pub(super) fn bare_word(&self) -> Option<&str> {
        if let Value::Word(word) = &self.value { Some(word) } else { None }
    }

    /// The part of a name.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        self.parts().iter().find(|p| p.is_named(name))
    }

    /// The part of a name, to change it.
    pub(crate) fn field_mut(&mut self, name: &str) -> Option<&mut Self> {
        self.parts_mut()?.iter_mut().find(|p| p.is_named(name))
    }

    /// Writes a part under a name, in place of the one that has it.
    pub(crate) fn put(&mut self, name: &str, value: Value) {
        let new = Self::from(value).named(name);
        match self.field_mut(name) {
            Some(old) => *old = new,
            None => {
                if let Some(parts) = self.parts_mut() {
                    parts.push(new);
                }
            }
        }
    }

    /// The part that those numbers lead to; without brackets on the way what lies there.
    pub(crate) fn at(&self, path: &[usize]) -> &Self {
        path.iter().fold(self, |tree, i| tree.parts().get(*i).unwrap_or(tree))
    }

    /// The part that those numbers lead to, to change it.
    pub(crate) fn at_mut(&mut self, path: &[usize]) -> Option<&mut Self> {
        let mut tree = self;
        for i in path {
            tree = tree.parts_mut()?.get_mut(*i)?;
        }
        Some(tree)
    }

    /// Takes the part away that those numbers lead to; nothing if there is none.
    pub fn remove(&mut self, path: &[usize]) -> Option<Self> {
        let (last, above) = path.split_last()?;
        let parts = self.at_mut(above)?.parts_mut()?;
        (*last < parts.len()).then(|| parts.remove(*last))
    }

    /// The numbers that lead to the innermost part which holds that byte.
    pub(crate) fn path_to(&self, byte: usize) -> Vec<usize> {
        let (mut path, mut tree) = (Vec::new(), self);
        while let Some(i) = tree.parts().iter().position(|p| p.whole().contains(&byte)) {
            path.push(i);
            tree = &tree.parts()[i];
        }
        path
    }

    /// The step from a value into its part of that number.
    pub(crate) fn step(&self, i: usize) -> Step {
        self.parts().get(i).and_then(Self::name).map_or(Step::Index(i), Step::from)
    }

    /// An optional value is its content.
    pub(crate) fn content(&self) -> &Self {
        match self.parts() {
            [only] if self.word() == "Some" => only.content(),
            _ => self,
        }
    }

    /// The value at the end of those steps.
    pub(crate) fn find(&self, place: &[Step]) -> Option<&Self> {
        if place.is_empty() {
            return Some(self);
        }
        self.part(place).map(Self::content)
    }

    /// The last of the parts on the way, with its name.
    pub(crate) fn part(&self, place: &[Step]) -> Option<&Self> {
        let (first, rest) = place.split_first()?;
        let inner = self.content();
        let part = match first {
            Step::Key(key) => inner.field(key),
            Step::Index(i) => inner.parts().get(*i),
        }?;
        if rest.is_empty() { Some(part) } else { part.part(rest) }
    }

    /// The bytes of the first text or key that is this; of `shop/web` those of the name, beside its namespace.
    pub(crate) fn called(&self, name: &str) -> Option<Range<usize>> {
        let says = |field, text| self.field(field).and_then(Self::text) == Some(text);
        let of = name.split_once('/');
        let own = if of.is_some_and(|(of, own)| says("namespace", of) && says("name", own)) {
            self.field("name").map(Self::bytes)
        } else if self.text() == Some(name) {
            Some(self.bytes())
        } else {
            self.name_bytes().filter(|_| self.is_named(name))
        };
        own.or_else(|| self.parts().iter().find_map(|part| part.called(name)))
    }

    /// Every key that stands twice in the same map, where it stands again.
    pub(crate) fn doubles(&self, found: &mut Vec<(String, Range<usize>)>) {
        let mut seen = std::collections::BTreeSet::new();
        for part in self.parts() {
            if let Some(name) = &part.name
                && self.open() == Some('{')
                && !seen.insert(&name.text)
            {
                found.push((name.text.to_string(), name.bytes.range()));
            }
            part.doubles(found);
        }
    }
}

/// A step from a value into one of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of a struct, or of an enum's variant; or an entry of a map.
    Key(String),
    /// An element of a list, or of an enum's variant without field names.
    Index(usize),
}

impl<T: AsRef<str> + ?Sized> From<&T> for Step {
    fn from(key: &T) -> Self {
        Self::Key(key.as_ref().to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A value's place: the steps to it from the top of the file.
pub(crate) type Place = Vec<Step>;

/// Writes a [`Place`]: `at!["nodes", 3, "zone"]`.
macro_rules! at {
    ($($step:expr),* $(,)?) => { vec![$($crate::language::text::tree::Step::from($step)),*] };
}
pub(crate) use at;

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"// a comment
Scenario(version: 1, /* another /* inside */ */
    nodes: [(name: "a-{0..3}", taints: [r#"x=":NoExecute"#], c: '"'), (name: Some("b"))],
    flags: (kubelet: { "a b": -1.5e3, "c": true }),
    timeline: [(at: "1m", do: Partition(nodes: Share(of: Zone("z"), fraction: 0.5)))],
)"##;

    fn text_at(place: Place) -> &'static str {
        let tree = Tree::read(TEXT).unwrap();
        &TEXT[tree.find(&place).unwrap().bytes()]
    }

    #[test]
    fn places_are_found() {
        assert_eq!(text_at(at!["version"]), "1");
        assert_eq!(text_at(at!["nodes", 0, "name"]), r#""a-{0..3}""#);
        assert_eq!(text_at(at!["nodes", 0, "taints", 0]), r##"r#"x=":NoExecute"#"##);
        assert_eq!(text_at(at!["nodes", 1, "name"]), r#""b""#, "Some is see-through");
        assert_eq!(text_at(at!["flags", "kubelet", "a b"]), "-1.5e3");
        assert_eq!(text_at(at!["timeline", 0, "do", "nodes", "of", 0]), r#""z""#);
        assert_eq!(text_at(at!["timeline", 0, "do", "nodes", "fraction"]), "0.5");
    }

    /// Neither a comment nor a part of a text is meant.
    #[test]
    fn what_is_named_is_found() {
        let text = r#"/* "web" */ (doc: "of \"web\"", a: [(name: "db", namespace: "shop"), (name: "web")], b: { "k-1": 1 })"#;
        let tree = Tree::read(text).unwrap();
        let called = |name: &str| tree.called(name).map(|bytes| (bytes.start, &text[bytes]));
        for (name, quoted) in [("web", r#""web""#), ("shop/db", r#""db""#), ("k-1", r#""k-1""#)] {
            assert_eq!(called(name), text.rfind(quoted).map(|at| (at, quoted)), "{name}");
        }
        assert_eq!((called("lab/db"), called("of")), (None, None));
    }

    #[test]
    fn keys_that_stand_twice_are_found() {
        let mut doubles = Vec::new();
        let text = r#"(a: { "x": 1, "y": 2, "x": 3 }, b: 1)"#;
        Tree::read(text).unwrap().doubles(&mut doubles);
        assert_eq!(doubles, vec![("x".to_owned(), 22..25)]);
    }
}
