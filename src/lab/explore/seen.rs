//! The states that a search has seen, by fingerprint.

use crate::kernel::HashIndex;

/// A set of fingerprints.
#[derive(Default)]
pub(super) struct Seen {
    all: Vec<u64>,
    index: HashIndex,
}

impl Seen {
    pub(super) fn has(&self, state: u64) -> bool {
        self.index.find(state, |i| self.all[i as usize] == state).is_some()
    }

    /// Adds a state; false if it was there.
    pub(super) fn add(&mut self, state: u64) -> bool {
        if self.has(state) {
            return false;
        }
        self.index.insert(state, self.all.len() as u32);
        self.all.push(state);
        true
    }

    pub(super) fn len(&self) -> u64 {
        self.all.len() as u64
    }
}
