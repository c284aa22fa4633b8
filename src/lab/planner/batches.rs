//! The replications dealt into ten batches. How much what is computed from one of them differs from what is computed from
//! another says how well it is known, of whatever is computed: no co-moments are kept of it.

use super::moments::{FIGURE_MAX, are_figures};
use super::replication::Replication;
use serde::{Deserialize, Serialize};

/// How many there are.
pub(super) const BATCHES: usize = 10;

/// Sums of the replications of a batch.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Batch {
    /// How many there are.
    n: u64,
    /// By model what a year comes to because of it, row by row.
    year: Vec<Vec<f64>>,
    /// By model what short outages of it come to, and others, with their weights and row by row.
    parts: Vec<[Vec<f64>; 2]>,
}

impl Batch {
    pub(super) fn new(models: usize, width: usize) -> Self {
        let none = || vec![0.0; width];
        let parts = vec![std::array::from_fn(|_| none()); models];
        Self { n: 0, year: vec![none(); models], parts }
    }

    pub(super) fn add(&mut self, one: &Replication) {
        self.n += 1;
        for ((year, parts), part) in self.year.iter_mut().zip(&mut self.parts).zip(&one.parts) {
            let own = &mut parts[usize::from(!part.is_short)];
            year.iter_mut().zip(&part.year).for_each(|(sum, y)| *sum += y);
            own.iter_mut().zip(&part.figures).for_each(|(sum, f)| *sum += f * part.weight);
        }
    }

    /// How many replications there are.
    pub(super) fn n(&self) -> u64 {
        self.n
    }

    /// What a year comes to because of a model, summed over the replications, from a place on.
    pub(super) fn year(&self, model: usize, place: usize) -> &[f64] {
        &self.year[model][place..]
    }

    /// What outages of a model come to that are short, or others, with their weights, from a place on.
    pub(super) fn part(&self, model: usize, is_long: bool, place: usize) -> &[f64] {
        &self.parts[model][usize::from(is_long)][place..]
    }

    /// Of some of the figures alone.
    pub(super) fn of_places(&self, places: &[usize]) -> Self {
        let of = |all: &Vec<f64>| places.iter().map(|p| all[*p]).collect::<Vec<f64>>();
        let parts = self.parts.iter().map(|two| two.each_ref().map(of)).collect();
        Self { n: self.n, year: self.year.iter().map(of).collect(), parts }
    }

    /// Whether it is of so many figures of so many models, and can be reckoned with.
    pub(super) fn fits(&self, models: usize, width: usize) -> bool {
        let mut all = self.year.iter().chain(self.parts.iter().flatten());
        self.n as f64 <= FIGURE_MAX
            && self.year.len() == models
            && self.parts.len() == models
            && all.all(|sums| sums.len() == width && are_figures(sums))
    }
}
