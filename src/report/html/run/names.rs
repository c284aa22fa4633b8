//! The objects that a page knows, each by its place in one list.

use crate::report::prelude::*;

/// The pods that something is told of, in the order of their ids.
pub(super) struct Pods(BTreeMap<PodId, u32>);

impl Pods {
    pub(super) fn new(told: impl IntoIterator<Item = PodId>) -> Self {
        let mut all: BTreeMap<PodId, u32> = told.into_iter().map(|p| (p, 0)).collect();
        for (place, of) in all.values_mut().zip(0..) {
            *place = of;
        }
        Pods(all)
    }

    /// Its place; one higher than the last where it is not in the list.
    pub(super) fn place(&self, pod: PodId) -> u32 {
        self.0.get(&pod).copied().unwrap_or(self.0.len() as u32)
    }

    /// One higher than its place, so that none is 0.
    pub(super) fn or_none(&self, pod: Option<PodId>) -> u32 {
        pod.and_then(|p| self.0.get(&p)).map_or(0, |place| place + 1)
    }

    pub(super) fn names<'a>(&'a self, analysis: &'a Analysis<'a>) -> impl Iterator<Item = &'a str> {
        self.0.keys().map(|p| analysis.pod_name(*p))
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = PodId> {
        self.0.keys().copied()
    }
}

/// The nodes in the order of their lanes.
pub(super) struct Nodes {
    pub(super) ids: Vec<NodeId>,
    places: Vec<u32>,
}

impl Nodes {
    pub(super) fn new(ids: Vec<NodeId>) -> Self {
        let most = ids.iter().map(|n| n.index() + 1).max().unwrap_or(0);
        let mut places = vec![u32::MAX; most];
        for (place, id) in (0..).zip(&ids) {
            places[id.index()] = place;
        }
        Nodes { ids, places }
    }

    /// Its lane.
    pub(super) fn place(&self, node: NodeId) -> Option<u32> {
        let place = self.places.get(node.index()).copied();
        place.filter(|p| *p != u32::MAX)
    }

    /// One higher than its lane, so that none is 0.
    pub(super) fn or_none(&self, node: Option<NodeId>) -> u32 {
        node.and_then(|n| self.place(n)).map_or(0, |p| p + 1)
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
