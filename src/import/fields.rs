//! Fields that objects of several kinds have: texts, quantities, and what is only asked for being
//! there.

use crate::api::validation::{self, FieldError};
use serde::de::Error;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// A map of texts in which null stands for the empty text.
pub(super) type Texts = BTreeMap<String, Option<String>>;
/// Fields of an object that are read without a type of their own, by name.
pub(super) type Fields = BTreeMap<&'static str, Value>;
/// `v1.ResourceList`
pub(super) type RawResources = BTreeMap<String, RawQuantity>;

/// Parts of objects as the API prints them. Every field may be missing or null, which is the default
/// of its type, as in Go; what is not named is passed over.
macro_rules! raw {
    ($($(#[$about:meta])* struct $name:ident {
        $($(#[$attribute:meta])* $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub(super) struct $name {
            $(
                $(#[$attribute])*
                #[serde(deserialize_with = "crate::import::fields::or_default")]
                pub(super) $field: $type,
            )*
        }
    )*};
}

pub(super) use raw;

/// Reads a value; null is the default.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    d: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(d)?.unwrap_or_default())
}

/// A field of which only this is asked: whether it is there and not empty.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Filled(pub bool);

/// A quantity as it was written: text, or a bare number, which the API accepts too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawQuantity(pub String);

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Value::deserialize(d)? {
            Value::Object(map) => Ok(Filled(!map.is_empty())),
            Value::Array(list) => Ok(Filled(!list.is_empty())),
            _ => Err(D::Error::custom("expected a list or an object, found neither")),
        }
    }
}

impl<'de> Deserialize<'de> for RawQuantity {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Value::deserialize(d)? {
            Value::String(text) => Ok(RawQuantity(text)),
            Value::Number(number) => Ok(RawQuantity(number.to_string())),
            _ => Err(D::Error::custom(
                "expected a quantity like \"500m\" or \"32Gi\", found neither text nor a number",
            )),
        }
    }
}

/// What is wrong with an object; its place is added by whoever knows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong(pub String);

impl From<FieldError> for Wrong {
    fn from(error: FieldError) -> Self {
        match &error.hint {
            Some(hint) => Wrong(format!("{error} ({hint})")),
            None => Wrong(error.to_string()),
        }
    }
}

/// Without the position with which serde_json ends its messages: an error here has a place of its
/// own.
impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        Wrong(text.rsplit_once(" at line ").map_or(text.as_str(), |(said, _)| said).to_owned())
    }
}

/// The first of a check's errors, if there are any.
pub(super) fn first(errors: Vec<FieldError>) -> Result<(), Wrong> {
    errors.into_iter().next().map_or(Ok(()), |e| Err(e.into()))
}

/// One of the words that Kubernetes and a scenario share, if it is one.
pub(super) fn shared<'t, T: Deserialize<'t>>(text: &'t str) -> Option<T> {
    T::deserialize(StrDeserializer::<serde::de::value::Error>::new(text)).ok()
}

/// One of these words, which must be there.
pub(super) fn word<'t, T: Deserialize<'t>>(field: &str, text: &'t str) -> Result<T, Wrong> {
    shared(text).ok_or_else(|| unknown(field, text))
}

/// A word that is none of those of its field.
pub(super) fn unknown(field: &str, text: &str) -> Wrong {
    Wrong(format!("{field} is {text:?}, which the API does not know"))
}

/// The name of a node or pod, which must be there.
pub(super) fn name<'t>(field: &str, text: &'t str) -> Result<&'t str, Wrong> {
    legal(field, text, validation::dns1123_subdomain)
}

/// The name of a namespace, which must be there.
pub(super) fn namespace<'t>(field: &str, text: &'t str) -> Result<&'t str, Wrong> {
    legal(field, text, validation::dns1123_label)
}

fn legal<'t>(field: &str, text: &'t str, check: fn(&str) -> Vec<String>) -> Result<&'t str, Wrong> {
    if text.is_empty() {
        return Err(FieldError::required(field).into());
    }
    let detail = check(text).join("; ");
    if detail.is_empty() { Ok(text) } else { Err(FieldError::invalid(field, text, detail).into()) }
}

/// Labels, checked; a null value is an empty one.
pub(super) fn labels(field: &str, raw: &Texts) -> Result<BTreeMap<String, String>, Wrong> {
    let mut out = BTreeMap::new();
    for (key, value) in raw {
        let value = value.as_deref().unwrap_or_default();
        for (text, errors) in [
            (key.as_str(), validation::qualified_name(key)),
            (value, validation::label_value(value)),
        ] {
            if !errors.is_empty() {
                return Err(FieldError::invalid(field, text, errors.join("; ")).into());
            }
        }
        out.insert(key.clone(), value.to_owned());
    }
    Ok(out)
}
