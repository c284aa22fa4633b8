//! Other timelines than the one that is written: what may be otherwise, and how that is said.

use super::faults::Faults;
use crate::lab::prelude::*;
use crate::language::Entry;
use crate::language::duration::{format, parse};

/// Something of the timeline that is not as it is written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub struct Change {
    /// Which entry, or what is added.
    pub of: Of,
    /// When it comes.
    pub at: Dur,
}

/// What comes at another time, or besides.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub enum Of {
    /// The entry at this place.
    Entry(usize),
    /// A fault, as a file writes it.
    Fault(String),
}

impl Change {
    /// It as a setting of the scenario.
    pub fn set(&self) -> String {
        let at = format(self.at);
        match &self.of {
            Of::Entry(i) => format!("timeline[{i}].at={at}"),
            Of::Fault(fault) => format!("timeline[+]=(at: \"{at}\", do: {fault})"),
        }
    }

    /// The entries of a timeline that have a time of their own, as they are written, in the order in which they
    /// come.
    pub fn none(timeline: &[Entry]) -> Vec<Self> {
        let all = timeline.iter().enumerate();
        let own =
            |(i, e): (usize, &Entry)| Some(Self { of: Of::Entry(i), at: parse(&e.at.0).ok()? });
        let mut own: Vec<Self> = all.filter_map(own).collect();
        own.sort_by_key(|m| m.at);
        own
    }
}

/// What may be otherwise, and what is run then.
#[derive(Clone)]
pub struct Changing<'a> {
    /// Makes the plan of a timeline with changes; none where that is no scenario.
    pub plan: &'a (dyn Fn(&[Change]) -> Option<Plan> + Sync),
    /// What can move, as it is written, in the order in which it comes.
    pub entries: Vec<Change>,
    /// How much earlier or later each may come.
    pub slack: Dur,
    /// What may happen besides.
    pub faults: Faults,
}

impl Changing<'_> {
    /// Whether nothing can be otherwise.
    pub(super) fn is_nothing(&self) -> bool {
        (self.entries.is_empty() || self.slack == Dur::ZERO) && self.faults.is_empty()
    }
}
