//! Fields that objects of several kinds have: texts, quantities, and what is only asked for being
//! there.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A map of texts in which null stands for the empty text.
pub(super) type Texts = BTreeMap<String, Option<String>>;
/// Fields of an object that are read without a type of their own, by name.
pub(super) type Fields = BTreeMap<&'static str, Value>;
/// `v1.ResourceList`
pub(super) type RawResources = BTreeMap<String, RawQuantity>;

/// A field of which only this is asked: whether it is there and not empty.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Filled(pub bool);

/// A quantity as it was written: text, or a bare number, which the API accepts too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawQuantity(pub String);

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Filled;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filled, A::Error> {
                let mut filled = false;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    filled = true;
                }
                Ok(Filled(filled))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Filled, A::Error> {
                let mut filled = false;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    filled = true;
                }
                Ok(Filled(filled))
            }
        }
        d.deserialize_any(V)
    }
}

impl<'de> Deserialize<'de> for RawQuantity {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = RawQuantity;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity like \"500m\" or \"32Gi\"")
            }
            fn visit_str<E>(self, v: &str) -> Result<RawQuantity, E> {
                Ok(RawQuantity(v.to_owned()))
            }
            fn visit_u64<E>(self, v: u64) -> Result<RawQuantity, E> {
                Ok(RawQuantity(v.to_string()))
            }
            fn visit_i64<E>(self, v: i64) -> Result<RawQuantity, E> {
                Ok(RawQuantity(v.to_string()))
            }
            fn visit_f64<E>(self, v: f64) -> Result<RawQuantity, E> {
                Ok(RawQuantity(v.to_string()))
            }
        }
        d.deserialize_any(V)
    }
}
