//! What steps are called: the names under which a tape speaks of them. And what they read and write:
//! pieces of state, by family and number, and accesses to them.

use crate::kernel::choice::hash_name;

/// What the steps of a process or the events of a handler are called, and which state nobody
/// declares for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// What it is; part of every tape that speaks of it.
    pub(crate) what: &'static str,
    /// Hash of the name of the object it is about; 0 for none.
    pub object: u64,
    /// Events of this name keep their order: they come over one connection.
    pub(crate) is_stream: bool,
    /// Events of this name and instant are steps of one goroutine, which waits for nobody in between.
    pub(crate) goes_on: bool,
    /// State that each of its steps counts as having written, with the number in it.
    pub(crate) home: (Keys, u32),
}

impl Name {
    /// A name for what has none: its steps depend on all others without a name.
    pub(crate) const NONE: Self = Self::of("other", Keys::UNDECLARED);

    /// Steps that touch state of one owner beside what is declared.
    pub(crate) const fn of(what: &'static str, home: Keys) -> Self {
        Self { what, object: 0, is_stream: false, goes_on: false, home: (home, 0) }
    }

    /// The same about an object, given by the hash of its name.
    pub(crate) const fn about(self, object: u64) -> Self {
        Self { object, ..self }
    }

    /// The same as a stream: of several such events only the first may come next.
    pub(crate) const fn stream(self) -> Self {
        Self { is_stream: true, ..self }
    }

    /// The same stream as the steps of one goroutine, which waits for nobody between those of one instant.
    pub(crate) const fn goroutine(self) -> Self {
        Self { is_stream: true, goes_on: true, ..self }
    }

    /// The same for a process that only waits for work: such a step declares all that it touches.
    pub(crate) const fn at_rest(self) -> Self {
        Self { home: (Keys::NOTHING, 0), ..self }
    }

    /// The state that its steps count as having written, if there is any.
    pub(crate) fn home_key(self) -> Option<Key> {
        (self.home.0 != Keys::NOTHING).then(|| self.home.0.of(self.home.1))
    }

    /// The hash under which choices are made for it.
    pub fn hash(self) -> u64 {
        Self::hash_of(self.what, self.object)
    }

    /// The hash of a name in two parts; an object of 0 is none.
    pub(crate) fn hash_of(what: &str, object: u64) -> u64 {
        joined(hash_name(what), object)
    }
}

const fn joined(what: u64, object: u64) -> u64 {
    if object == 0 { what } else { fold(what, object) }
}

/// Hashes of names, remembered by where the first part of the name lies: they are asked for at
/// every event, and there are few.
pub(crate) struct Hashes([(usize, usize, u64); Self::SLOTS]);

impl Hashes {
    const SLOTS: usize = 64;

    pub(crate) fn of(&mut self, name: &Name) -> u64 {
        let (at, len) = (name.what.as_ptr() as usize, name.what.len());
        let slot = &mut self.0[(at ^ at >> 6) % Self::SLOTS];
        if (slot.0, slot.1) != (at, len) {
            *slot = (at, len, hash_name(name.what));
        }
        joined(slot.2, name.object)
    }
}

impl Default for Hashes {
    fn default() -> Self {
        Self([(0, 0, 0); Self::SLOTS])
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::NONE
    }
}

/// Mixes a number into a hash; the order of several matters.
pub const fn fold(hash: u64, x: u64) -> u64 {
    let z = (hash.rotate_left(5) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z ^ z >> 29
}

/// A family of state: the pods of a cache, the entries of a queue. Its members have numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Keys(pub(super) u32);

impl Keys {
    /// State that nobody has declared, which is the default: all who use some of it depend on each other.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Key(pub(super) Keys, pub(super) u32);

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
