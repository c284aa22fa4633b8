//! How many nodes of each zone are ready (`zoneToNodeConditions`).

use crate::api::names::TextId;

/// The Ready conditions of a zone's counted nodes: how many are True, and how many are not.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct ZoneConditions {
    pub(super) ready: u32,
    pub(super) not_ready: u32,
}

impl ZoneConditions {
    /// Counted nodes of the zone.
    pub(super) fn size(self) -> u32 {
        self.ready + self.not_ready
    }
}

/// The conditions of zones, each of which has counted nodes, by zone.
#[derive(Default, Debug)]
pub(super) struct Counted(Vec<(TextId, ZoneConditions)>);

impl Counted {
    /// Counts nodes of a zone in.
    pub(super) fn add(&mut self, zone: TextId, of: ZoneConditions) {
        let place = self.0.binary_search_by_key(&zone, |z| z.0).unwrap_or_else(|place| {
            self.0.insert(place, (zone, ZoneConditions::default()));
            place
        });
        let z = &mut self.0[place].1;
        (z.ready, z.not_ready) = (z.ready + of.ready, z.not_ready + of.not_ready);
    }

    /// Empties it.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The conditions of a zone; none if it has no counted nodes.
    pub(super) fn get(&self, zone: TextId) -> Option<ZoneConditions> {
        self.0.binary_search_by_key(&zone, |z| z.0).ok().map(|place| self.0[place].1)
    }

    /// All of them, by zone.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TextId, ZoneConditions)> + '_ {
        self.0.iter().copied()
    }
}
