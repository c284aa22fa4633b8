//! The objects that a page knows, each by its place in one list.

use crate::report::prelude::*;

/// Objects in the order in which the page lists them, each in one place.
pub(super) struct Places<I> {
    pub(super) ids: Vec<I>,
    places: BTreeMap<I, u32>,
}

/// The pods that something is told of, in the order of their ids.
pub(super) type Pods = Places<PodId>;
/// The nodes in the order of their lanes.
pub(super) type Nodes = Places<NodeId>;

impl<I: Copy + Ord> Places<I> {
    pub(super) fn new(ids: Vec<I>) -> Self {
        Places { places: ids.iter().copied().zip(0..).collect(), ids }
    }

    /// Its place; one higher than the last where it is not in the list.
    pub(super) fn place(&self, id: I) -> u32 {
        self.places.get(&id).copied().unwrap_or(self.ids.len() as u32)
    }

    /// One higher than its place, so that none is 0.
    pub(super) fn or_none(&self, id: Option<I>) -> u32 {
        id.and_then(|id| self.places.get(&id)).map_or(0, |place| place + 1)
    }
}
