//! Many random scenarios, and the smallest one that fails in the same way.

use super::checks::{Also, Failed, Verdict, caught, check};
use super::scenario::random;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use taintsim::kernel::search::fold;
use taintsim::lab::shrink::{Goal, Shrink, shrink};
use taintsim::plan::Plan;
use taintsim::scenario::Loaded;

/// How many runs are made between two looks at their results: the same for any number of
/// threads.
const BATCH: u64 = 64;

/// A failure, and the first seed that had one of its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The seed of scenario and run.
    pub seed: u64,
    /// What happened.
    pub failed: Failed,
    /// How many seeds had one of its kind.
    pub times: u64,
}

/// The results of many runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Soaked {
    /// Scenarios that were run to their end.
    pub runs: u64,
    /// Scenarios that were left, as they have too many events.
    pub too_long: u64,
    /// Stands for all that was written of all runs: the same in every build and on every machine.
    pub digest: u64,
    /// One failure of each kind, by the first seed.
    pub found: Vec<Found>,
    /// Which fields and words of the language came up, and how often.
    pub used: BTreeMap<String, u64>,
}

/// Runs the scenarios of the seeds from `first` on until there were `runs` of them, or `goes_on`
/// says no; it is given how many there were, and what was found.
pub fn soak(
    schema: &Value,
    (first, runs): (u64, u64),
    pool: &ThreadPool,
    also: Also<'_>,
    goes_on: &mut dyn FnMut(u64, &[Found]) -> bool,
) -> Soaked {
    let mut all = Soaked::default();
    let mut done = 0;
    while done < runs && goes_on(done, &all.found) {
        let count = BATCH.min(runs - done);
        let seed = |i: u64| first.wrapping_add(done).wrapping_add(i);
        let run = |i: u64| match caught(|| random(schema, seed(i))) {
            Ok(random) => (check(&random.loaded, &random.plan, seed(i), also), random.used),
            Err(failed) => (Verdict::Failed(failed), BTreeSet::new()),
        };
        let results: Vec<_> = pool.install(|| {
            (0..count as u32).into_par_iter().with_max_len(1).map(|i| run(u64::from(i))).collect()
        });
        for (i, (verdict, used)) in (0..).zip(results) {
            match verdict {
                Verdict::TooLong => all.too_long += 1,
                Verdict::Fine(digest) => {
                    all.runs += 1;
                    all.digest = fold(all.digest, digest);
                }
                Verdict::Failed(failed) => {
                    all.runs += 1;
                    match all.found.iter_mut().find(|f| f.failed.kind == failed.kind) {
                        Some(known) => known.times += 1,
                        None => all.found.push(Found { seed: seed(i), failed, times: 1 }),
                    }
                }
            }
            for word in used {
                *all.used.entry(word).or_default() += 1;
            }
        }
        done += count;
    }
    all
}

/// The text of the scenario that was found; none where it panics when it is made.
pub fn text_of(schema: &Value, found: &Found) -> Option<String> {
    let random = caught(|| random(schema, found.seed)).ok()?;
    Some(random.loaded.source.text.to_string())
}

/// The text of a scenario that fails in the same way as that of a seed, and of which nothing can be
/// left away; none where it cannot even be made, as it panics when it is built.
pub fn smallest(
    schema: &Value,
    found: &Found,
    also: Also<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<String> {
    let random = caught(|| random(schema, found.seed)).ok()?;
    let fails = |loaded: &Loaded, plan: &Plan| match check(loaded, plan, found.seed, also) {
        Verdict::Failed(failed) if failed.kind == found.failed.kind => Some(failed.text),
        _ => None,
    };
    let what = Shrink {
        loaded: &random.loaded,
        spec: random.loaded.spec.clone(),
        goal: Goal::Fails(&fails),
        told: None,
    };
    Some(match shrink(what, &mut |_, _| goes_on()) {
        Ok(shrunk) => shrunk.text,
        // It fails as part of the search only if its text says something else than the scenario;
        // then the scenario itself is shown.
        Err(_) => random.loaded.source.text.to_string(),
    })
}
