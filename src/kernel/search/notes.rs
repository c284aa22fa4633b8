//! The notes of the run that is under way: they are written step by step, and fold what led to each
//! step into its hash.

use super::name::{Key, Keys, Name, Touch, fold};
use super::searched::{Answer, Asked, Searched, Step, Wanted};
use crate::kernel::table::Texts;
use crate::kernel::{Group, Time};
use std::any::TypeId;

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
pub(crate) struct Notes {
    families: Texts,
    last: Vec<Vec<Last>>,
    pub(crate) wanted: Wanted,
    things: u32,
    posted: Vec<Posted>,
    /// Hash of the running step.
    run: u64,
    /// What it is called.
    pub(crate) name: Name,
    /// What processes are called, by slot.
    names: Vec<Name>,
    /// Kinds of workers that are alike.
    kinds: Vec<(TypeId, Group)>,
    pub(crate) so_far: Searched,
}

impl Notes {
    /// For another run, in the tables of one that is over and in those of what it noted. What
    /// families are called stays.
    pub(crate) fn again(self, so_far: Searched, wanted: Wanted) -> Self {
        let Self { mut families, mut last, mut posted, mut names, mut kinds, .. } = self;
        if families.len() == 0 {
            for name in Keys::NAMES {
                families.number(name, || ());
            }
        }
        last.iter_mut().for_each(|members| members.fill(Last::default()));
        last.resize_with(families.len(), Vec::new);
        posted.clear();
        names.clear();
        kinds.clear();
        let so_far = so_far.emptied();
        Self { families, last, wanted, posted, names, kinds, so_far, ..Self::default() }
    }

    /// The family of this name.
    pub(crate) fn keys(&mut self, name: &'static str) -> Keys {
        let Self { families, last, .. } = self;
        Keys(families.number(name, || last.push(Vec::new())))
    }

    pub(crate) fn thing(&mut self) -> Key {
        self.things += 1;
        Key(Keys::THINGS, self.things - 1)
    }

    /// An event is posted.
    pub(crate) fn post(&mut self) {
        self.run = fold(self.run, 0x51);
        self.posted.push(Posted { hash: self.run, step: self.so_far.steps.len() as u32 });
    }

    /// The event posted last starts a worker of this kind.
    pub(crate) fn alike(&mut self, code: TypeId, group: Group) {
        let kind = self.kinds.iter().position(|k| *k == (code, group)).unwrap_or_else(|| {
            self.kinds.push((code, group));
            self.kinds.len() - 1
        });
        self.so_far.alike.push((self.posted.len() as u32 - 1, kind as u32));
    }

    /// A choice was made.
    pub(crate) fn chose(&mut self, value: u64) {
        self.run = fold(self.run, value.wrapping_add(0x1234_5678_9abc));
    }

    /// The choice made last was that nobody goes before the rest of the running step.
    pub(crate) fn went_on(&mut self, choices: usize) {
        if !self.wanted.only_states {
            self.so_far.went_on.push((choices as u32, self.posted.len() as u32));
        }
    }

    /// What a process is called.
    pub(crate) fn name_of(&self, slot: u32) -> Name {
        self.names.get(slot as usize).copied().unwrap_or(Name::NONE)
    }

    /// What a process is called from here on.
    pub(crate) fn rename(&mut self, slot: u32, name: Name) {
        if self.names.len() <= slot as usize {
            self.names.resize(slot as usize + 1, Name::NONE);
        }
        self.names[slot as usize] = name;
    }

    #[inline]
    pub(crate) fn touch(&mut self, Key(family, id): Key, write: bool) {
        let members = &mut self.last[family.0 as usize];
        if members.len() <= id as usize {
            grow(members, id);
        }
        let last = &mut members[id as usize];
        if write {
            self.run = fold(self.run, last.write ^ last.reads.rotate_left(17));
            *last = Last { write: self.run, reads: 0 };
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

    /// The running step answers a request, or decides something.
    pub(crate) fn answer(&mut self, of: Answer) {
        if !self.wanted.only_states {
            let step = self.so_far.steps.len() as u32 - 1;
            self.so_far.answers.push(Answer { step, ..of });
        }
    }

    /// One of these events came next, in this state, by this choice.
    pub(crate) fn asked(
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
        let (choice, step) = (choice as u32, so_far.steps.len() as u32);
        so_far.asked.push(Asked { choice, step, from, count });
        so_far.states.push(state);
    }

    /// The state in which one of these events is to be chosen.
    pub(crate) fn state(&self, candidates: impl Iterator<Item = u64>) -> u64 {
        candidates.fold(self.so_far.fingerprint, |h, c| fold(h, self.posted[c as usize].hash))
    }

    pub(crate) fn begin(&mut self, at: Time, sequence: u64, choices: usize, name: Name) {
        let posted = self.posted[sequence as usize];
        self.run = fold(posted.hash, at.as_nanos());
        self.name = name;
        if !self.wanted.only_states {
            let touches = self.so_far.touches.len() as u32;
            let (event, posted_in, choices) = (sequence as u32, posted.step, choices as u32);
            self.so_far.steps.push(Step { at, event, posted_in, touches, choices, name });
        }
        if let Some(home) = name.home_key() {
            self.touch(home, true);
        }
    }

    pub(crate) fn end(&mut self) {
        self.so_far.fingerprint = self.so_far.fingerprint.wrapping_add(self.run);
    }
}
