//! Sets of nodes.

use crate::api::names::NodeId;

/// A set of nodes, walked by id.
#[derive(Default)]
pub(super) struct Ids {
    words: Vec<u64>,
    len: usize,
}

impl Ids {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a node; false if it is there already.
    pub(super) fn insert(&mut self, id: NodeId) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.len += usize::from(is_new);
        self.words[word] |= bit;
        is_new
    }

    /// Whether a node is there.
    pub(super) fn contains(&self, id: NodeId) -> bool {
        self.words.get(id.index() / 64).is_some_and(|w| w >> (id.index() % 64) & 1 != 0)
    }

    /// Takes a node out.
    pub(super) fn remove(&mut self, id: NodeId) {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if let Some(w) = self.words.get_mut(word) {
            self.len -= usize::from(*w & bit != 0);
            *w &= !bit;
        }
    }

    /// The nodes, by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(NodeId(i as u32 * 64 + bit))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_ids_is_walked_in_order() {
        let mut ids = Ids::default();
        for id in [200, 3, 64, 63, 3] {
            ids.insert(NodeId(id));
        }
        ids.remove(NodeId(64));
        ids.remove(NodeId(1_000));
        assert_eq!((ids.iter().map(|id| id.0).collect::<Vec<_>>(), ids.len), (vec![3, 63, 200], 3));
    }
}
