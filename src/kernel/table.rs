//! Tables by dense numbers, such as ids, which grow as numbers come up; and those by other keys, by
//! hashes, and by texts that are written in the program.

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

/// The names, and where they are in memory: each is asked for again and again from the same places.
#[derive(Default, Debug)]
pub(super) struct Texts {
    names: Vec<&'static str>,
    places: Vec<(&'static str, u32)>,
    index: HashIndex,
}

impl Texts {
    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The number of a name; calls `add` if it is new.
    pub(super) fn number(&mut self, name: &'static str, add: impl FnOnce()) -> u32 {
        let place = name.as_ptr().addr() as u64;
        if let Some(i) = self.index.find(place, |i| std::ptr::eq(self.places[i as usize].0, name)) {
            return self.places[i as usize].1;
        }
        let number = self.names.iter().position(|n| *n == name).unwrap_or_else(|| {
            add();
            self.names.push(name);
            self.names.len() - 1
        }) as u32;
        self.index.insert(place, self.places.len() as u32);
        self.places.push((name, number));
        number
    }
}

/// Stands for an empty place.
const EMPTY: u32 = u32::MAX;

/// An index of entries by hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct HashIndex {
    /// 32 well mixed bits of the hash, the lowest of which say where probing starts; and the entry.
    places: Vec<(u32, u32)>,
    used: usize,
}

/// The high bits of a product are well mixed, whatever the hash.
const fn mixed(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

impl HashIndex {
    /// The entry with this hash that is the right one; `is` may be asked of few that have another
    /// hash.
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let (hash, mask) = (mixed(hash), self.places.len() - 1);
        let mut i = hash as usize & mask;
        loop {
            let (h, entry) = self.places[i];
            if entry == EMPTY {
                return None;
            }
            if h == hash && is(entry) {
                return Some(entry);
            }
            i = (i + 1) & mask;
        }
    }

    /// Adds an entry; its number is below `u32::MAX`.
    pub(crate) fn insert(&mut self, hash: u64, entry: u32) {
        if (self.used + 1) * 8 > self.places.len() * 7 {
            let bigger = vec![(0, EMPTY); (self.places.len() * 2).max(16)];
            let old = std::mem::replace(&mut self.places, bigger);
            for (h, e) in old.into_iter().filter(|(_, e)| *e != EMPTY) {
                self.put(h, e);
            }
        }
        self.used += 1;
        self.put(mixed(hash), entry);
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.places.fill((0, EMPTY));
        self.used = 0;
    }

    fn put(&mut self, hash: u32, entry: u32) {
        let mask = self.places.len() - 1;
        let mut i = hash as usize & mask;
        while self.places[i].1 != EMPTY {
            i = (i + 1) & mask;
        }
        self.places[i] = (hash, entry);
    }

    /// Removes an entry.
    pub(crate) fn remove(&mut self, hash: u64, entry: u32) {
        if self.places.is_empty() {
            return;
        }
        let (hash, mask) = (mixed(hash), self.places.len() - 1);
        let mut i = hash as usize & mask;
        while self.places[i] != (hash, entry) {
            if self.places[i].1 == EMPTY {
                return;
            }
            i = (i + 1) & mask;
        }
        self.used -= 1;
        let mut hole = i;
        loop {
            i = (i + 1) & mask;
            let (h, e) = self.places[i];
            if e == EMPTY {
                break;
            }
            // An entry may move into the hole if it does not lie between the hole and where its
            // probing starts.
            if (i.wrapping_sub(h as usize) & mask) >= (i.wrapping_sub(hole) & mask) {
                self.places[hole] = (h, e);
                hole = i;
            }
        }
        self.places[hole] = (0, EMPTY);
    }
}

/// Values by number, in the order in which they came.
#[derive(Default)]
pub(crate) struct Numbers {
    all: Vec<u64>,
    index: HashIndex,
}

impl Numbers {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of a value that has one.
    pub(crate) fn find(&self, value: u64) -> Option<u32> {
        self.index.find(value, |i| self.all[i as usize] == value)
    }

    /// The number of a value, and whether it is new.
    pub(crate) fn of(&mut self, value: u64) -> (u32, bool) {
        if let Some(number) = self.find(value) {
            return (number, false);
        }
        let number = self.all.len() as u32;
        self.index.insert(value, number);
        self.all.push(value);
        (number, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn does_what_a_set_does() {
        let mut index = HashIndex::default();
        let mut set = BTreeSet::new();
        let mut x: u64 = 1;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Few hashes, so that many entries share one and probing runs long.
            let (hash, entry) = ((x >> 40) % 97, (x >> 33) as u32 % 500);
            if set.remove(&(hash, entry)) {
                index.remove(hash, entry);
            } else {
                set.insert((hash, entry));
                index.insert(hash, entry);
            }
            let probe = ((x >> 20) % 97, (x >> 11) as u32 % 500);
            assert_eq!(index.find(probe.0, |e| e == probe.1).is_some(), set.contains(&probe));
        }
        assert_eq!(index.used, set.len());
    }
}
