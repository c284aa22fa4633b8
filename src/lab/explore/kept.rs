//! How what a search found is kept for another process.

use super::one::Found;
use super::outcome::Outcome;
use crate::analysis::properties::Property;
use crate::kernel::choice::Deviation;
use serde::{Deserialize, Serialize};

/// A deviation, whose type is in the kernel, which knows nothing of files.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Deviation")]
pub(super) struct DeviationKept {
    point: String,
    object: u64,
    ordinal: u32,
    value: u64,
}

/// A deviation in a list of them.
#[derive(Deserialize, Serialize)]
struct Step(#[serde(with = "DeviationKept")] Deviation);

/// A tape.
#[derive(Deserialize, Serialize)]
pub(super) struct TapeKept(Vec<Step>);

impl From<Vec<Deviation>> for TapeKept {
    fn from(tape: Vec<Deviation>) -> Self {
        Self(tape.into_iter().map(Step).collect())
    }
}

impl From<TapeKept> for Vec<Deviation> {
    fn from(tape: TapeKept) -> Self {
        tape.0.into_iter().map(|step| step.0).collect()
    }
}

/// The outcome of a complete run, and its violations, each with the place of its property in the
/// list of those that are searched for.
#[derive(Deserialize, Serialize)]
pub(super) struct JudgementKept {
    outcome: (u64, String),
    found: Vec<(u32, String, String)>,
}

impl JudgementKept {
    /// A judgement as it is kept.
    pub(super) fn new((outcome, found): (Outcome, Vec<Found>), properties: &[Property]) -> Self {
        let place = |property| properties.iter().position(|p| *p == property);
        let of = |f: Found| (place(f.property).unwrap_or_default() as u32, f.about, f.text);
        Self { outcome: (outcome.hash, outcome.text), found: found.into_iter().map(of).collect() }
    }

    /// The judgement.
    pub(super) fn of(self, properties: &[Property]) -> (Outcome, Vec<Found>) {
        let (hash, text) = self.outcome;
        let of = |(place, about, text): (u32, String, String)| {
            let property = *properties.get(place as usize)?;
            Some(Found { property, about, text })
        };
        let found = self.found.into_iter().filter_map(of);
        (Outcome { hash, text }, found.collect())
    }
}
