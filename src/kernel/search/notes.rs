//! The notes of one run: steps, what they touched, and the choices of who comes next.

use super::{Name, fold};
use crate::kernel::texts::Texts;
use crate::kernel::{Group, Time};
use std::any::TypeId;

/// A family of state: the pods of a cache, the entries of a queue. Its members have numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Keys(pub(super) u32);

impl Keys {
    /// State that nobody has declared: all who use some of it depend on each other.
    pub const UNDECLARED: Self = Self(0);
    /// The processes themselves, by slot.
    pub(in crate::kernel) const PROCESSES: Self = Self(1);
    /// Things that are made while the run goes on, each with a number of its own.
    const THINGS: Self = Self(2);
    /// Nothing at all: for steps that declare all they touch.
    pub const NOTHING: Self = Self(3);
    const NAMES: [&'static str; 4] = ["undeclared", "processes", "things", "nothing"];
}

impl Keys {
    /// A member of the family.
    #[must_use]
    pub const fn of(self, id: u32) -> Key {
        Key(self, id)
    }
}

/// A piece of state that processes share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key(Keys, u32);

impl Default for Key {
    fn default() -> Self {
        Key(Keys::UNDECLARED, 0)
    }
}

/// An access of a step: of what, and whether it was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch(u64);

impl Touch {
    const fn new(Key(family, id): Key, write: bool) -> Self {
        Self((family.0 as u64) << 33 | (id as u64) << 1 | write as u64)
    }

    /// Of what.
    #[must_use]
    pub const fn key(self) -> u64 {
        self.0 >> 1
    }

    /// Whether it was changed.
    #[must_use]
    pub const fn writes(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A step of a run.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// When.
    pub at: Time,
    /// The number of its event, in order of posting.
    pub event: u32,
    /// The step in which its event was posted, plus one; 0 before the first.
    pub posted_in: u32,
    /// How many touches came before its own.
    pub touches: u32,
    /// How many choices were made before it, that of its turn included.
    pub choices: u32,
    /// What it is called.
    pub name: Name,
}

/// A choice of who comes next.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Its place among all choices.
    pub choice: u32,
    /// The step that came of it.
    pub step: u32,
    /// Where its candidates begin in [`Searched::candidates`].
    pub from: u32,
    /// How many there were.
    pub count: u32,
}

/// What of a run is of interest; all of it by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The first choice of interest. Of those of who comes next before it nothing is noted, and of
    /// their alternatives no more are counted than two.
    pub from: usize,
    /// Only the states are: nobody will look for other choices that are worth a try.
    pub only_states: bool,
    /// The choices are not kept.
    pub no_choices: bool,
}

impl Wanted {
    /// What happens is all that is of interest.
    pub const NOTHING: Self = Self {
        from: usize::MAX,
        only_states: true,
        no_choices: true,
    };
}

/// What a run noted.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// Its steps; none where only states are wanted.
    pub steps: Vec<Step>,
    /// What they touched, in order; nothing where only states are wanted.
    pub touches: Vec<Touch>,
    /// The choices of who comes next, from the first of interest on.
    pub asked: Vec<Asked>,
    /// The events that could have come next, by number; none where only states are wanted.
    pub candidates: Vec<u32>,
    /// The fingerprint at each of these choices: what had happened, and who could come next.
    pub states: Vec<u64>,
    /// Events that start workers which are alike, each with a number that they share, in order of
    /// posting.
    pub alike: Vec<(u32, u32)>,
    /// The fingerprint of the whole run.
    pub fingerprint: u64,
}

impl Searched {
    /// Nothing yet, in the same tables.
    fn emptied(mut self) -> Self {
        self.steps.clear();
        self.touches.clear();
        self.asked.clear();
        self.candidates.clear();
        self.states.clear();
        self.alike.clear();
        Self {
            fingerprint: 0,
            ..self
        }
    }

    /// The number that an event has in common with those that start workers like its own.
    #[must_use]
    pub fn alike(&self, event: u32) -> Option<u32> {
        let last = self.alike.last().filter(|l| event <= l.0);
        last.and_then(|_| self.alike.binary_search_by_key(&event, |a| a.0).ok())
            .map(|i| self.alike[i].1)
    }

    /// What a step touched.
    #[must_use]
    pub fn touched_by(&self, step: usize) -> &[Touch] {
        let end = self
            .steps
            .get(step + 1)
            .map_or(self.touches.len(), |s| s.touches as usize);
        &self.touches[self.steps[step].touches as usize..end]
    }

    /// Whether the order of two steps can make a difference: one of them wrote what the other
    /// touched.
    #[must_use]
    pub fn depend(&self, a: usize, b: usize) -> bool {
        let theirs = self.touched_by(b);
        self.touched_by(a).iter().any(|t| {
            theirs
                .iter()
                .any(|u| u.key() == t.key() && (u.writes() || t.writes()))
        })
    }
}

/// The last write of a piece of state, and the reads since.
#[derive(Clone, Copy, Default, Debug)]
struct Last {
    write: u64,
    reads: u64,
}

/// An event that was posted.
#[derive(Clone, Copy, Debug)]
struct Posted {
    hash: u64,
    step: u32,
}

/// Makes room for a member that was not touched before.
#[cold]
#[inline(never)]
fn grow(members: &mut Vec<Last>, id: u32) {
    members.resize(id as usize + 1, Last::default());
}

#[derive(Debug, Default)]
pub(in crate::kernel) struct Notes {
    families: Texts,
    last: Vec<Vec<Last>>,
    pub(in crate::kernel) wanted: Wanted,
    things: u32,
    posted: Vec<Posted>,
    /// Hash of the running step.
    run: u64,
    /// What it is called.
    pub(in crate::kernel) name: Name,
    /// What processes are called, by slot.
    names: Vec<Name>,
    /// Kinds of workers that are alike.
    kinds: Vec<(TypeId, Group)>,
    pub(in crate::kernel) so_far: Searched,
}

impl Notes {
    /// For another run, in the tables of one that is over and in those of what it noted. What
    /// families are called stays.
    pub(in crate::kernel) fn again(self, so_far: Searched, wanted: Wanted) -> Self {
        let Self {
            mut families,
            mut last,
            mut posted,
            mut names,
            mut kinds,
            ..
        } = self;
        if families.len() == 0 {
            for name in Keys::NAMES {
                families.number(name, || ());
            }
        }
        last.iter_mut()
            .for_each(|members| members.fill(Last::default()));
        last.resize_with(families.len(), Vec::new);
        posted.clear();
        names.clear();
        kinds.clear();
        Self {
            families,
            last,
            wanted,
            things: 0,
            posted,
            run: 0,
            name: Name::NONE,
            names,
            kinds,
            so_far: so_far.emptied(),
        }
    }

    /// The family of this name.
    pub(in crate::kernel) fn keys(&mut self, name: &'static str) -> Keys {
        let Self { families, last, .. } = self;
        Keys(families.number(name, || last.push(Vec::new())))
    }

    pub(in crate::kernel) fn thing(&mut self) -> Key {
        self.things += 1;
        Key(Keys::THINGS, self.things - 1)
    }

    /// An event is posted.
    pub(in crate::kernel) fn post(&mut self) {
        self.run = fold(self.run, 0x51);
        self.posted.push(Posted {
            hash: self.run,
            step: self.so_far.steps.len() as u32,
        });
    }

    /// The event posted last starts a worker of this kind.
    pub(in crate::kernel) fn alike(&mut self, code: TypeId, group: Group) {
        let kind = self
            .kinds
            .iter()
            .position(|k| *k == (code, group))
            .unwrap_or_else(|| {
                self.kinds.push((code, group));
                self.kinds.len() - 1
            });
        self.so_far
            .alike
            .push((self.posted.len() as u32 - 1, kind as u32));
    }

    /// A choice was made.
    pub(in crate::kernel) fn chose(&mut self, value: u64) {
        self.run = fold(self.run, value.wrapping_add(0x1234_5678_9abc));
    }

    /// What a process is called.
    pub(in crate::kernel) fn name_of(&self, slot: u32) -> Name {
        self.names.get(slot as usize).copied().unwrap_or(Name::NONE)
    }

    /// What a process is called from here on.
    pub(in crate::kernel) fn rename(&mut self, slot: u32, name: Name) {
        if self.names.len() <= slot as usize {
            self.names.resize(slot as usize + 1, Name::NONE);
        }
        self.names[slot as usize] = name;
    }

    /// A slot is given to a new process.
    pub(in crate::kernel) fn start(&mut self, slot: u32, name: Name) {
        self.rename(slot, name);
        if let Some(last) = self.last[Keys::PROCESSES.0 as usize].get_mut(slot as usize) {
            *last = Last::default();
        }
    }

    #[inline]
    pub(in crate::kernel) fn touch(&mut self, Key(family, id): Key, write: bool) {
        let members = &mut self.last[family.0 as usize];
        if members.len() <= id as usize {
            grow(members, id);
        }
        let last = &mut members[id as usize];
        if write {
            self.run = fold(self.run, last.write ^ last.reads.rotate_left(17));
            *last = Last {
                write: self.run,
                reads: 0,
            };
        } else {
            self.run = fold(self.run, last.write);
            last.reads = last.reads.wrapping_add(self.run);
        }
        if !self.wanted.only_states {
            self.list(Touch::new(Key(family, id), write));
        }
    }

    #[inline(never)]
    fn list(&mut self, touch: Touch) {
        if self.so_far.touches.last() != Some(&touch) {
            self.so_far.touches.push(touch);
        }
    }

    /// One of these events came next, in this state, by this choice.
    pub(in crate::kernel) fn asked(
        &mut self,
        choice: usize,
        state: u64,
        candidates: impl ExactSizeIterator<Item = u64>,
    ) {
        let so_far = &mut self.so_far;
        let (from, count) = (so_far.candidates.len() as u32, candidates.len() as u32);
        if !self.wanted.only_states {
            so_far.candidates.extend(candidates.map(|c| c as u32));
        }
        so_far.asked.push(Asked {
            choice: choice as u32,
            step: so_far.steps.len() as u32,
            from,
            count,
        });
        so_far.states.push(state);
    }

    /// The state in which one of these events is to be chosen.
    pub(in crate::kernel) fn state(&self, candidates: impl Iterator<Item = u64>) -> u64 {
        candidates.fold(self.so_far.fingerprint, |h, c| {
            fold(h, self.posted[c as usize].hash)
        })
    }

    pub(in crate::kernel) fn begin(&mut self, at: Time, sequence: u64, choices: usize, name: Name) {
        let posted = self.posted[sequence as usize];
        self.run = fold(posted.hash, at.as_nanos());
        self.name = name;
        if !self.wanted.only_states {
            let touches = self.so_far.touches.len() as u32;
            let step = Step {
                at,
                event: sequence as u32,
                posted_in: posted.step,
                touches,
                choices: choices as u32,
                name,
            };
            self.so_far.steps.push(step);
        }
        if let Some(home) = name.home_key() {
            self.touch(home, true);
        }
    }

    pub(in crate::kernel) fn end(&mut self) {
        self.so_far.fingerprint = self.so_far.fingerprint.wrapping_add(self.run);
    }
}
