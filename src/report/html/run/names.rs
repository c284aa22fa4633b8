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

/// Times as a page has them: in whole units of a millisecond, or of a second in runs that last for
/// more than forty-nine days.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// The unit, in milliseconds.
    pub(super) unit: u64,
}

impl Clock {
    pub(super) fn new(horizon: Time) -> Self {
        let fits = u32::try_from(horizon.as_millis()).is_ok_and(|ms| ms < u32::MAX / 2);
        Clock { unit: if fits { 1 } else { 1_000 } }
    }

    pub(super) fn of(self, at: Time) -> u32 {
        u32::try_from(at.as_millis() / self.unit).unwrap_or(u32::MAX)
    }

    /// One higher than the time, so that never is 0.
    pub(super) fn or_never(self, at: Option<Time>) -> u32 {
        at.map_or(0, |at| self.of(at).saturating_add(1))
    }
}
