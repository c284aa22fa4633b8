//! How many nodes of each zone are ready (`zoneToNodeConditions`), and `zoneStates`: a small Go map,
//! whose walk decides whether a zone without counted nodes loses its state.
//!
//! A map of up to eight entries is one group of slots. A new entry takes the first free slot, and a
//! walk begins at a random one, so the zone in the first slot comes first in most walks
//! (`internal/runtime/maps/group.go, map.go`).

use crate::controllers::prelude::*;
use crate::trace::ZoneState;

/// The Ready conditions of a zone's counted nodes: how many are True, and how many are not.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct ZoneConditions {
    pub(super) ready: u32,
    pub(super) not_ready: u32,
}

impl ZoneConditions {
    /// Those of one node.
    pub(super) fn of_one(is_ready: bool) -> Self {
        Self { ready: is_ready.into(), not_ready: (!is_ready).into() }
    }

    /// Counts other nodes of the zone in.
    pub(super) fn add(&mut self, of: Self) {
        (self.ready, self.not_ready) = (self.ready + of.ready, self.not_ready + of.not_ready);
    }

    /// Counted nodes of the zone.
    pub(super) fn size(self) -> u32 {
        self.ready + self.not_ready
    }
}

/// The conditions of zones, each of which has counted nodes, by zone.
pub(super) type Counted = BTreeMap<TextId, ZoneConditions>;

/// The states of zones by key.
#[derive(Default)]
pub(super) struct ZoneStates {
    slots: Vec<Option<(TextId, ZoneState)>>,
}

impl ZoneStates {
    /// The state of a zone, if it has one.
    pub(super) fn get(&self, zone: TextId) -> Option<ZoneState> {
        self.slots.iter().flatten().find(|(z, _)| *z == zone).map(|(_, s)| *s)
    }

    /// Sets the state of a zone and returns the old one.
    pub(super) fn insert(&mut self, zone: TextId, state: ZoneState) -> Option<ZoneState> {
        if let Some((_, s)) = self.slots.iter_mut().flatten().find(|(z, _)| *z == zone) {
            return Some(std::mem::replace(s, state));
        }
        match self.slots.iter_mut().find(|s| s.is_none()) {
            Some(free) => *free = Some((zone, state)),
            None => self.slots.push(Some((zone, state))),
        }
        None
    }

    /// Removes a zone.
    pub(super) fn remove(&mut self, zone: TextId) {
        for slot in &mut self.slots {
            if slot.is_some_and(|(z, _)| z == zone) {
                *slot = None;
            }
        }
    }

    /// All zones with their states, by slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TextId, ZoneState)> + '_ {
        self.slots.iter().flatten().copied()
    }

    /// The zones in the order of a walk.
    pub(super) fn walk(
        &self,
        ctx: &Ctx,
        point: PointId,
        object: impl Fn(TextId) -> Object,
    ) -> Vec<TextId> {
        let slots = self.slots.iter().enumerate();
        let mut zones: Vec<(usize, TextId)> =
            slots.filter_map(|(slot, zone)| Some((slot, zone.as_ref()?.0))).collect();
        let object = |(_, zone): &(usize, TextId)| object(*zone);
        ctx.order_some(point, None, self.slots.len(), &mut zones, |(slot, _)| *slot, object);
        zones.into_iter().map(|(_, zone)| zone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Choices, Kernel};

    #[test]
    fn a_zone_that_comes_back_takes_its_old_slot() {
        let (a, b) = (TextId(0), TextId(1));
        let mut states = ZoneStates::default();
        states.insert(b, ZoneState::Initial);
        states.insert(a, ZoneState::Initial);
        states.remove(b);
        assert_eq!(states.get(b), None);
        states.insert(b, ZoneState::Normal);
        let kernel = Kernel::new(Choices::default_order());
        let ctx = kernel.ctx();
        let point = ctx.point("test");
        assert_eq!(states.walk(&ctx, point, |_| Object::NONE), [b, a]);
    }
}
