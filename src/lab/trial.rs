//! Trials: scenarios run as tests, each with its seeds, and held against what it expects.
//!
//! A trial fails where an expectation is not met in all of its runs, or in the share of them that it asks for. One that cannot be held
//! against a run at all (a pod that there never was) is a mistake of the file, neither passed nor failed. Nothing here does IO.

use crate::analysis::Analysis;
use crate::analysis::expect::{Failed, Verdict, Wrong, verdicts};
use crate::kernel::Choices;
use crate::scenario::expectations::{Expectation, Expectations};
use crate::scenario::{self, Loaded, Overrides, Problem, Problems};
use crate::sim::{self, Plan};
use crate::trace::{RecordId, Trace};
use rayon::prelude::*;

/// How many runs share a plan.
const SEEDS_AT_ONCE: usize = 8;

/// A scenario that can be tried.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The scenario.
    pub loaded: &'a Loaded,
    /// What the command line changes in it.
    pub overrides: Overrides,
    expectations: Expectations,
}

/// What a trial came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How many expectations were held against how many runs.
    pub expectations: usize,
    /// How many runs there were.
    pub runs: usize,
    /// The expectations that failed, in the order of the file.
    pub failures: Vec<Failure>,
    /// The expectations that cannot be held against a run.
    pub problems: Vec<Problem>,
}

/// An expectation that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The word it begins with: `Evicted`.
    pub kind: &'static str,
    /// Where it stands in the file, and in one sentence what came instead.
    pub problem: Problem,
    /// What was expected.
    pub expected: String,
    /// What came, in the first run that failed.
    pub got: String,
    /// The records that decided it in that run: number and text.
    pub records: Vec<(RecordId, String)>,
    /// The seed of that run.
    pub seed: u64,
    /// In how many runs it was not met.
    pub failed_runs: usize,
    /// In how large a part of them it had to be, where not in all.
    pub share: Option<f64>,
}

impl<'a> Trial<'a> {
    /// Builds the scenario with its expectations.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn new(loaded: &'a Loaded, overrides: Overrides) -> Result<Self, Problems> {
        let (_, expectations) = scenario::expecting(loaded, &overrides)?;
        Ok(Trial { loaded, overrides, expectations })
    }

    /// What it expects.
    pub fn expectations(&self) -> &Expectations {
        &self.expectations
    }

    /// Runs it with each of its seeds, and holds every run against the expectations. `look` sees the run of the first seed. Without an
    /// answer if `goes_on` said no.
    pub fn run<T: Send>(
        &self,
        goes_on: &(dyn Fn() -> bool + Sync),
        look: &(dyn Fn(&Analysis<'_>, u64) -> T + Sync),
    ) -> Option<(Outcome, Option<T>)> {
        let list = &self.expectations.list;
        let seeds = &self.expectations.seeds;
        let of_run = |plan: &Plan, seed: u64| {
            let trace = simulate(plan, seed, goes_on)?;
            let analysis = Analysis::new(plan, &trace);
            let told = |(verdict, e): (Result<Verdict, Wrong>, &Expectation)| match verdict {
                Ok(v) => Ok(v.failure.map(|f| Told::new(f, &trace))),
                Err(wrong) => Err(Problem::new(wrong.message).maybe_help(wrong.help).at(&self.loaded.source, e.bytes.clone())),
            };
            let told: Vec<_> = verdicts(list, &analysis).into_iter().zip(list).map(told).collect();
            Some((told, (seeds.first() == Some(&seed)).then(|| look(&analysis, seed))))
        };
        // Each piece builds its own plan: plans are not shared between threads.
        let piece = |seeds: &[u64]| -> Option<Vec<_>> {
            // It was built before; what does not build has been refused.
            let plan = scenario::build(self.loaded, &self.overrides).ok()?;
            seeds.iter().map(|&seed| of_run(&plan, seed)).collect()
        };
        let runs: Vec<Vec<_>> = seeds.par_chunks(SEEDS_AT_ONCE).map(piece).collect::<Option<_>>()?;
        let (mut told, mut looked) = (Vec::new(), None);
        for (run, seen) in runs.into_iter().flatten() {
            told.push(run);
            looked = looked.or(seen);
        }
        let (mut failures, mut problems) = (Vec::new(), Vec::new());
        for (i, e) in list.iter().enumerate() {
            let of_runs = || told.iter().map(|run| &run[i]);
            // What is wrong in one run may be right in another, for the pods that a run has may differ.
            if of_runs().all(Result::is_err) {
                problems.extend(of_runs().find_map(|r| r.as_ref().err()).cloned());
                continue;
            }
            let failed: Vec<(u64, &Told)> =
                of_runs().zip(seeds).filter_map(|(r, &seed)| Some((seed, r.as_ref().ok()?.as_ref()?))).collect();
            let met = (seeds.len() - failed.len()) as f64 / seeds.len() as f64;
            let Some((seed, first)) = failed.first().filter(|_| met < e.share.unwrap_or(1.0)) else { continue };
            let problem = Problem::new(format!("{}: expected {}, got {}", e.kind, first.failed.expected, first.failed.got));
            failures.push(Failure {
                kind: e.kind,
                problem: problem.at(&self.loaded.source, e.bytes.clone()),
                expected: first.failed.expected.clone(),
                got: first.failed.got.clone(),
                records: first.records.clone(),
                seed: *seed,
                failed_runs: failed.len(),
                share: e.share,
            });
        }
        Some((Outcome { expectations: list.len(), runs: seeds.len(), failures, problems }, looked))
    }

    /// Runs it with a guarded setting changed, and says whether an expectation breaks then, as it must.
    ///
    /// # Errors
    /// The setting is not one of the scenario's, or its value is wrong.
    pub fn is_guarded(&self, guard: &str, goes_on: &(dyn Fn() -> bool + Sync)) -> Result<Option<bool>, Problems> {
        let mut overrides = self.overrides.clone();
        overrides.sets.push(guard.to_owned());
        let changed = Trial::new(self.loaded, overrides)?;
        let outcome = changed.run(goes_on, &|_, _| ());
        Ok(outcome.map(|(o, _)| !o.failures.is_empty() || !o.problems.is_empty()))
    }
}

/// A failure, and its records as text while there is a trace.
#[derive(Clone, Debug)]
struct Told {
    failed: Failed,
    records: Vec<(RecordId, String)>,
}

impl Told {
    fn new(failed: Failed, trace: &Trace) -> Self {
        let records = failed.records.iter().filter_map(|&id| Some((id, trace.sentence(trace.get(id)?)))).collect();
        Told { failed, records }
    }
}

/// A scenario with a tape leaves nothing to chance: it is run as `taintsim replay` runs it.
fn simulate(plan: &Plan, seed: u64, goes_on: &(dyn Fn() -> bool + Sync)) -> Option<Trace> {
    if plan.tape.is_some() {
        let run = sim::replay_watched(plan, goes_on);
        return (!run.known).then_some(run.trace);
    }
    let (trace, finished) = sim::run_watched(plan, Choices::seeded(seed), &mut |_| goes_on());
    finished.then_some(trace)
}
