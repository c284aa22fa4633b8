//! Sweeps: every combination of some values, each over the same seeds, with the figures of every
//! run.
//!
//! A choice is drawn by seed, name, object and ordinal, so that runs with the same seed differ only
//! where the value makes them differ: what a table shows is the value's doing, and not the draw's.
//! Runs are built inside their threads and leave nothing but their figures; these are collected in
//! the order of values and seeds.

use crate::analysis::{Metrics, metrics};
use crate::kernel::{Choices, Dur};
use crate::scenario::{self, Loaded, Overrides, Problem, Problems};
use crate::sim;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The most runs of a sweep.
pub const RUNS_MAX: u64 = 1_000_000;

/// A setting and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its path in the scenario, as for `--set`.
    pub path: String,
    /// The values to try, in their order; never empty.
    pub values: Vec<String>,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Sweep<'a> {
    /// The scenario.
    pub loaded: &'a Loaded,
    /// What is the same in every run; its seed is the first one.
    pub base: Overrides,
    /// What differs. Without any there is one case.
    pub axes: Vec<Axis>,
    /// The settings move together: the first values of all, the second values of all, and so on.
    /// Otherwise every combination is tried.
    pub zipped: bool,
    /// How many seeds each combination of values is run with: those from the first one on.
    pub seeds: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub window: Dur,
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// Its figures.
    pub metrics: Metrics,
}

/// A combination of values with its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// A value for each axis.
    pub values: Vec<String>,
    /// Its runs by seed.
    pub runs: Vec<Outcome>,
}

/// Why a sweep has no result.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The scenario cannot be built with one of the combinations.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The watcher asked for it.
    #[error("the sweep was stopped")]
    Asked,
}

impl Sweep<'_> {
    /// Every combination of values, the last axis changing fastest; or those that move together.
    pub fn combinations(&self) -> Vec<Vec<String>> {
        if let (true, Some(first)) = (self.zipped, self.axes.first()) {
            let row = |i: usize| {
                self.axes
                    .iter()
                    .filter_map(|a| a.values.get(i).cloned())
                    .collect()
            };
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
    pub fn size(&self) -> Option<u64> {
        if let (true, Some(first)) = (self.zipped, self.axes.first()) {
            return self.seeds.checked_mul(first.values.len() as u64);
        }
        self.axes.iter().try_fold(self.seeds, |n, axis| {
            n.checked_mul(axis.values.len() as u64)
        })
    }

    fn overrides(&self, values: &[String]) -> Overrides {
        let mut overrides = self.base.clone();
        overrides.sets.extend(
            self.axes
                .iter()
                .zip(values)
                .map(|(axis, value)| format!("{}={value}", axis.path)),
        );
        overrides
    }

    /// The seeds of a combination: its runs' order.
    fn seeds_of(&self, overrides: &Overrides) -> Result<Range<u64>, Problems> {
        let first = scenario::seed(self.loaded, overrides)?;
        let too_many = || {
            Problems::one(Problem::new(format!(
                "there are no {} seeds from {first} on",
                self.seeds
            )))
        };
        first
            .checked_add(self.seeds)
            .map(|end| first..end)
            .ok_or_else(too_many)
    }

    /// Makes sure that every combination can be built, on so many threads, which will do the runs,
    /// too.
    ///
    /// # Errors
    /// Every problem that any of the combinations has, once; or the threads cannot be started.
    pub fn prepare(&self, jobs: usize) -> Result<Prepared<'_>, Stopped> {
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
            )
            .into());
        }
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
        let mut said = BTreeSet::new();
        let mut problems = Vec::new();
        for found in checked.iter().filter_map(|c| c.as_ref().err()) {
            problems.extend(
                found
                    .0
                    .iter()
                    .filter(|p| said.insert(p.to_string()))
                    .cloned(),
            );
        }
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
        Ok(Prepared {
            sweep: self,
            threads,
            cases,
            notes,
        })
    }
}

/// A sweep whose combinations can all be built.
#[derive(Debug)]
pub struct Prepared<'a> {
    sweep: &'a Sweep<'a>,
    threads: rayon::ThreadPool,
    cases: Vec<(Overrides, Range<u64>)>,
    notes: Vec<String>,
}

impl Prepared<'_> {
    /// What the scenario's settings mean for pods that exist, in any of the combinations, each
    /// sentence once.
    pub fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Runs everything. `watch` is told when a run is done, and asked now and then whether to go
    /// on.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn run(&self, watch: &(dyn Fn(Event) -> bool + Sync)) -> Result<Vec<Case>, Stopped> {
        let seeds = self.sweep.seeds;
        match run_all(std::slice::from_ref(self), watch)? {
            Ran { cases, seeds: ran } if ran == seeds => Ok(cases.concat()),
            _ => Err(Stopped::Asked),
        }
    }
}

/// How far sweeps over the same number of seeds have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The cases of each sweep.
    pub cases: Vec<Vec<Case>>,
    /// With how many seeds every case of every sweep has been run, from the first one on: all,
    /// unless the watcher had it stopped.
    pub seeds: u64,
}

/// A plan serves up to so many seeds. All cases are run with these before any is run with the next
/// ones, so that a sweep that is stopped has something to compare.
const PIECE: u64 = 16;

/// Runs several sweeps over the same number of seeds, on the threads of the first. `watch` is told
/// when a run is done, and asked now and then whether to go on.
///
/// # Errors
/// [`Stopped`], but for a watcher that asks for it.
pub fn run_all(
    prepared: &[Prepared<'_>],
    watch: &(dyn Fn(Event) -> bool + Sync),
) -> Result<Ran, Stopped> {
    let Some(first) = prepared.first() else {
        return Ok(Ran {
            cases: Vec::new(),
            seeds: 0,
        });
    };
    let seeds = first.sweep.seeds;
    let cases: Vec<(&Prepared<'_>, &Overrides, u64)> = prepared
        .iter()
        .flat_map(|p| {
            p.cases
                .iter()
                .map(move |(overrides, seeds)| (p, overrides, seeds.start))
        })
        .collect();
    // Not so many that threads wait for the last piece of work.
    let step = (cases.len() as u64 * seeds / (first.threads.current_num_threads() as u64 * 8))
        .clamp(1, PIECE);
    let rounds = seeds.div_ceil(step);
    let stop = AtomicBool::new(false);
    let goes_on = |event| !stop.load(Relaxed) && watch(event);
    let piece = |round: u64, (of, overrides, begin): &(&Prepared<'_>, &Overrides, u64)| {
        let plan = scenario::build(of.sweep.loaded, overrides)?;
        let mut outcomes = Vec::new();
        for seed in begin + round * step..begin + ((round + 1) * step).min(seeds) {
            let (trace, finished) = sim::run_watched(&plan, Choices::seeded(seed), &mut |_| {
                goes_on(Event::Running)
            });
            if !finished {
                stop.store(true, Relaxed);
                break;
            }
            outcomes.push(Outcome {
                seed,
                metrics: metrics(&plan, &trace, of.sweep.window),
            });
            if !goes_on(Event::Done) {
                stop.store(true, Relaxed);
                break;
            }
        }
        Ok(outcomes)
    };
    // Each thread takes the next piece, whichever it is; sorted afterwards, the order of threads is
    // not to be seen.
    let next = AtomicU64::new(0);
    let work = |_: rayon::BroadcastContext<'_>| {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let (round, case) = (
                number / cases.len() as u64,
                (number % cases.len() as u64) as usize,
            );
            if round >= rounds || stop.load(Relaxed) {
                return done;
            }
            done.push((number, case, piece(round, &cases[case])));
        }
    };
    let mut done: Vec<(u64, usize, Result<Vec<Outcome>, Problems>)> = first
        .threads
        .broadcast(work)
        .into_iter()
        .flatten()
        .collect();
    done.sort_by_key(|(number, ..)| *number);
    let mut runs: Vec<Vec<Outcome>> = vec![Vec::new(); cases.len()];
    for (_, case, outcomes) in done {
        for outcome in outcomes? {
            // What comes after a gap cannot be compared.
            if outcome.seed == cases[case].2 + runs[case].len() as u64 {
                runs[case].push(outcome);
            }
        }
    }
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
    Ok(Ran {
        cases: prepared.iter().map(cases_of).collect(),
        seeds: ran as u64,
    })
}

/// What a sweep tells its watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A run goes on.
    Running,
    /// A run is done.
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Two nodes lose their network after a minute for two minutes, each with a pod that waits one
    /// minute.
    const SCENARIO: &str = r#"(
        version: 1,
        horizon: "10m",
        nodes: [(names: "a-{0..4}", zone: "a"), (names: "b-{0..1}", zone: "b")],
        pods: [(name: "w", on: Each(Zone("b")), tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60),
        ])],
        timeline: [(at: "1m", name: "cut", do: Partition(nodes: Zone("b"), duration: "2m"))],
    )"#;

    fn loaded() -> Loaded {
        scenario::parse("s.ron", SCENARIO.as_bytes().to_vec(), Path::new(""))
            .expect("the scenario is right")
    }

    fn axis(path: &str, values: &[&str]) -> Axis {
        Axis {
            path: path.to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        }
    }

    fn sweep(loaded: &Loaded, axes: Vec<Axis>, seeds: u64) -> Sweep<'_> {
        Sweep {
            loaded,
            base: Overrides::default(),
            axes,
            zipped: false,
            seeds,
            window: Dur::from_secs(300),
        }
    }

    const TOLERATION: &str = "pods.w.tolerations[unreachable].tolerationSeconds";

    #[test]
    fn every_combination_in_order() {
        let loaded = loaded();
        let sweep = sweep(
            &loaded,
            vec![
                axis(TOLERATION, &["0", "60"]),
                axis("timeline.cut.duration", &["1m", "2m", "3m"]),
            ],
            3,
        );
        let shown: Vec<String> = sweep.combinations().iter().map(|c| c.join(" ")).collect();
        assert_eq!(shown, ["0 1m", "0 2m", "0 3m", "60 1m", "60 2m", "60 3m"]);
        assert_eq!(sweep.size(), Some(18));
    }

    #[test]
    fn settings_may_move_together() {
        let loaded = loaded();
        let axes = |second: &[&str]| {
            vec![
                axis(TOLERATION, &["0", "60"]),
                axis("timeline.cut.duration", second),
            ]
        };
        let together = |second: &[&str]| Sweep {
            zipped: true,
            ..sweep(&loaded, axes(second), 3)
        };
        let shown: Vec<String> = together(&["1m", "2m"])
            .combinations()
            .iter()
            .map(|c| c.join(" "))
            .collect();
        assert_eq!(
            (shown, together(&["1m", "2m"]).size()),
            (vec!["0 1m".to_owned(), "60 2m".to_owned()], Some(6))
        );
        let stopped = together(&["1m", "2m", "3m"])
            .prepare(1)
            .map(drop)
            .expect_err("two and three do not go together");
        assert!(
            stopped.to_string().contains("has 2 values") && stopped.to_string().contains("has 3"),
            "{stopped}"
        );
    }

    #[test]
    fn a_longer_toleration_evicts_fewer() {
        let loaded = loaded();
        // Silent from 60 s to 180 s. Unknown and tainted 40 to 50 s after the last heartbeat (grace
        // 50 s, seen every 5 s), that is, by 120 s at the latest: tolerating nothing, both pods are
        // evicted; tolerating 300 s, none is.
        let cases = sweep(&loaded, vec![axis(TOLERATION, &["0", "300"])], 4)
            .prepare(2)
            .and_then(|p| p.run(&|_| true))
            .expect("it runs");
        let evicted: Vec<Vec<u64>> = cases
            .iter()
            .map(|c| c.runs.iter().map(|r| r.metrics.evicted).collect())
            .collect();
        assert_eq!(evicted, [[2, 2, 2, 2], [0, 0, 0, 0]]);
        // The nodes are back two minutes after they were lost, within the five of the window.
        assert!(cases[0].runs.iter().all(|r| r.metrics.needless == 2));
        // The same draws for every value: what comes before the first eviction is the same.
        for (a, b) in cases[0].runs.iter().zip(&cases[1].runs) {
            assert_eq!(
                (a.seed, a.metrics.detection, a.metrics.tainting),
                (b.seed, b.metrics.detection, b.metrics.tainting)
            );
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let loaded = loaded();
        let sweep = sweep(&loaded, vec![axis(TOLERATION, &["0", "30", "60"])], 7);
        let one = sweep
            .prepare(1)
            .and_then(|p| p.run(&|_| true))
            .expect("it runs");
        assert_eq!(
            one,
            sweep
                .prepare(5)
                .and_then(|p| p.run(&|_| true))
                .expect("it runs")
        );
        let seeds: Vec<u64> = one[2].runs.iter().map(|r| r.seed).collect();
        assert_eq!(seeds, [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_wrong_path_is_said_once() {
        let loaded = loaded();
        let sweep = sweep(&loaded, vec![axis("pods.v.count", &["1", "2", "3"])], 7);
        let stopped = sweep
            .prepare(2)
            .map(drop)
            .expect_err("there is no such group");
        assert!(
            matches!(&stopped, Stopped::Problems(p) if p.0.len() == 1),
            "{stopped}"
        );
    }

    #[test]
    fn it_stops_when_asked() {
        let loaded = loaded();
        let sweep = sweep(&loaded, vec![axis(TOLERATION, &["0", "30"])], 50);
        let runs = AtomicU64::new(0);
        let watch = |event| event != Event::Done || runs.fetch_add(1, Relaxed) < 3;
        assert!(matches!(
            sweep.prepare(2).and_then(|p| p.run(&watch)),
            Err(Stopped::Asked)
        ));
        assert!(runs.load(Relaxed) < 10, "{runs:?}");
    }

    #[test]
    fn what_was_run_before_it_was_stopped_can_be_compared() {
        let loaded = loaded();
        let sweep = sweep(&loaded, vec![axis(TOLERATION, &["0", "30", "300"])], 5000);
        let (prepared, runs) = (sweep.prepare(2).expect("it is right"), AtomicU64::new(0));
        let watch = |event| event != Event::Done || runs.fetch_add(1, Relaxed) < 300;
        let ran = run_all(std::slice::from_ref(&prepared), &watch).expect("it runs");
        // 302 runs at most are done. A round is three cases with sixteen seeds, 48 runs: six rounds
        // are behind, the seventh may be begun.
        assert!((16..=112).contains(&ran.seeds), "{}", ran.seeds);
        for case in &ran.cases[0] {
            assert_eq!(
                case.runs.iter().map(|r| r.seed).collect::<Vec<_>>(),
                (1..=ran.seeds).collect::<Vec<_>>()
            );
        }
        // They are what a sweep over so few seeds has.
        let few = Sweep {
            seeds: ran.seeds,
            ..sweep.clone()
        };
        assert_eq!(
            few.prepare(1)
                .and_then(|p| p.run(&|_| true))
                .expect("it runs"),
            ran.cases[0]
        );
    }

    #[test]
    fn too_many_runs_are_refused() {
        let loaded = loaded();
        let mut many = sweep(&loaded, vec![], u64::MAX);
        assert!(matches!(many.prepare(1), Err(Stopped::Problems(_))));
        many.seeds = 2;
        many.base.seed = Some(u64::MAX);
        assert!(matches!(many.prepare(1), Err(Stopped::Problems(_))));
    }
}
