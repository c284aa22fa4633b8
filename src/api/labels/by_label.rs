//! What is known under labels, found without asking every selector.

use super::requirement::{Labels, Requirement};
use super::selector::Selector;
use std::collections::BTreeMap;

/// Entries by label: key, then value.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByLabel<T>(BTreeMap<String, BTreeMap<String, Vec<T>>>);

impl<T: Copy> ByLabel<T> {
    /// Adds an entry under a label.
    pub(crate) fn insert(&mut self, key: &str, value: &str, entry: T) {
        if !self.0.contains_key(key) {
            self.0.insert(key.to_owned(), BTreeMap::new());
        }
        if let Some(values) = self.0.get_mut(key) {
            values.entry(value.to_owned()).or_default().push(entry);
        }
    }

    /// Takes an entry away from a label.
    pub(crate) fn remove(&mut self, key: &str, value: &str, entry: T)
    where
        T: PartialEq,
    {
        if let Some(entries) = self.0.get_mut(key).and_then(|values| values.get_mut(value)) {
            entries.retain(|other| *other != entry);
        }
    }

    /// Those under a label, in the order in which they came.
    pub(crate) fn get(&self, key: &str, value: &str) -> &[T] {
        self.0.get(key).and_then(|values| values.get(value)).map_or(&[], Vec::as_slice)
    }

    /// Those under one of several values.
    pub(crate) fn under<'a>(
        &'a self,
        (key, values): (&'a str, &'a [String]),
    ) -> impl Iterator<Item = T> + 'a {
        values.iter().flat_map(move |value| self.get(key, value)).copied()
    }
}

/// Selectors by a label that they ask for, so that labels meet few of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selectors<T> {
    by_label: ByLabel<T>,
    /// Those that ask for no label's value.
    others: Vec<T>,
}

impl<T: Copy> Selectors<T> {
    /// Adds a selector's entry.
    pub(crate) fn insert(&mut self, selector: &Selector, entry: T) {
        self.insert_under(selector.requirements().iter().find_map(Requirement::one_of), entry);
    }

    /// The same under that label of those that the selector asks for, with its values, if it does for any.
    pub(crate) fn insert_under(&mut self, label: Option<(&str, &[String])>, entry: T) {
        match label {
            Some((key, values)) => {
                values.iter().for_each(|value| self.by_label.insert(key, value, entry))
            }
            None => self.others.push(entry),
        }
    }

    /// Takes a selector's entry away again.
    pub(crate) fn remove(&mut self, selector: &Selector, entry: T)
    where
        T: PartialEq,
    {
        match selector.requirements().iter().find_map(Requirement::one_of) {
            Some((key, values)) => {
                values.iter().for_each(|value| self.by_label.remove(key, value, entry))
            }
            None => self.others.retain(|other| *other != entry),
        }
    }

    /// The entries of the selectors that may select an object with these labels, and of some that
    /// do not.
    pub(crate) fn candidates<'a>(&'a self, labels: &'a Labels) -> impl Iterator<Item = T> + 'a {
        let asked_for = labels.iter().flat_map(|(key, value)| self.by_label.get(key, value));
        asked_for.chain(&self.others).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every selector that matches is among the candidates, once; one that asks for another value
    /// is not.
    #[test]
    fn candidates_hold_all_that_match() {
        let texts =
            ["app=web", "app in (web,db),tier=front", "app", "!app", "", "tier=front", "app=db"];
        let parsed: Vec<Selector> = texts.iter().filter_map(|t| Selector::parse(t).ok()).collect();
        let mut selectors = Selectors::default();
        parsed.iter().enumerate().for_each(|(i, s)| selectors.insert(s, i));
        let labels = |pairs: &[(&str, &str)]| -> Labels {
            pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
        };
        for labels in
            [labels(&[]), labels(&[("app", "web")]), labels(&[("app", "db"), ("tier", "front")])]
        {
            let mut candidates: Vec<usize> = selectors.candidates(&labels).collect();
            candidates.sort_unstable();
            let matching: Vec<usize> =
                (0..parsed.len()).filter(|i| parsed[*i].matches(&labels)).collect();
            assert!(
                matching.iter().all(|i| candidates.iter().filter(|c| *c == i).count() == 1),
                "{labels:?}: {candidates:?}"
            );
        }
        assert_eq!(
            selectors.candidates(&labels(&[("app", "web")])).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4]
        );
        selectors.remove(&parsed[1], 1);
        selectors.remove(&parsed[3], 3);
        assert_eq!(selectors.candidates(&labels(&[("app", "web")])).collect::<Vec<_>>(), [0, 2, 4]);
    }
}
