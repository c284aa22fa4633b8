//! A cache that forgets the entry that was used longest ago (`golang/groupcache/lru`).

use crate::kernel::HashIndex;

const NONE: u32 = u32::MAX;

/// A key of a cache, with its hash.
pub(super) trait Key: Copy + PartialEq {
    fn hash(&self) -> u64;
}

struct Entry<K, V> {
    key: K,
    value: V,
    newer: u32,
    older: u32,
}

/// A cache of a fixed size.
pub(super) struct Lru<K, V> {
    entries: Vec<Entry<K, V>>,
    index: HashIndex,
    size: usize,
    newest: u32,
    oldest: u32,
}

impl<K: Key, V> Lru<K, V> {
    pub(super) fn new(size: usize) -> Self {
        Lru { entries: Vec::new(), index: HashIndex::default(), size, newest: NONE, oldest: NONE }
    }

    /// The entry of a key, made if it is not there; it counts as used.
    pub(super) fn entry(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let hash = key.hash();
        let found = self.index.find(hash, |i| self.entries[i as usize].key == key);
        let slot = match found {
            Some(slot) => {
                self.unlink(slot);
                slot
            }
            None if self.entries.len() < self.size => {
                self.entries.push(Entry { key, value: make(), newer: NONE, older: NONE });
                let slot = self.entries.len() as u32 - 1;
                self.index.insert(hash, slot);
                slot
            }
            None => {
                let slot = self.oldest;
                self.unlink(slot);
                let e = &mut self.entries[slot as usize];
                self.index.remove(e.key.hash(), slot);
                (e.key, e.value) = (key, make());
                self.index.insert(hash, slot);
                slot
            }
        };
        self.link(slot);
        &mut self.entries[slot as usize].value
    }

    fn unlink(&mut self, slot: u32) {
        let (newer, older) = (self.entries[slot as usize].newer, self.entries[slot as usize].older);
        match self.entries.get_mut(newer as usize) {
            Some(e) => e.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(e) => e.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn link(&mut self, slot: u32) {
        let newest = std::mem::replace(&mut self.newest, slot);
        self.entries[slot as usize].newer = NONE;
        self.entries[slot as usize].older = newest;
        match self.entries.get_mut(newest as usize) {
            Some(e) => e.newer = slot,
            None => self.oldest = slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Key for u8 {
        fn hash(&self) -> u64 {
            u64::from(*self)
        }
    }

    #[test]
    fn the_entry_used_longest_ago_is_forgotten() {
        let mut lru = Lru::new(2);
        lru.entry(1_u8, || "one");
        lru.entry(2, || "two");
        lru.entry(1, || unreachable!("it is there"));
        lru.entry(3, || "three");
        assert_eq!(*lru.entry(1, || "gone"), "one");
        assert_eq!(*lru.entry(2, || "gone"), "gone");
        assert_eq!(*lru.entry(1, || "gone"), "one");
        assert_eq!(*lru.entry(3, || "gone"), "gone");
    }
}
