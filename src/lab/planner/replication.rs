//! A replication: what a year comes to, or an outage of each model.

use super::moments::{FIGURE_MAX, are_figures};
use super::spec::DRAWN;
use serde::{Deserialize, Serialize};

/// A replication: figures of a year by row, and figures by model and row.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct Replication {
    pub(super) year: Vec<f64>,
    /// What of that a whole year came to, if one was run.
    #[serde(default)]
    pub(super) whole: Vec<f64>,
    /// The outages of models that are drawn one at a time, model by model.
    pub(super) parts: Vec<Part>,
    /// Jobs that failed with some row, with how, each as often as there are outages or years in which it did.
    pub(super) failed: Vec<(String, String)>,
    /// The rows with which nodes ran out of memory, each as often.
    pub(super) used_up: Vec<usize>,
}

/// What the outage of a model came to.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Part {
    /// It was a short one.
    pub(super) is_short: bool,
    /// How often it comes beside how often it is drawn.
    pub(super) weight: f64,
    /// What it came to, without its weight: of all workloads row by row, and behind that of those whose own are kept.
    pub(super) figures: Vec<f64>,
    /// What of that no formula says, likewise.
    pub(super) off: Vec<f64>,
    /// What a year comes to because of its model, in which what formulas know is at its mean.
    pub(super) year: Vec<f64>,
    /// Row by row, whether pods were not back when the run ended.
    #[serde(default)]
    pub(super) open: Vec<bool>,
}

impl Part {
    pub(super) fn new(weight: f64, rows: usize, places: usize) -> Self {
        let none = vec![0.0; places];
        let (off, year, open) = (none.clone(), none.clone(), vec![false; rows]);
        Self { is_short: false, weight, figures: none, off, year, open }
    }

    /// Figures from a place on, of an outage that comes so often a year, and `times` as often as in the first row.
    pub(super) fn put(&mut self, from: usize, figures: &[f64], [per_year, times]: [f64; 2]) {
        for (place, figure) in (from..).zip(figures) {
            self.figures[place] = times * figure;
            self.off[place] = times * figure;
            self.year[place] = self.weight * per_year * figure;
        }
    }

    /// What formulas know of some figures: of this outage, and on average.
    pub(super) fn known(
        &mut self,
        places: &[usize],
        [own, mean]: [[f64; DRAWN.len()]; 2],
        [per_year, times]: [f64; 2],
    ) {
        for ((&place, own), mean) in places.iter().zip(own).zip(mean) {
            self.off[place] -= times * own;
            self.year[place] -= per_year * (self.weight * own - mean);
        }
    }
}

impl Replication {
    /// Whether it is of so many figures of so many rows, and of so many outages, and can be reckoned with.
    pub(super) fn fits(&self, [places, rows, outages]: [usize; 3]) -> bool {
        let is_part = |p: &Part| {
            let all = [&p.figures, &p.off, &p.year];
            all.iter().all(|own| own.len() == places && are_figures(*own))
                && p.open.len() <= rows
                && (0.0..=FIGURE_MAX).contains(&p.weight)
        };
        self.year.len() == places
            && are_figures(&self.year)
            && (self.whole.is_empty() || self.whole.len() == places)
            && are_figures(&self.whole)
            && self.parts.len() == outages
            && self.parts.iter().all(is_part)
    }
}
