//! A sweep whose combinations can all be built, or why one cannot.

use super::spec::{RUNS_MAX, Sweep};
use crate::lab::stopped::Stopped;
use crate::language::{Problem, Problems};
use crate::scenario::{self, Overrides};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;

/// A sweep whose combinations can all be built.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(super) sweep: &'a Sweep<'a>,
    pub(super) threads: rayon::ThreadPool,
    pub(super) cases: Vec<(Overrides, Range<u64>)>,
    notes: Vec<String>,
}

impl Prepared<'_> {
    /// What the scenario's settings mean for pods that exist, in any of the combinations, each
    /// sentence once.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

impl Sweep<'_> {
    /// Makes sure that settings that move together have as many values each.
    fn even(&self) -> Result<(), Problems> {
        if let (true, [first, others @ ..]) = (self.zipped, self.axes.as_slice())
            && let Some(other) = others.iter().find(|a| a.values.len() != first.values.len())
        {
            let (a, b) = (first.values.len(), other.values.len());
            let problem = Problem::new(format!(
                "`{}` has {a} values and `{}` has {b}",
                first.path, other.path
            ));
            return Err(Problems::one(
                problem.help("settings that move together have as many values each"),
            ));
        }
        Ok(())
    }

    /// Makes sure that every combination can be built, on `jobs` threads, which will do the runs,
    /// too.
    ///
    /// # Errors
    /// Every problem that any of the combinations has, once; or the threads cannot be started.
    pub(crate) fn prepare(&self, jobs: usize) -> Result<Prepared<'_>, Stopped> {
        self.even()?;
        let size = self.size().filter(|&n| n <= RUNS_MAX);
        size.ok_or_else(|| {
            Problems::one(Problem::new(format!("a sweep has at most {RUNS_MAX} runs")))
        })?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let check = |values: &Vec<String>| {
            let overrides = self.overrides(values);
            let notes = scenario::build(self.loaded, &overrides)?.notes;
            let seeds = self.seeds_of(&overrides)?;
            Ok((overrides, seeds, notes))
        };
        let checked: Vec<Result<_, Problems>> =
            threads.install(|| self.combinations().par_iter().map(check).collect());
        let problems = all_problems(checked.iter().filter_map(|c| c.as_ref().err()));
        if !problems.is_empty() {
            return Err(Problems(problems).into());
        }
        let mut notes: Vec<String> = Vec::new();
        let mut cases = Vec::with_capacity(checked.len());
        for (overrides, seeds, said) in checked.into_iter().collect::<Result<Vec<_>, _>>()? {
            cases.push((overrides, seeds));
            said.into_iter().for_each(|note| {
                if !notes.contains(&note) {
                    notes.push(note)
                }
            });
        }
        Ok(Prepared { sweep: self, threads, cases, notes })
    }
}

/// The problems of all combinations, each once.
fn all_problems<'a>(of: impl Iterator<Item = &'a Problems>) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    for found in of {
        let new = found.0.iter().filter(|p| seen.insert(p.to_string()));
        problems.extend(new.cloned());
    }
    problems
}
