//! What differs of an object, counted over seeds, and what differs alike of several.

use super::change::Way;
use crate::analysis::prelude::*;
use std::collections::btree_map::Entry;

/// What differs of some objects, over seeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    pub(crate) kind: Kind,
    /// The objects of which it is so in nearly all seeds; the others are not always the same ones.
    pub(crate) objects: Vec<String>,
    /// It is about these objects only; otherwise about all that belong to the same.
    pub(crate) each: bool,
    /// In how many seeds it is so of any of them; where it is about these objects only, the
    /// fewest and the most seeds of one of them.
    pub(crate) seeds: (u64, u64),
    pub(crate) tally: Tally,
}

impl Pattern {
    /// Its detail in each run, where that is the same for all.
    pub(crate) fn details(&self) -> [Option<String>; 2] {
        self.tally.details.clone().unwrap_or_default()
    }
}

/// What members of a pattern have in common: the kind, whether they are listed one by one, by how
/// many seconds they differ, and their details.
type Alike = (Kind, bool, u64, Option<[Option<String>; 2]>);

/// Puts together what differs alike of objects that are listed one by one: as closely as leaves no
/// more than `most` patterns; the most important first.
pub(super) fn patterns(found: Vec<Pattern>, most: usize) -> Vec<Pattern> {
    let at = |level| at_level(&found, level);
    let merged = (0..2).map(at).find(|all| all.len() <= most).unwrap_or_else(|| at(2));
    let mut all: Vec<Pattern> = merged.into_values().collect();
    all.sort_by_key(|m| {
        let shift = m.tally.shift.map_or(0, |s| s.1.as_secs());
        (
            m.kind.rank,
            m.kind.way >= Way::Earlier,
            Reverse((m.seeds.1, shift, m.tally.objects.1)),
            m.tally.first,
        )
    });
    all
}

/// The members that are alike at a level: the higher it is, the less closely they have to agree.
fn at_level(found: &[Pattern], level: u32) -> BTreeMap<Alike, Pattern> {
    let mut merged: BTreeMap<Alike, Pattern> = BTreeMap::new();
    for member in found {
        let mut m = member.clone();
        if m.each && level > 0 {
            m.tally.details = None;
        }
        if m.each && level > 1 {
            m.kind.of = None;
        }
        let seconds =
            m.tally.shift.filter(|_| level == 0).map_or(0, |s| (s.1.as_millis() + 500) / 1_000);
        match merged.entry((m.kind.clone(), m.each, seconds, m.tally.details.clone())) {
            Entry::Vacant(slot) => drop(slot.insert(m)),
            Entry::Occupied(slot) => {
                let known = slot.into_mut();
                known.objects.extend(m.objects);
                known.tally.add(&m.tally, true);
                known.seeds = (known.seeds.0.min(m.seeds.0), known.seeds.1.max(m.seeds.1));
            }
        }
    }
    merged
}

/// What differs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Kind {
    /// How much it matters: the lower, the more.
    pub(super) rank: u8,
    /// What it is: `evicted`, `tainted unreachable:NoExecute`.
    pub(crate) what: String,
    /// In what way it differs.
    pub(crate) way: Way,
    /// Whether its objects are pods; otherwise they are nodes, or there are none.
    pub(crate) of_pods: bool,
    /// The workload of its pods, or what the objects' names have in common.
    pub(crate) of: Option<String>,
}

impl Kind {
    /// The same in another way.
    pub(super) fn in_way(&self, way: Way) -> Self {
        Kind { way, ..self.clone() }
    }
}

/// What differs of an object, or of all that belong to the same, over the seeds so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub(super) seeds: u64,
    /// Over all seeds.
    pub(super) facts: u64,
    /// The fewest and the most objects of a seed in which it differs.
    pub(crate) objects: (u64, u64),
    /// By how much its times differ: the least and the most.
    pub(crate) shift: Option<(Dur, Dur)>,
    /// Its detail in each run; none if that is not always the same.
    pub(super) details: Option<[Option<String>; 2]>,
    pub(super) first: Time,
}

impl Tally {
    /// Adds another one of the same seed, or of a later one.
    pub(super) fn add(&mut self, other: &Tally, same_seed: bool) {
        self.facts += other.facts;
        if same_seed {
            self.objects = (self.objects.0 + other.objects.0, self.objects.1 + other.objects.1);
        } else {
            self.seeds += other.seeds;
            self.objects =
                (self.objects.0.min(other.objects.0), self.objects.1.max(other.objects.1));
        }
        self.shift = match (self.shift, other.shift) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        if self.details != other.details {
            self.details = None;
        }
        self.first = self.first.min(other.first);
    }
}

pub(super) fn put<K: Ord>(all: &mut BTreeMap<K, Tally>, key: K, tally: &Tally, same_seed: bool) {
    let known = all.entry(key).and_modify(|known| known.add(tally, same_seed));
    known.or_insert_with(|| tally.clone());
}
