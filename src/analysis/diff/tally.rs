//! What differs of an object, counted over seeds.

use super::change::Change;
use crate::kernel::{Dur, Time};
use std::collections::BTreeMap;

/// In what way a fact differs, without the values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// It is true in the first run only.
    OnlyA,
    /// It is true in the second run only.
    OnlyB,
    /// It is true earlier in the second run.
    Earlier,
    /// It is true later in the second run.
    Later,
    /// Of some objects it is true earlier in the second run, of others later.
    Both,
    /// It is true at the same time, but of another node, or for another reason.
    Otherwise,
}

impl Way {
    pub(super) fn of(change: &Change) -> Self {
        match change {
            Change::OnlyA => Self::OnlyA,
            Change::OnlyB => Self::OnlyB,
            Change::Earlier => Self::Earlier,
            Change::Later => Self::Later,
            Change::Otherwise(..) => Self::Otherwise,
        }
    }
}

/// What differs, in what way, and of what: how much it matters, what is said, how it differs,
/// whether of pods, what they belong to.
pub(super) type Kind = (u8, String, Way, bool, Option<String>);

/// What differs of an object, or of all that belong to the same, over the seeds so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tally {
    pub(super) seeds: u64,
    /// Over all seeds.
    pub(super) facts: u64,
    /// The fewest and the most objects of a seed in which it differs.
    pub(super) objects: (u64, u64),
    pub(super) shift: Option<(Dur, Dur)>,
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
    match all.get_mut(&key) {
        Some(known) => known.add(tally, same_seed),
        None => drop(all.insert(key, tally.clone())),
    }
}
