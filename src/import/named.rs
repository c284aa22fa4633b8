//! The objects of one kind by their names, each with its place.

use super::error::{ImportError, Place};
use super::fields::Wrong;
use std::collections::BTreeMap;

/// The objects of one kind, each name once, in the order of the files.
pub(super) struct Named<T> {
    all: Vec<(Place, T)>,
    at: BTreeMap<String, usize>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { all: Vec::new(), at: BTreeMap::new() }
    }
}

impl<T: PartialEq> Named<T> {
    /// Takes an object in; whether it was there before, alike.
    ///
    /// # Errors
    /// There is another of its name.
    pub(super) fn add(
        &mut self,
        name: String,
        place: Place,
        object: T,
    ) -> Result<bool, ImportError> {
        let Some(&i) = self.at.get(&name) else {
            self.at.insert(name, self.all.len());
            self.all.push((place, object));
            return Ok(false);
        };
        let (first, other) = &self.all[i];
        if *other != object {
            let kind = &place.kind;
            // The full name of a workload begins with its kind.
            let name = name.strip_prefix(&format!("{kind}/")).unwrap_or(&name);
            let is_stream =
                first.file == place.file && first.item.is_none() && place.item.is_none();
            let why = match is_stream {
                true => "a watch? Give what `kubectl get` prints without -w",
                false => "exports of different times or clusters? Keep one of them",
            };
            let (first, second) = (bare(first), bare(&place));
            return Err(ImportError::Wrong(format!(
                "{kind} {name:?} is there twice and differs ({first}; {second}): {why}"
            )));
        }
        Ok(true)
    }
}

impl<T> Named<T> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.all.iter().map(|(_, object)| object)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.all.iter_mut().map(|(_, object)| object)
    }

    /// All of them with their places.
    pub(super) fn placed(&self) -> impl Iterator<Item = &(Place, T)> {
        self.all.iter()
    }

    /// All of them in the order of their names.
    pub(super) fn by_name(&self) -> impl Iterator<Item = (&String, &(Place, T))> {
        self.at.iter().map(|(name, i)| (name, &self.all[*i]))
    }

    pub(super) fn get(&self, name: &str) -> Option<&(Place, T)> {
        self.at.get(name).map(|i| &self.all[*i])
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.at.contains_key(name)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Where they stand, as those of a list of the scenario.
    pub(super) fn places(
        &self,
        list: &'static str,
    ) -> impl Iterator<Item = ((String, String), Place)> {
        self.by_name()
            .map(move |(name, (place, _))| ((list.to_owned(), name.clone()), place.clone()))
    }
}

/// What is wrong with the object at that place.
pub(super) fn at(place: &Place) -> impl Fn(Wrong) -> ImportError {
    move |Wrong(message)| ImportError::Wrong(format!("{place}: {message}"))
}

/// The place of an object whose kind and name stand elsewhere in the message.
pub(super) fn bare(place: &Place) -> Place {
    Place { kind: String::new(), name: String::new(), ..place.clone() }
}
