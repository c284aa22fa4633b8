//! Runs sweeps on several threads.

use super::prepare::Prepared;
use super::spec::{Case, Outcome};
use crate::analysis::summary::metrics;
use crate::kernel::Choices;
use crate::lab::shards::{Desk, unpacked};
use crate::lab::stopped::Stopped;
use crate::lab::threads::{Event, Watched};
use crate::language::Problems;
use crate::scenario::{self, Overrides};
use crate::sim;
use rayon::ThreadPool;

/// How far sweeps over the same number of seeds have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The cases of each sweep.
    pub(crate) cases: Vec<Vec<Case>>,
    /// With how many seeds every case of every sweep has been run, from the first one on: all,
    /// unless the watcher had it stopped.
    pub(crate) seeds: u64,
}

/// The most seeds that a plan serves before it is built anew. All cases are run with these before
/// any is run with the next ones, so that a sweep that is stopped has something to compare.
const PIECE: u64 = 16;

impl Prepared<'_> {
    /// Runs everything. `watch` is called when a run is done, and asked now and then whether to go
    /// on.
    ///
    /// # Errors
    /// [`Stopped`].
    #[cfg(test)]
    pub(crate) fn run(&self, watch: &(dyn Fn(Event) -> bool + Sync)) -> Result<Vec<Case>, Stopped> {
        let seeds = self.sweep.seeds;
        match run_all(std::slice::from_ref(self), watch, Desk::Here)? {
            Ran { cases, seeds: ran } if ran == seeds => Ok(cases.concat()),
            _ => Err(Stopped::Asked),
        }
    }
}

/// Runs several sweeps over the same number of seeds, on the threads of the first, all in one round
/// of the desk. `watch` is called when a run is done, and asked now and then whether to go on.
///
/// # Errors
/// [`Stopped`], except where the watcher asks for it.
pub(crate) fn run_all(
    prepared: &[Prepared<'_>],
    watch: &(dyn Fn(Event) -> bool + Sync),
    desk: Desk<'_>,
) -> Result<Ran, Stopped> {
    let Some(first) = prepared.first() else {
        return Ok(Ran { cases: Vec::new(), seeds: 0 });
    };
    // Few enough runs in a piece that nobody waits long for the last one.
    let workers = match desk {
        Desk::Here => first.threads.current_num_threads() as u64,
        Desk::Shared(_) => u64::from(desk.shards()),
    };
    let work = Work::new(prepared, first, watch, workers);
    let done = desk.round(
        work.pieces(),
        |all: &Vec<Outcome>| all.iter().all(|o| o.metrics.is_sound()),
        |pieces| Ok(work.run(pieces, &first.threads)?),
    )?;
    let mut runs = work.by_case(done);
    let ran = runs.iter().map(Vec::len).min().unwrap_or(0);
    runs.iter_mut().for_each(|r| r.truncate(ran));
    let mut runs = runs.into_iter();
    let cases_of = |p: &Prepared<'_>| {
        p.sweep
            .combinations()
            .into_iter()
            .zip(runs.by_ref())
            .map(|(values, runs)| Case { values, runs })
            .collect()
    };
    Ok(Ran { cases: prepared.iter().map(cases_of).collect(), seeds: ran as u64 })
}

/// The pieces of work of several sweeps: each is one case with a few seeds.
struct Work<'a> {
    /// With its sweep and its first seed.
    cases: Vec<(&'a Prepared<'a>, &'a Overrides, u64)>,
    seeds: u64,
    /// How many seeds a piece has.
    step: u64,
    watched: Watched<'a>,
}

impl<'a> Work<'a> {
    fn new(
        prepared: &'a [Prepared<'a>],
        first: &Prepared<'_>,
        watch: &'a (dyn Fn(Event) -> bool + Sync),
        workers: u64,
    ) -> Self {
        let seeds = first.sweep.seeds;
        let cases: Vec<_> = prepared
            .iter()
            .flat_map(|p| p.cases.iter().map(move |(overrides, seeds)| (p, overrides, seeds.start)))
            .collect();
        let step = (cases.len() as u64 * seeds / (workers * 8)).clamp(1, PIECE);
        Work { cases, seeds, step, watched: Watched::new(watch) }
    }

    /// Runs the case of a piece with its seeds.
    fn piece(&self, round: u64, case: usize) -> Result<Vec<Outcome>, Problems> {
        let (of, overrides, begin) = self.cases[case];
        let mut drawn = scenario::drawn(of.sweep.loaded, overrides)?;
        let mut outcomes = Vec::new();
        let end = begin + ((round + 1) * self.step).min(self.seeds);
        for seed in begin + round * self.step..end {
            let plan = drawn.of(seed);
            let (trace, finished) = sim::run_watched(plan, Choices::seeded(seed), &mut |_| {
                self.watched.goes_on(Event::Running)
            });
            if !finished {
                break;
            }
            outcomes.push(Outcome { seed, metrics: metrics(plan, &trace, of.sweep.window) });
            if !self.watched.goes_on(Event::Done) {
                break;
            }
        }
        Ok(outcomes)
    }

    /// How many pieces there are: those of the first seeds come first.
    fn pieces(&self) -> u64 {
        self.seeds.div_ceil(self.step) * self.cases.len() as u64
    }

    /// Some pieces, on some threads, up to where it was stopped.
    fn run(
        &self,
        pieces: &[u64],
        threads: &ThreadPool,
    ) -> Result<Vec<(u64, Vec<Outcome>)>, Problems> {
        let cases = self.cases.len() as u64;
        let piece = |(): &mut (), number: u64| {
            Ok(Some(self.piece(number / cases, (number % cases) as usize)))
        };
        let done = self.watched.pieces(threads, pieces, || Ok::<_, Problems>(()), piece)?;
        // The first problem by number, whichever thread comes to it.
        done.into_iter().map(|(number, outcomes)| Ok((number, outcomes?))).collect()
    }

    /// For each case its runs by seed, up to the first gap.
    fn by_case(&self, done: Vec<(u64, Vec<Outcome>)>) -> Vec<Vec<Outcome>> {
        let mut runs: Vec<Vec<Outcome>> = vec![Vec::new(); self.cases.len()];
        for (number, outcomes) in done {
            let case = (number % self.cases.len() as u64) as usize;
            for outcome in outcomes {
                // What comes after a gap cannot be compared.
                if outcome.seed == self.cases[case].2 + runs[case].len() as u64 {
                    runs[case].push(outcome);
                }
            }
        }
        runs
    }
}

/// How many runs are in the bytes that a shard kept, of however many pieces; none if these cannot be
/// reckoned with.
pub(crate) fn pieces_of(bytes: &[u8]) -> Option<u64> {
    let (pieces, _) = postcard::take_from_bytes::<usize>(bytes).ok()?;
    let found = unpacked::<Vec<Outcome>>(bytes, pieces)?;
    let runs = found.iter().flat_map(|(_, runs)| runs);
    let is_sound = runs.clone().all(|run| run.metrics.is_sound());
    is_sound.then(|| runs.count() as u64)
}
