//! Tables by dense numbers, such as ids: they grow as numbers come up. And those by other keys.

use std::collections::BTreeMap;

/// The entry of a number; one that is new is what there is by default.
pub(crate) fn slot<T: Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if table.len() <= number {
        table.resize_with(number + 1, T::default);
    }
    &mut table[number]
}

/// Puts a version, or none, in the place of the old one.
pub(crate) fn replace<T>(table: &mut Vec<Option<T>>, number: usize, new: Option<T>) -> Option<T> {
    std::mem::replace(slot(table, number), new)
}

/// The same in a table by other keys.
pub(crate) fn swap<K: Ord, T>(table: &mut BTreeMap<K, T>, key: K, new: Option<T>) -> Option<T> {
    match new {
        Some(new) => table.insert(key, new),
        None => table.remove(&key),
    }
}
