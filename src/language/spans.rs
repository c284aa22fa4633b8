//! How spans of time are distributed, of outages and of whatever takes its time.

use crate::language::prelude::*;
use schemars::{Schema, SchemaGenerator};
use serde::de::value::EnumAccessDeserializer;
use serde::de::{self, EnumAccess};
use std::hash::{Hash, Hasher};

/// How spans of time are distributed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Distribution {
    /// Without memory.
    Exponential {
        /// Its mean.
        mean: DurationText,
    },
    /// Below a shape of 1, what has lasted will last.
    Weibull {
        /// Its shape.
        shape: f64,
        /// Its scale.
        scale: DurationText,
    },
    /// Its logarithm is normal.
    LogNormal {
        /// The median.
        median: DurationText,
        /// The standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Evenly between two spans.
    Uniform(DurationText, DurationText),
    /// Always the same.
    Fixed(DurationText),
    /// One of these, each as likely as it stands here.
    Values(Vec<DurationText>),
    /// The lengths of the outages in a file, a history as in `trace`.
    Empirical(String),
}

/// How long something takes: one span, or how spans are distributed, of which one is drawn each time.
/// Two are the same if they are written the same.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum HowLong {
    /// `"2s"`
    Always(DurationText),
    /// `LogNormal(median: "10s", sigma: 0.5)`
    Drawn(Distribution),
}

impl HowLong {
    /// What tells two of them apart: a number that is none is not equal to itself.
    fn written(&self) -> String {
        format!("{self:?}")
    }
}

impl PartialEq for HowLong {
    fn eq(&self, other: &Self) -> bool {
        self.written() == other.written()
    }
}

impl Eq for HowLong {}

impl Hash for HowLong {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.written().hash(state);
    }
}

impl From<DurationText> for HowLong {
    fn from(text: DurationText) -> Self {
        Self::Always(text)
    }
}

visits! { 'de HowLong, "a duration in quotes, or a distribution such as Uniform(\"2s\", \"8s\")",
    fn visit_str<E: de::Error>(self, text: &str) -> Result<HowLong, E> {
        Ok(HowLong::Always(text.into()))
    }
    fn visit_enum<A: EnumAccess<'de>>(self, of: A) -> Result<HowLong, A::Error> {
        Distribution::deserialize(EnumAccessDeserializer::new(of)).map(HowLong::Drawn)
    }
}

impl JsonSchema for HowLong {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HowLong".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let drawn = generator.subschema_for::<Distribution>();
        schemars::json_schema!({
            "description": "How long something takes: a duration in quotes, such as \"5s\", or how it is distributed",
            "anyOf": [{ "type": "string" }, drawn],
        })
    }
}
