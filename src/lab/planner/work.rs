//! What replications are run with, and one outage with every row.

use super::alike::Alike;
use super::closed::Formula;
use super::count::{self, How, Ran};
use super::placed::Places;
use super::replication::{Part, Replication};
use super::spec::{DRAWN, FIGURES, OWN};
use crate::lab::prelude::*;

/// What replications are run with.
pub(super) struct Work<'a> {
    pub(super) standing: &'a Standing,
    pub(super) alike: &'a Alike,
    /// Workloads whose own figures are kept.
    pub(super) own: &'a [WorkloadsAt],
    /// By row, of where pods are as long as nothing fails.
    pub(super) formulas: &'a [Formula],
    /// By model, which outages are drawn more often; none where they are drawn with whole years.
    pub(super) tilts: &'a [Option<Tilt>],
    /// How many outages of each of the others a replication has.
    pub(super) each: u64,
    pub(super) seed: u64,
    pub(super) threads: &'a rayon::ThreadPool,
    pub(super) watched: &'a Watched<'a>,
}

/// What rows cost in a year in which nothing fails.
pub(super) struct Standing {
    /// By row, whether that is nothing.
    pub(super) quiet: Vec<bool>,
    /// Row by row, beyond what all of them cost: of all workloads, and of some alone.
    pub(super) figures: Vec<f64>,
    pub(super) own: Vec<f64>,
    /// By row, where pods are.
    pub(super) places: Vec<Places>,
    /// What all of them cost, and which workloads are below their need with all of them.
    pub(super) always: Vec<f64>,
    pub(super) always_below: BTreeSet<String>,
}

impl Work<'_> {
    /// Where a row's figures begin, and where those of some workloads alone.
    pub(super) fn places(&self, row: usize) -> [usize; 2] {
        let rows = self.formulas.len();
        [row * FIGURES.len(), rows * FIGURES.len() + row * self.own.len() * OWN.len()]
    }

    /// An outage with every row, beside what its replication has come to; none if it was stopped.
    pub(super) fn outage(
        &self,
        drawn: &mut [Drawn],
        key: (usize, u64, u32),
        how: &How<'_>,
        all: &mut Replication,
    ) -> Option<Part> {
        let (model, seed, number) = key;
        let rate = drawn[0].models.list[model].per_year();
        let weight = drawn[0].models.weight(model, seed, number);
        let mut part = Part::new(weight, drawn.len(), all.year.len());
        let mut known: Vec<(usize, Ran)> = Vec::new();
        let mut failed = BTreeMap::new();
        for &row in &self.alike.order {
            let drawn = &mut drawn[row];
            // Where a row has more nodes than the first one, more of them fail.
            let per_year = drawn.models.list[model].per_year();
            let tells = |(there, ran): &&(usize, Ran)| {
                self.alike.tells(*there, row, ran.counted.countdowns)
            };
            let ran = match known.iter().find(tells) {
                Some((_, ran)) => ran.clone(),
                None => count::one(drawn, key, self.standing.quiet[row], how)?,
            };
            part.is_short = ran.is_short;
            let counted = &ran.counted;
            // Who is not placed is elsewhere in each run: what is expected is of where they are in this one.
            let (of_row, places) = (&self.formulas[row], &counted.places);
            let others = (*places != of_row.places)
                .then(|| Formula::new(drawn, places.clone(), how.window, self.own));
            let formula = others.as_ref().unwrap_or(of_row);
            part.open[row] = counted.is_open();
            all.used_up.extend(counted.memory_used_up.then_some(row));
            failed.extend(counted.failed.clone());
            let often = [per_year / self.each as f64, per_year / rate];
            let [at, own_at] = self.places(row);
            part.put(at, &counted.figures, often);
            part.put(own_at, &counted.own, often);
            part.known(&DRAWN.map(|f| at + f), formula.of_drawn(drawn, key), often);
            for (i, formula) in formula.own.iter().enumerate() {
                let places: [_; OWN.len()] = std::array::from_fn(|f| own_at + i * OWN.len() + f);
                part.known(&places, formula.of_drawn(drawn, key), often);
            }
            known.push((row, ran));
        }
        all.failed.extend(failed);
        Some(part)
    }
}
