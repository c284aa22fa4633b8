//! Texts with a syntax of their own, kept as written.

use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, SeqAccess};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Writes the JSON Schema of a type that reads itself.
macro_rules! schema {
    ($name:ident, $description:expr, $($schema:tt)+) => {
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = schemars::json_schema!($($schema)+);
                schema.insert("description".to_owned(), $description.into());
                schema
            }
        }
    };
}

/// A type that holds a text as written.
macro_rules! kept {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<String>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// Reads a type by what stands there; `expecting` is what an error says when something else does.
macro_rules! visits {
    ($de:lifetime $name:ident, $expecting:literal, $($visit:tt)*) => {
        impl<$de> serde::Deserialize<$de> for $name {
            fn deserialize<D: serde::Deserializer<$de>>(from: D) -> Result<Self, D::Error> {
                struct Reader;
                impl<$de> serde::de::Visitor<$de> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expecting)
                    }
                    $($visit)*
                }
                from.deserialize_any(Reader)
            }
        }
    };
}

pub(super) use visits;

/// Those that are written in quotes.
macro_rules! text {
    ($($(#[$doc:meta])* $name:ident = $expecting:literal $(like $pattern:literal)?,)*) => {$(
        kept! { $(#[$doc])* $name }

        visits! { 'de $name, $expecting,
            fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                Ok($name(text.to_owned()))
            }
        }

        schema! { $name, concat!(stringify!($name), ": ", $expecting), {
            "type": "string" $(, "pattern": $pattern)?
        } }
    )*};
}

text! {
    /// A span of time in Go's syntax: `"5m30s"`, `"200ms"`. Where it may be negative, the field
    /// says so.
    DurationText = "a duration in quotes, such as \"5m30s\""
        like r"^[+-]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$",
    /// When an entry begins: `"10m"`, or relative to a named entry, `"cut b + 50s"`,
    /// `"end of cut b + 5s"`.
    TimeText = "a time in quotes, such as \"10m\" or \"cut b + 50s\"",
    /// A delay: constant, `"2ms"`, or drawn evenly between two values, `"1ms..4ms"`.
    DelayText = "a delay in quotes, such as \"2ms\" or \"1ms..4ms\"",
    /// What is used of a resource: `"500Mi"`, `"80%"` of what is requested, `"1Gi + 10Mi/s"`, `"1Gi + 10Mi/s up to 3Gi"`, and
    /// other pieces from a time on, `"500Mi, 60s: 2Gi"`.
    UsageText = "what is used, in quotes, such as \"500Mi\", \"80%\", \"1Gi + 10Mi/s\" or \"500Mi, 60s: 2Gi\"",
}

kept! {
    /// A Kubernetes quantity: `"500m"`, `"32Gi"`, or a plain number.
    QuantityText
}

/// Of a group, in its schema: it has a name, or several.
pub(super) fn named() -> serde_json::Value {
    serde_json::json!([{ "anyOf": [{ "required": ["name"] }, { "required": ["names"] }] }])
}

schema! { QuantityText, "A Kubernetes quantity, such as \"500m\" or \"32Gi\"", { "type": ["string", "number"] } }
schema! { FlagValue, "A text in quotes, a number, true or false", { "type": ["string", "number", "boolean"] } }
schema! { OneOrMany, "A text in quotes, or a list of them", { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] } }

impl<'de> Deserialize<'de> for QuantityText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match FlagValue::deserialize(from)? {
            FlagValue::Text(text) => Ok(Self(text)),
            FlagValue::Int(n) => Ok(Self(n.to_string())),
            FlagValue::Float(x) => Ok(Self(x.to_string())),
            FlagValue::Bool(b) => Err(de::Error::invalid_value(
                de::Unexpected::Bool(b),
                &"a quantity such as \"500m\" or \"32Gi\"",
            )),
        }
    }
}

/// The value of a flag: in quotes as on a command line, or a number, or true or false.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FlagValue {
    /// `"50s"`
    Text(String),
    /// `true`
    Bool(bool),
    /// `50`
    Int(i64),
    /// `0.1`
    Float(f64),
}

/// As it would stand on a command line.
impl fmt::Display for FlagValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(x) => f.write_str(&super::numbers::legible(*x)),
        }
    }
}

visits! { 'de FlagValue, "a text in quotes, a number, true or false",
    fn visit_str<E: de::Error>(self, text: &str) -> Result<FlagValue, E> {
        Ok(FlagValue::Text(text.to_owned()))
    }
    fn visit_bool<E: de::Error>(self, b: bool) -> Result<FlagValue, E> {
        Ok(FlagValue::Bool(b))
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<FlagValue, E> {
        Ok(FlagValue::Int(n))
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<FlagValue, E> {
        i64::try_from(n).map(FlagValue::Int).map_err(|_| E::custom(format!("{n} is too large")))
    }
    fn visit_f64<E: de::Error>(self, x: f64) -> Result<FlagValue, E> {
        Ok(FlagValue::Float(x))
    }
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// `"a"`
    One(String),
    /// `["a", "b"]`
    Many(Vec<String>),
}

/// Names: one text, or a list of them, each with any number of ranges: `"a-{00..09}"`,
/// `"{a,b,c}-{1..3}"`.
pub(crate) type NamesText = OneOrMany;

impl OneOrMany {
    /// The texts.
    pub(crate) fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

impl From<&str> for OneOrMany {
    fn from(text: &str) -> Self {
        Self::One(text.to_owned())
    }
}

visits! { 'de OneOrMany, "a text in quotes, or a list of them",
    fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OneOrMany, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(OneOrMany::Many)
    }
}

/// A stretch of the run: from the first time to the second, both included.
pub(crate) type Window = (TimeText, TimeText);
