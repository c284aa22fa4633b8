//! Two sides over the same seeds: each seed is run on both, and the two runs are compared.
//!
//! A choice is drawn by seed, name, object and ordinal, so that two runs with the same seed differ
//! only where the sides make them differ. Runs leave nothing but their difference; differences are
//! taken in by the order of seeds, whatever the threads.

use super::prelude::*;
use super::sweep::RUNS_MAX;
use crate::analysis::diff::{Gathered, OneSeed, OverSeeds};

/// What to run and compare.
pub(crate) struct Pairs<'a> {
    /// Both scenarios, which may be the same.
    pub(crate) loaded: [&'a Loaded; 2],
    /// What is changed in each.
    pub(crate) overrides: [Overrides; 2],
    /// The first seed.
    pub(crate) first: u64,
    /// How many seeds.
    pub(crate) seeds: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub(crate) window: Dur,
    /// Times that differ by no more than this are the same.
    pub(crate) tolerance: Dur,
}

/// How many seeds for each thread are run before their differences are taken in, which bounds how
/// much waits for that.
const AHEAD: u64 = 8;

impl Pairs<'_> {
    /// How many runs that makes; none if they do not fit into a number.
    pub(crate) fn size(&self) -> Option<u64> {
        self.seeds.checked_mul(2)
    }

    /// Runs and compares everything on `jobs` threads. `watch` is called when a run is done, and
    /// asked now and then whether to go on; with more than `most` patterns like ones are put
    /// together.
    ///
    /// # Errors
    /// [`Stopped`]; a scenario that cannot be built is found before anything runs.
    pub(crate) fn run(&self, jobs: usize, most: usize, watch: Watch<'_>) -> Result<OverSeeds> {
        if self.size().is_none_or(|n| n > RUNS_MAX) {
            let text = format!("a comparison has at most {RUNS_MAX} runs, two for each seed");
            return Err(Problems::one(Problem::new(text)).into());
        }
        let range = seeds_from(self.first, self.seeds)?;
        for side in 0..2 {
            scenario::build(self.loaded[side], &self.overrides[side])?;
        }
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let watched = Watched::new(watch);
        let build = |side: usize| scenario::drawn(self.loaded[side], &self.overrides[side]);
        let run = |plan: &Plan, seed: u64| {
            let trace = seeded(plan, seed, &|| watched.goes_on(Event::Running));
            trace.filter(|_| watched.goes_on(Event::Done))
        };
        let one = |drawn: &mut [Drawn; 2], seed: u64| -> Option<OneSeed> {
            let plans = drawn.each_mut().map(|d| d.of(seed));
            let traces = [run(plans[0], seed)?, run(plans[1], seed)?];
            let [a, b] = [0, 1].map(|i| Analysis::new(plans[i], &traces[i]));
            Some(OneSeed::new([&a, &b], self.window, self.tolerance))
        };
        let mut gathered = Gathered::new(self.tolerance);
        let ahead = (threads.current_num_threads() as u64).saturating_mul(AHEAD);
        let mut next = range.start;
        while next < range.end {
            let seeds: Vec<u64> = (next..next.saturating_add(ahead).min(range.end)).collect();
            next += seeds.len() as u64;
            let worker = || -> Result<[Drawn; 2]> { Ok([build(0)?, build(1)?]) };
            let done =
                watched.pieces(&threads, &seeds, worker, |drawn, seed| Ok(one(drawn, seed)))?;
            if done.len() < seeds.len() {
                return Err(Stopped::Asked);
            }
            done.into_iter().for_each(|(_, one)| gathered.add(one));
        }
        Ok(gathered.finish(most))
    }
}
