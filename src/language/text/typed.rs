//! From the tree of a text to the types of the language: serde's view of a tree, in which a mistake
//! knows its place.
//!
//! It takes what ron takes with `implicit_some` and `unwrap_variant_newtypes`: an optional value is
//! written as its content, and `Deployment(name: "web")` holds the fields of what it wraps.

use super::hints::{SHORT, by_name, in_quotes, number_meant, selected, several, truth_meant};
use super::mistake::Mistake;
use super::problem::did_you_mean;
use super::read::DEPTH_MAX;
use super::tree::{Tree, Value};
use super::words;
use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};

impl Tree {
    /// The value of a type of the language that it stands for.
    ///
    /// # Errors
    /// The first mistake of form.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<T, Mistake> {
        T::deserialize(Reader { tree: self, inside: false, left: DEPTH_MAX })
    }
}

/// Reads a value.
#[derive(Clone, Copy)]
struct Reader<'t> {
    tree: &'t Tree,
    /// Not the tree itself is meant, but what stands in its brackets: `Zone("b")`, `Job(name: "a")`.
    inside: bool,
    /// How much deeper values may be nested. It is counted as ron does: a struct and a field of it
    /// are two levels.
    left: usize,
}

/// A mistake about a value.
fn wrong(tree: &Tree, text: impl Into<String>) -> Mistake {
    at(Mistake::said(text), tree)
}

/// A mistake about a value, unless it is known what it is about.
fn at(mistake: Mistake, tree: &Tree) -> Mistake {
    let bytes = tree.bytes();
    if mistake.is_variant() {
        let end = bytes.start + tree.word().len();
        return mistake.at(bytes.start, bytes.start..end);
    }
    mistake.at(bytes.start, bytes)
}

impl<'t> Reader<'t> {
    fn deeper(self) -> Result<Self, Mistake> {
        let text = || format!("values are nested deeper than {DEPTH_MAX} levels");
        let left = self.left.checked_sub(1).ok_or_else(|| wrong(self.tree, text()))?;
        Ok(Self { left, ..self })
    }

    /// The value that is meant.
    fn meant(self) -> Result<&'t Tree, Mistake> {
        if !self.inside {
            return Ok(self.tree);
        }
        match self.tree.parts() {
            [only] if only.name().is_none() => Ok(only),
            [] => Err(at(Mistake::less("expected a value in brackets"), self.tree)),
            [named, ..] if named.name().is_some() => {
                Err(wrong(named, "expected a value without a name"))
            }
            [_, more, ..] => Err(wrong(more, "expected closing `)`")),
            [_] => Ok(self.tree),
        }
    }

    fn of(self, tree: &'t Tree) -> Self {
        Self { tree, inside: false, ..self }
    }

    /// The parts of a value in such brackets.
    fn parts(self, open: char, text: &str) -> Result<Parts<'t>, Mistake> {
        let tree = if open == '(' { self.tree } else { self.meant()? };
        let is_one = tree.open() == Some(open) && (self.inside || tree.word().is_empty());
        if is_one {
            Ok(Parts { tree, next: 0, reader: self.of(tree).deeper()? })
        } else {
            Err(wrong(tree, text))
        }
    }

    /// The fields of a struct of that name, which has these.
    fn fields(self, name: &str, known: &[&str]) -> Result<Parts<'t>, Mistake> {
        let found = self.tree.word();
        let is_named = !self.inside && is_word(self.tree);
        if is_named && found != name {
            let text = format!("expected `{name}(…)` or `(…)`, found `{found}`");
            let start = self.tree.bytes().start;
            return Err(Mistake::said(text).at(start, start..start + found.len()));
        }
        let inside = self.inside || is_named;
        let fields = Reader { inside, ..self }.parts('(', "expected `(` here");
        fields.map_err(|m| m.help(Some(by_name(known))))
    }

    fn integer<T: TryFrom<i128>>(self) -> Result<T, Mistake> {
        let tree = self.meant()?;
        let Some(number) = tree.bare_word().and_then(words::whole) else {
            let help = tree.text().and_then(|text| number_meant(tree.name(), text));
            return Err(wrong(tree, "expected a whole number, without quotes").help(help));
        };
        let fits = |n: i128| T::try_from(n).is_ok();
        let most = (1..127).rev().map(|bits| (1_i128 << bits) - 1).find(|n| fits(*n));
        let most = most.unwrap_or_default();
        let least = if fits(-1) { -most - 1 } else { 0 };
        T::try_from(number).map_err(|_| {
            let help = format!("from {least} to {most}");
            wrong(tree, "this number is out of range here").help(Some(help))
        })
    }

    fn boolean(self) -> Result<bool, Mistake> {
        let tree = self.meant()?;
        let truth = tree.bare_word().and_then(|word| word.parse().ok());
        truth.ok_or_else(|| wrong(tree, "expected `true` or `false`").help(truth_meant(tree)))
    }

    fn float(self) -> Result<f64, Mistake> {
        let tree = self.meant()?;
        let float = tree.bare_word().and_then(words::fraction);
        float.ok_or_else(|| wrong(tree, "expected float"))
    }
}

/// The field that a word alone in the place of a struct switches on: `Restarted` is
/// `(restarted: true)`.
fn switched_on(tree: &Tree, known: &[&'static str]) -> Option<&'static str> {
    let word = tree.bare_word()?;
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    let field = known.iter().find(|field| word.eq_ignore_ascii_case(field));
    field.filter(|_| capital).copied()
}

/// Methods that read a plain value and show it to the visitor.
macro_rules! plain {
    ($($method:ident $read:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            visitor.$visit(self.$read()?).map_err(|m| at(m, self.tree))
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Mistake;

    plain! {
        deserialize_bool boolean visit_bool
        deserialize_i8 integer visit_i8
        deserialize_i16 integer visit_i16
        deserialize_i32 integer visit_i32
        deserialize_i64 integer visit_i64
        deserialize_u8 integer visit_u8
        deserialize_u16 integer visit_u16
        deserialize_u32 integer visit_u32
        deserialize_u64 integer visit_u64
        deserialize_f64 float visit_f64
        deserialize_f32 float visit_f64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let tree = self.meant()?;
        let of = self.of(tree);
        let read = match &tree.value {
            Value::Text(text) => visitor.visit_str(text),
            Value::Brackets { word, open, .. } if word.is_empty() && *open != '{' => {
                visitor.visit_seq(of.parts(*open, "")?)
            }
            Value::Brackets { word, .. } if !word.is_empty() => visitor.visit_enum(of.deeper()?),
            Value::Brackets { .. } => {
                Err(serde::de::Error::invalid_type(Unexpected::Map, &visitor))
            }
            Value::Word(word) => match (&**word, words::whole(word), words::fraction(word)) {
                ("true", ..) => visitor.visit_bool(true),
                ("false", ..) => visitor.visit_bool(false),
                ("None", ..) => visitor.visit_none(),
                (_, Some(n), _) if u64::try_from(n).is_ok() => visitor.visit_u64(n as u64),
                (_, Some(n), _) if i64::try_from(n).is_ok() => visitor.visit_i64(n as i64),
                (_, _, Some(x)) => visitor.visit_f64(x),
                _ => {
                    let found = format!("`{word}`");
                    let found = Unexpected::Other(&found);
                    let wrong: Mistake = serde::de::Error::invalid_value(found, &visitor);
                    Err(wrong.help(in_quotes(tree)))
                }
            },
        };
        read.map_err(|m| at(m, tree))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let tree = self.meant()?;
        match tree.text() {
            Some(text) => visitor.visit_str(text).map_err(|m| at(m, tree)),
            None => Err(wrong(tree, "expected a text in quotes").help(in_quotes(tree))),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.tree.value {
            Value::Word(word) if &**word == "None" => visitor.visit_none(),
            Value::Brackets { word, .. } if &**word == "Some" && !self.inside => {
                visitor.visit_some(Reader { inside: true, ..self }.deeper()?)
            }
            _ => visitor.visit_some(self.deeper()?),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let parts = self.parts('[', "expected a list: `[…]`")?;
        visitor.visit_seq(parts).map_err(|m| at(m, parts.tree))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, n: usize, visitor: V) -> Result<V::Value, Mistake> {
        let short = self.tree.text().filter(|text| text.len() <= SHORT);
        let help = short.map(|text| match text.split_once("..") {
            Some((from, to)) => format!("write `(\"{from}\", \"{to}\")`"),
            None => format!("write `(\"{text}\"{})`", ", …".repeat(n.saturating_sub(1))),
        });
        let mut parts = self.parts('(', "expected `(` here").map_err(|m| m.help(help))?;
        let read = visitor.visit_seq(&mut parts).map_err(|m| at(m, self.tree))?;
        match self.tree.parts().get(parts.next) {
            Some(more) => Err(wrong(more, "expected closing `)`")),
            None => Ok(read),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let inside = self.inside || self.tree.word() == name;
        Reader { inside, ..self }.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let parts = self.parts('{', "expected a map: `{ \"key\": … }`")?;
        visitor.visit_map(parts).map_err(|m| at(m, parts.tree))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if let Some(field) = switched_on(self.tree, known) {
            return visitor.visit_map(MapDeserializer::new([(field, true)].into_iter()));
        }
        let mut fields = self.fields(name, known)?;
        visitor.visit_map(&mut fields).map_err(|m| {
            let m = fields.placed(known, m);
            // What a variant wraps goes by the variant's name.
            if self.inside { m } else { m.of_type(name) }
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let tree = self.meant()?;
        if !is_word(tree) {
            let text = match (variants, tree.text()) {
                ([one], Some(text)) => format!("expected `{one}({text:?})`"),
                _ if tree.open() == Some('(') => {
                    format!("expected a word before the bracket, one of {}", variants.join(", "))
                }
                _ => format!("expected a word without quotes, one of {}", variants.join(", ")),
            };
            let one = name.strip_suffix("Selector").or((name == "Placement").then_some("Node"));
            let meant = one.and_then(|one| selected(tree, one));
            let meant = meant.map(|meant| format!("write `{meant}`"));
            let near = || tree.text().and_then(|text| did_you_mean(text, variants));
            let agents =
                "what agents post is of `SetCondition` alone, and no expectation is about it";
            let agents = (name == "ConditionKind").then(|| agents.to_owned());
            return Err(wrong(tree, text).help(meant.or_else(near).or(agents)));
        }
        visitor.visit_enum(self.of(tree).deeper()?).map_err(|m| {
            let m = if m.is_variant() { m.of_type(name) } else { m };
            at(m, tree)
        })
    }

    serde::forward_to_deserialize_any! {
        char bytes byte_buf i128 u128 unit unit_struct newtype_struct identifier ignored_any
    }
}

/// Whether it begins as the name of a variant does.
fn is_word(tree: &Tree) -> bool {
    tree.word().starts_with(|c: char| c.is_alphabetic() || c == '_')
}

impl<'de, 't> EnumAccess<'de> for Reader<'t> {
    type Error = Mistake;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Mistake> {
        let word: StrDeserializer<'_, Mistake> = self.tree.word().into_deserializer();
        Ok((seed.deserialize(word)?, self))
    }
}

impl<'t> Reader<'t> {
    /// A variant that holds something has brackets, be they empty.
    fn opened(&self) -> Result<(), Mistake> {
        if self.tree.open().is_some() {
            return Ok(());
        }
        let word = self.tree.word();
        let help = (!word.is_empty()).then(|| format!("in brackets: `{word}(…)`"));
        Err(wrong(self.tree, "expected `(` here").help(help))
    }

    /// What is in the brackets of a variant.
    fn wrapped(self) -> Result<Self, Mistake> {
        self.opened()?;
        Reader { inside: true, ..self }.deeper()
    }
}

impl<'de> VariantAccess<'de> for Reader<'_> {
    type Error = Mistake;

    fn unit_variant(self) -> Result<(), Mistake> {
        if self.tree.open().is_some() {
            let help = format!("nothing is in brackets here: `{}`", self.tree.word());
            let mistake = wrong(self.tree, "expected a comma, or the closing bracket");
            return Err(mistake.help(Some(help)));
        }
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mistake> {
        seed.deserialize(self.wrapped()?).map_err(|m| at(m.of_variant(self.tree.word()), self.tree))
    }

    fn tuple_variant<V: Visitor<'de>>(self, n: usize, visitor: V) -> Result<V::Value, Mistake> {
        self.wrapped()?.deserialize_tuple(n, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.opened()?;
        let mut fields = Reader { inside: true, ..self }.parts('(', "expected `(` here")?;
        let placed = visitor.visit_map(&mut fields).map_err(|m| fields.placed(known, m));
        placed.map_err(|m| m.of_variant(self.tree.word()))
    }
}

/// The parts of a value, one after the other.
#[derive(Clone, Copy)]
struct Parts<'t> {
    tree: &'t Tree,
    /// The number of the next one.
    next: usize,
    reader: Reader<'t>,
}

impl<'t> Parts<'t> {
    fn take(&mut self) -> Option<&'t Tree> {
        let part = self.tree.parts().get(self.next)?;
        self.next += 1;
        Some(part)
    }

    /// A mistake about the fields as a whole, of which these may be there; one about the name of the last of
    /// them is where that stands.
    fn placed(&self, known: &[&str], mistake: Mistake) -> Mistake {
        let last = self.tree.parts().get(self.next.wrapping_sub(1));
        let mistake = mistake.help(last.and_then(|last| several(last, known)));
        match last.and_then(Tree::name_bytes) {
            Some(bytes) if mistake.is_twice() => mistake.at(bytes.start, bytes),
            _ => at(mistake, self.tree),
        }
    }
}

impl<'de> SeqAccess<'de> for Parts<'_> {
    type Error = Mistake;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake> {
        let Some(part) = self.take() else { return Ok(None) };
        if part.name().is_some() {
            return Err(wrong(part, "expected a value without a name").help(in_quotes(self.tree)));
        }
        seed.deserialize(self.reader.of(part).deeper()?).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.tree.parts().len() - self.next)
    }
}

impl<'de> MapAccess<'de> for Parts<'_> {
    type Error = Mistake;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake> {
        let Some(part) = self.take() else { return Ok(None) };
        let (Some(name), Some(bytes)) = (part.name(), part.name_bytes()) else {
            return Err(wrong(part, "expected a field: its name, a colon, and its value"));
        };
        // A word without quotes is read, so that no later mistake is hidden by it; it is no key.
        if self.tree.open() == Some('{') && bytes.len() == name.len() {
            let mistake = Mistake::said("expected a text in quotes");
            let help = (name.len() <= SHORT).then(|| format!("write `\"{name}\"`"));
            return Err(mistake.help(help).at(bytes.start, bytes));
        }
        let name: StrDeserializer<'_, Mistake> = name.into_deserializer();
        seed.deserialize(name).map(Some).map_err(|m| m.at(bytes.start, bytes))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Mistake> {
        let part = &self.tree.parts()[self.next - 1];
        seed.deserialize(self.reader.of(part).deeper()?)
    }
}
