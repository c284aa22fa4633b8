//! Choices as data: what was chosen, and what is to be chosen otherwise.
//!
//! What a choice is made at and for: a named point, and an object of the simulation.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The number of the choice format. It is raised whenever an older tape would have another meaning,
/// because a point was renamed, or asks for other things, or in another order.
pub const FORMAT: u32 = 1;

/// Slots of a group of Go's maps (`internal/runtime/maps: groupSlots`; before Go 1.24 the slots of
/// a bucket).
pub(crate) const GROUP_SLOTS: usize = 8;

/// What the odds of a [`Span::Chance`] are out of.
pub(super) const THOUSAND: u64 = 1000;

/// What could have been chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// One of `0..n`.
    Alternatives(u32),
    /// From which of the slots of a group of Go's maps on a map of so many entries is walked; from one behind these as
    /// from the first.
    Slot(u32),
    /// Nothing (0), or a trouble of `1..n` that nobody knows the odds of: how seldom it comes is drawn for each run.
    Trouble(u32),
    /// A number between two, both included.
    Range(u64, u64),
    /// Any 64 bits.
    Bits,
    /// An item's place in an arbitrary order: lower goes first, equal ranks stay as given.
    Rank,
    /// As [`Self::Rank`], of things that upstream treats at one time: only a search takes them in
    /// another order than the one given.
    Place,
    /// Go on at once (0) or, that many times in a thousand, behind all others of this instant (1).
    Yield(u32),
    /// Which of this many events of one instant comes next; 0 is the one that would by default.
    Turn(u32),
    /// As [`Self::Turn`], where it is known which one: goroutines share one processor.
    TurnOf(u32, u32),
    /// Whether something comes about (1) that does so that many times in a thousand.
    Chance(u32),
}

impl Span {
    /// Every item's rank or place in the default order: equal for all, with room on both sides for
    /// a deviation.
    pub const MIDDLE: u64 = 1 << 63;

    /// What the default order takes.
    pub const fn default_value(self) -> u64 {
        match self {
            Self::Range(min, _) => min,
            Self::Rank | Self::Place => Self::MIDDLE,
            _ => 0,
        }
    }

    /// How likely [`super::Choices::natural`] comes to one of these values, both ends included.
    pub(crate) fn natural_odds(self, (low, high): (u64, u64)) -> f64 {
        let holds = |value: u64| f64::from(u8::from((low..=high).contains(&value)));
        // Which share of the values from `least` to `last` is among these.
        let part = |least: u64, last: u64| {
            let (from, to) = (low.max(least), high.min(last));
            if from > to { 0.0 } else { ((to - from) as f64 + 1.0) / ((last - least) as f64 + 1.0) }
        };
        let one_of = |n: u32| part(0, u64::from(n).saturating_sub(1));
        match self {
            Self::Alternatives(n) | Self::Turn(n) => one_of(n),
            Self::Slot(_) => one_of(GROUP_SLOTS as u32),
            Self::Range(min, max) => part(min, max),
            Self::Bits | Self::Rank => part(0, u64::MAX),
            Self::Place | Self::Trouble(_) => holds(self.default_value()),
            Self::TurnOf(_, place) => holds(place.into()),
            Self::Yield(odds) | Self::Chance(odds) => {
                let comes = (f64::from(odds) / THOUSAND as f64).min(1.0);
                comes * holds(1) + (1.0 - comes) * holds(0)
            }
        }
    }

    /// The value nearest to `value` that can be chosen: a tape may stem from a scenario that has
    /// been changed since.
    pub(super) fn fit(self, value: u64) -> u64 {
        match self {
            Self::Alternatives(n) | Self::Trouble(n) | Self::Turn(n) | Self::TurnOf(n, _) => {
                value.min(u64::from(n).saturating_sub(1))
            }
            Self::Slot(_) => value.min(GROUP_SLOTS as u64 - 1),
            Self::Range(min, max) => value.clamp(min, max),
            Self::Bits | Self::Rank | Self::Place => value,
            Self::Yield(_) | Self::Chance(_) => value.min(1),
        }
    }
}

/// One choice that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// Name of the choice point.
    pub point: &'static str,
    /// Hash of the object's name.
    pub object: u64,
    /// How many choices this point had seen for this object before.
    pub ordinal: u32,
    /// What could have been chosen.
    pub span: Span,
    /// What was chosen.
    pub value: u64,
}

impl Drawn {
    /// Whether it is another than the default order takes.
    pub fn deviates(&self) -> bool {
        self.value != self.span.default_value()
    }
}

/// One choice that is to be made otherwise. Keyed by what it is about, never by its position in the
/// run, so that leaving out another one does not shift it. Leaving out an object may (see [`super`]).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub struct Deviation {
    /// Name of the choice point.
    pub point: Cow<'static, str>,
    /// Hash of the object's name.
    pub object: u64,
    /// The number of the choice for this object at this point, from 0.
    pub ordinal: u32,
    /// What to choose; taken to the nearest value possible.
    pub value: u64,
}

/// A choice that is drawn from a part of its values alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Held {
    /// Which, and the least of these values.
    pub(crate) choice: Deviation,
    /// The greatest of them.
    pub(crate) most: u64,
}

impl From<Drawn> for Deviation {
    fn from(d: Drawn) -> Self {
        Self { point: d.point.into(), object: d.object, ordinal: d.ordinal, value: d.value }
    }
}

/// Names a choice point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointId(pub(super) u32);

/// The object that a choice is made for: a node, a pod, a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// Dense number of the object among those of its kind: choices are counted in tables that this
    /// number indexes.
    pub(crate) id: u32,
    /// Hash of the object's name: what the draw depends on, the same in every run in which an
    /// object of this name exists.
    pub(crate) hash: u64,
}

impl Object {
    /// For choices that concern no object in particular.
    pub const NONE: Self = Self { id: u32::MAX, hash: 0 };

    /// An object known by its dense number and its name.
    pub fn named(id: u32, name: &str) -> Self {
        Self { id, hash: super::keyed::hash_name(name) }
    }
}
