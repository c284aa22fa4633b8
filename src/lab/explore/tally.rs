//! Counts outcomes and violations over the runs of a search.

use super::one::Found;
use super::outcome::Outcome;
use super::search::{Reached, Violated};
use crate::analysis::properties::Property;
use crate::kernel::choice::Deviation;
use std::collections::BTreeMap;

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
        let reached = self
            .outcomes
            .entry(outcome.hash)
            .or_insert_with(|| Reached {
                text: outcome.text.clone(),
                runs: 0,
                tape: tape.to_vec(),
            });
        reached.runs += 1;
        for f in found {
            let entry = self
                .violations
                .entry((f.property, f.about))
                .or_insert_with(|| Violated {
                    property: f.property,
                    text: f.text.clone(),
                    runs: 0,
                    tape: tape.to_vec(),
                });
            entry.runs += 1;
            if tape.len() < entry.tape.len() {
                (entry.text, entry.tape) = (f.text, tape.to_vec());
            }
        }
    }

    /// Whether each property was found violated.
    pub(super) fn all_violated(&self, properties: &[Property]) -> bool {
        !properties.is_empty()
            && properties
                .iter()
                .all(|p| self.violations.keys().any(|(q, _)| q == p))
    }

    pub(super) fn into_parts(self) -> (Vec<Reached>, Vec<Violated>) {
        let mut outcomes: Vec<Reached> = self.outcomes.into_values().collect();
        outcomes.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.text.cmp(&b.text)));
        let mut violations: Vec<Violated> = self.violations.into_values().collect();
        violations.sort_by(|a, b| {
            (a.tape.len(), a.property, &a.text).cmp(&(b.tape.len(), b.property, &b.text))
        });
        (outcomes, violations)
    }
}
