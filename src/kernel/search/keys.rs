//! Pieces of state that steps read and write, by family and number, and accesses to them.

/// A family of state: the pods of a cache, the entries of a queue. Its members have numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Keys(pub(super) u32);

impl Keys {
    /// State that nobody has declared: all who use some of it depend on each other.
    pub(crate) const UNDECLARED: Self = Self(0);
    /// The processes themselves, by slot.
    pub(crate) const PROCESSES: Self = Self(1);
    /// Things that are made while the run goes on, each with a number of its own.
    pub(super) const THINGS: Self = Self(2);
    /// Nothing at all: for steps that declare all they touch.
    pub(crate) const NOTHING: Self = Self(3);
    pub(super) const NAMES: [&'static str; 4] = ["undeclared", "processes", "things", "nothing"];

    /// A member of the family.
    pub(crate) const fn of(self, id: u32) -> Key {
        Key(self, id)
    }
}

/// A piece of state that processes share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(pub(super) Keys, pub(super) u32);

impl Default for Key {
    fn default() -> Self {
        Key(Keys::UNDECLARED, 0)
    }
}

/// An access of a step: of what, and whether it was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch(u64);

impl Touch {
    pub(super) const fn new(Key(family, id): Key, write: bool) -> Self {
        Self((family.0 as u64) << 33 | (id as u64) << 1 | write as u64)
    }

    /// Of what.
    pub(crate) const fn key(self) -> u64 {
        self.0 >> 1
    }

    /// Whether it was changed.
    pub(crate) const fn writes(self) -> bool {
        self.0 & 1 == 1
    }
}
