//! What a sweep runs, and what it leaves of each run.

use crate::analysis::Metrics;
use crate::kernel::Dur;
use crate::language::{Problem, Problems};
use crate::scenario::{self, Loaded, Overrides};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most runs of a sweep.
pub(crate) const RUNS_MAX: u64 = 1_000_000;

/// A setting and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Its path in the scenario, as for `--set`.
    pub(crate) path: String,
    /// The values to try, in their order; never empty.
    pub(crate) values: Vec<String>,
}

/// What to run.
#[derive(Clone, Debug)]
pub(crate) struct Sweep<'a> {
    /// The scenario.
    pub(crate) loaded: &'a Loaded,
    /// What is the same in every run; its seed is the first one.
    pub(crate) base: Overrides,
    /// What differs. Without any there is one case.
    pub(crate) axes: Vec<Axis>,
    /// The settings move together: the first values of all, the second values of all, and so on.
    /// Otherwise every combination is tried.
    pub(crate) zipped: bool,
    /// How many seeds each combination of values is run with: those from the first one on.
    pub(crate) seeds: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub(crate) window: Dur,
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Outcome {
    /// Its seed.
    pub(crate) seed: u64,
    /// Its figures.
    pub(crate) metrics: Metrics,
}

/// A combination of values with its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// A value for each axis.
    pub(crate) values: Vec<String>,
    /// Its runs by seed.
    pub(crate) runs: Vec<Outcome>,
}

impl Sweep<'_> {
    /// Every combination of values, the last axis changing fastest; or those that move together.
    pub(crate) fn combinations(&self) -> Vec<Vec<String>> {
        if let (true, Some(first)) = (self.zipped, self.axes.first()) {
            let row =
                |i: usize| self.axes.iter().filter_map(|a| a.values.get(i).cloned()).collect();
            return (0..first.values.len()).map(row).collect();
        }
        self.axes.iter().fold(vec![Vec::new()], |before, axis| {
            let with =
                |head: &Vec<String>, value: &String| head.iter().chain([value]).cloned().collect();
            before
                .iter()
                .flat_map(|head| axis.values.iter().map(move |value| with(head, value)))
                .collect()
        })
    }

    /// How many runs that makes; none if they do not fit into a number.
    pub(crate) fn size(&self) -> Option<u64> {
        if let (true, Some(first)) = (self.zipped, self.axes.first()) {
            return self.seeds.checked_mul(first.values.len() as u64);
        }
        self.axes.iter().try_fold(self.seeds, |n, axis| n.checked_mul(axis.values.len() as u64))
    }

    pub(crate) fn overrides(&self, values: &[String]) -> Overrides {
        let mut overrides = self.base.clone();
        overrides.sets.extend(
            self.axes.iter().zip(values).map(|(axis, value)| format!("{}={value}", axis.path)),
        );
        overrides
    }

    /// The seeds of a combination: its runs' order.
    pub(super) fn seeds_of(&self, overrides: &Overrides) -> Result<Range<u64>, Problems> {
        let first = scenario::seed(self.loaded, overrides)?;
        let too_many = || {
            Problems::one(Problem::new(format!(
                "there are no {} seeds from {first} on",
                self.seeds
            )))
        };
        first.checked_add(self.seeds).map(|end| first..end).ok_or_else(too_many)
    }
}
