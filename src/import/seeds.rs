//! Reads objects and lists from a deserializer, in one pass, with a note of how far it has got.

use super::error::Place;
use super::object::{NameOnly, RawMeta};
use super::raw::{Body, Raw, part};
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::cell::{Cell, RefCell};
use std::fmt;

/// How far reading has got, for messages.
#[derive(Default)]
pub(super) struct Cursor {
    item: Cell<Option<usize>>,
    kind: RefCell<String>,
    name: RefCell<String>,
}

impl Cursor {
    fn begin(&self) {
        self.kind.borrow_mut().clear();
        self.name.borrow_mut().clear();
    }

    /// The place of the object at hand in a document.
    pub(super) fn place(&self, document: &Place) -> Place {
        Place {
            item: self.item.get(),
            kind: self.kind.borrow().clone(),
            name: self.name.borrow().clone(),
            ..document.clone()
        }
    }
}

/// Reads one object.
struct ObjectSeed<'c> {
    cursor: &'c Cursor,
    /// The kind and API version of the items, where the list has said them before its items.
    of_list: Option<(&'c str, Option<&'c str>)>,
}

enum Field {
    ApiVersion,
    Kind,
    Metadata,
    Items,
    /// One that some kind has.
    Part(&'static str),
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Names;
        impl Visitor<'_> for Names {
            type Value = Field;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a field")
            }
            fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                Ok(match name {
                    "apiVersion" => Field::ApiVersion,
                    "kind" => Field::Kind,
                    "metadata" => Field::Metadata,
                    "items" => Field::Items,
                    name => part(name).map_or(Field::Other, Field::Part),
                })
            }
        }
        d.deserialize_identifier(Names)
    }
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = Raw;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Raw, D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_> {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of the Kubernetes API, with `kind` and `metadata`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        self.cursor.begin();
        let mut raw = Raw::default();
        if let Some((kind, api_version)) = self.of_list {
            self.cursor.kind.replace(kind.to_owned());
            raw.kind = Some(kind.to_owned());
            raw.api_version = api_version.map(str::to_owned);
        }
        while let Some(field) = map.next_key::<Field>()? {
            match field {
                Field::ApiVersion => raw.api_version = map.next_value()?,
                Field::Kind => {
                    raw.kind = map.next_value()?;
                    self.cursor.kind.replace(raw.kind.clone().unwrap_or_default());
                }
                Field::Metadata => {
                    raw.meta = metadata(&mut map, raw.body())?;
                    self.cursor.name.replace(raw.meta.name.clone().unwrap_or_default());
                }
                Field::Part(field) => match raw.body() {
                    Body::Unknown => drop(raw.aside.insert(field, map.next_value()?)),
                    body => map.next_value_seed(PartSeed { body, field })?,
                },
                Field::Items if raw.items.is_some() => {
                    return Err(A::Error::duplicate_field("items"));
                }
                Field::Items if raw.kind.as_deref().is_none_or(|k| k.ends_with("List")) => {
                    let list_kind = raw.kind.clone();
                    let of = list_kind
                        .as_deref()
                        .and_then(|k| k.strip_suffix("List"))
                        .filter(|k| !k.is_empty());
                    let of_list = of.map(|k| (k, raw.api_version.as_deref()));
                    raw.items = map.next_value_seed(ItemsSeed { cursor: self.cursor, of_list })?;
                    self.cursor.begin();
                }
                Field::Items | Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(raw)
    }
}

/// Reads `metadata`, of objects that are only counted just the name.
fn metadata<'de, A: MapAccess<'de>>(map: &mut A, body: &Body) -> Result<RawMeta, A::Error> {
    if matches!(body, Body::Other | Body::Event(_)) {
        let only: Option<NameOnly> = map.next_value()?;
        let only = only.unwrap_or_default();
        Ok(RawMeta { name: only.name, namespace: only.namespace, ..RawMeta::default() })
    } else {
        Ok(map.next_value::<Option<RawMeta>>()?.unwrap_or_default())
    }
}

/// Reads a field of an object whose kind is known.
struct PartSeed<'b> {
    body: &'b mut Body,
    field: &'static str,
}

impl<'de> DeserializeSeed<'de> for PartSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        self.body.read(self.field, d)
    }
}

/// Reads a document: an object, or an array of objects, which is a list without its head.
pub(super) struct DocumentSeed<'c> {
    pub(super) cursor: &'c Cursor,
}

impl<'de> DeserializeSeed<'de> for DocumentSeed<'_> {
    type Value = Raw;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Raw, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DocumentSeed<'_> {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of the Kubernetes API, with `kind` and `metadata`")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Raw, A::Error> {
        let cursor = self.cursor;
        ObjectSeed { cursor, of_list: None }.visit_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Raw, A::Error> {
        let cursor = self.cursor;
        cursor.begin();
        let items = ItemsSeed { cursor, of_list: None };
        Ok(Raw { kind: Some("List".to_owned()), items: items.visit_seq(seq)?, ..Raw::default() })
    }
}

/// Reads the items of a list; null is none.
struct ItemsSeed<'c> {
    cursor: &'c Cursor,
    of_list: Option<(&'c str, Option<&'c str>)>,
}

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_> {
    type Value = Option<Vec<Raw>>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_> {
    type Value = Option<Vec<Raw>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let outer = self.cursor.item.get();
        let mut items = Vec::new();
        loop {
            self.cursor.item.set(Some(items.len() + 1));
            match seq
                .next_element_seed(ObjectSeed { cursor: self.cursor, of_list: self.of_list })?
            {
                Some(item) => items.push(item),
                None => break,
            }
        }
        self.cursor.item.set(outer);
        Ok(Some(items))
    }
}
