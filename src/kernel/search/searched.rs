//! What a run noted for a search, as data: its steps, what they touched, and the choices of who
//! comes next.

use super::name::{Name, Touch};
use crate::kernel::Time;

/// A step of a run.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The instant of the step.
    pub at: Time,
    /// The number of its event, in order of posting.
    pub event: u32,
    /// The step in which its event was posted, plus one; 0 before the first.
    pub(crate) posted_in: u32,
    /// How many touches came before its own.
    pub(crate) touches: u32,
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
    /// The step that was run as its result.
    pub(crate) step: u32,
    /// Where its candidates begin in [`Searched::candidates`].
    pub from: u32,
    /// How many there were.
    pub count: u32,
}

/// What came of a request that wrote nothing, or what was decided without one.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The step that answered it.
    pub(crate) step: u32,
    /// Hash of the name of the object that it is about.
    pub(crate) about: u64,
    /// Whether it only reads.
    pub(crate) reads: bool,
    /// Why it failed, if it did.
    pub(crate) failed: Option<&'static str>,
    /// Of a decision the record of the version that it went by.
    pub(crate) saw: Option<u32>,
}

/// What of a run is of interest; all of it by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The first choice of interest. Choices of who comes next before it are not noted, and no more
    /// than two of their alternatives are counted.
    pub from: usize,
    /// Only the states are of interest: nobody will look for other choices that are worth a try.
    pub only_states: bool,
    /// Whether the choices are not kept.
    pub no_choices: bool,
}

impl Wanted {
    /// Nothing is noted: only what happens is of interest.
    pub(crate) const NOTHING: Self = Self { from: usize::MAX, only_states: true, no_choices: true };
    /// The choices, and the fingerprint of the whole run.
    pub(crate) const CHOICES: Self = Self { no_choices: false, ..Self::NOTHING };
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
    pub(crate) alike: Vec<(u32, u32)>,
    /// Answers to requests that wrote nothing, and decisions; none where only states are wanted.
    pub(crate) answers: Vec<Answer>,
    /// Where a step went on although all others of its instant could have gone first: how many choices had
    /// been made, that one included, and how many events had been posted; none where only states are wanted.
    pub(crate) went_on: Vec<(u32, u32)>,
    /// The fingerprint of the whole run.
    pub fingerprint: u64,
}

impl Searched {
    /// Nothing yet, in the same tables.
    pub(super) fn emptied(mut self) -> Self {
        self.steps.clear();
        self.touches.clear();
        self.asked.clear();
        self.candidates.clear();
        self.states.clear();
        self.alike.clear();
        self.answers.clear();
        self.went_on.clear();
        Self { fingerprint: 0, ..self }
    }

    /// The number that an event has in common with those that start workers like its own.
    pub(crate) fn alike(&self, event: u32) -> Option<u32> {
        let last = self.alike.last().filter(|l| event <= l.0);
        last.and_then(|_| self.alike.binary_search_by_key(&event, |a| a.0).ok())
            .map(|i| self.alike[i].1)
    }

    /// What a step touched.
    pub(crate) fn touched_by(&self, step: usize) -> &[Touch] {
        let end = self.steps.get(step + 1).map_or(self.touches.len(), |s| s.touches as usize);
        &self.touches[self.steps[step].touches as usize..end]
    }

    /// Whether the order of two steps can make a difference: one of them wrote what the other
    /// touched.
    pub(crate) fn depend(&self, a: usize, b: usize) -> bool {
        let theirs = self.touched_by(b);
        self.touched_by(a)
            .iter()
            .any(|t| theirs.iter().any(|u| u.key() == t.key() && (u.writes() || t.writes())))
    }
}
