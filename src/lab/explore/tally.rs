//! Counts outcomes and violations over the runs of a search.

use super::one::Found;
use super::outcome::Outcome;
use super::search::{Beside, Reached, Violated};
use crate::analysis::properties::Property;
use crate::kernel::choice::Deviation;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The outcomes and violations of the runs so far.
#[derive(Default)]
pub(super) struct Tally {
    outcomes: BTreeMap<u64, Reached>,
    violations: BTreeMap<(Property, String), Violated>,
    pub(super) runs: u64,
}

impl Tally {
    /// A complete run.
    pub(super) fn add(&mut self, outcome: &Outcome, found: Vec<Found>, tape: &[Deviation]) {
        let reached = self.outcomes.entry(outcome.hash).or_insert_with(|| Reached {
            text: outcome.text.clone(),
            runs: 0,
            tape: tape.to_vec(),
        });
        reached.runs += 1;
        for f in found {
            let known = self.violations.entry((f.property, f.about.clone()));
            let new = || Violated { runs: 0, ..f.violated(tape.to_vec()) };
            let entry = known.or_insert_with(new);
            entry.runs += 1;
            if tape.len() < entry.tape.len() {
                (entry.text, entry.tape) = (f.text, tape.to_vec());
            }
        }
    }

    /// How many runs violate a property for the same objects.
    pub(super) fn count(&self, of: &Violated) -> u64 {
        let key = (of.property, of.about.clone());
        self.violations.get(&key).map_or(0, |v| v.runs)
    }

    /// Whether each property was found violated.
    pub(super) fn all_violated(&self, properties: &[Property]) -> bool {
        !properties.is_empty()
            && properties.iter().all(|p| self.violations.keys().any(|(q, _)| q == p))
    }

    /// None of the tapes has to be made small.
    pub(super) fn all_small(&mut self) {
        self.violations.values_mut().for_each(|v| v.is_small = true);
    }

    /// Whether anything was found violated.
    pub(super) fn any_violated(&self) -> bool {
        !self.violations.is_empty()
    }

    /// Counts the violations of drawn runs too, whose tapes are longer, and gives the outcomes that
    /// only those have.
    pub(super) fn beside(&mut self, drawn: Self) -> Beside {
        let Self { outcomes, violations, runs } = drawn;
        for (key, v) in violations {
            match self.violations.entry(key) {
                Entry::Occupied(mut known) => known.get_mut().runs += v.runs,
                Entry::Vacant(new) => {
                    new.insert(v);
                }
            }
        }
        let only = outcomes.into_iter().filter(|(hash, _)| !self.outcomes.contains_key(hash));
        Beside { runs, outcomes: by_count(only.collect()) }
    }

    pub(super) fn into_parts(self) -> (Vec<Reached>, Vec<Violated>) {
        let outcomes = by_count(self.outcomes);
        let mut violations: Vec<Violated> = self.violations.into_values().collect();
        violations.sort_by(|a, b| {
            (a.tape.len(), a.property, &a.text).cmp(&(b.tape.len(), b.property, &b.text))
        });
        (outcomes, violations)
    }
}

/// The most frequent outcomes first.
fn by_count(outcomes: BTreeMap<u64, Reached>) -> Vec<Reached> {
    let mut outcomes: Vec<Reached> = outcomes.into_values().collect();
    outcomes.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.text.cmp(&b.text)));
    outcomes
}
