//! Sweeps: every combination of some values, each over the same seeds, with the figures of every
//! run.
//!
//! A choice is drawn by seed, name, object and ordinal, so that runs with the same seed differ only
//! where the value makes them differ: what a table shows is the effect of the value, and not of the
//! draw. Runs are built inside their threads and leave nothing but their figures; these are
//! collected in the order of values and seeds.

#[cfg(test)]
mod tests;

use super::prelude::*;
use crate::analysis::Metrics;
use crate::analysis::summary::summary;
use crate::lab::endless::unless_endless;
use crate::lab::explore::digest;
use crate::lab::shards::unpacked;

/// The most runs of a sweep.
pub(crate) const RUNS_MAX: u64 = 1_000_000;

/// A setting and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// What it is, record by record, as a number.
    digest: u64,
    /// The nodes that ran out of memory.
    pub(crate) used_up: BTreeSet<String>,
}

/// The nodes on which a kubelet found no memory left: the kernel would have killed before.
pub(super) fn used_up(analysis: &Analysis<'_>) -> BTreeSet<String> {
    let noted =
        analysis.trace.iter().filter(|r| matches!(r.what, What::Noted(Note::MemoryUsedUp, _)));
    noted.filter_map(|r| Some(analysis.node_name(r.node()?).to_owned())).collect()
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
            let with = |head: &Vec<String>, value| head.iter().chain([value]).cloned().collect();
            let all = |head| axis.values.iter().map(move |value| with(head, value));
            before.iter().flat_map(all).collect()
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
        overrides.at_once = overrides.sets.len();
        overrides
    }

    /// Makes sure that settings that move together have as many values each.
    fn even(&self) -> Result<(), Problems> {
        if let (true, [first, others @ ..]) = (self.zipped, self.axes.as_slice())
            && let Some(other) = others.iter().find(|a| a.values.len() != first.values.len())
        {
            let (a, b) = (counted(first.values.len(), "value"), other.values.len());
            let problem =
                Problem::new(format!("`{}` has {a} and `{}` has {b}", first.path, other.path));
            return Err(Problems::one(
                problem.help("settings that move together have as many values each"),
            ));
        }
        Ok(())
    }

    /// Makes sure that no row comes twice, and that all have the same seeds.
    ///
    /// # Errors
    /// The first that is.
    pub(crate) fn distinct(&self) -> Result<(), Problems> {
        let of_seeds = |axis: &&Axis| matches!(axis.path.as_str(), "seed" | "seeds");
        if let Some(axis) = self.axes.iter().find(of_seeds) {
            let problem = Problem::new(format!("`{}` is the same in every row", axis.path));
            return Err(Problems::one(
                problem.help("`--seeds 20` runs twenty, from that of `--seed` on"),
            ));
        }
        for axis in self.axes.iter().filter(|_| !self.zipped) {
            let mut seen = BTreeSet::new();
            if let Some(twice) = axis.values.iter().find(|value| !seen.insert(*value)) {
                let problem = Problem::new(format!("`{}` has the value {twice} twice", axis.path));
                return Err(Problems::one(problem.help("each value is tried once: leave one out")));
            }
        }
        Ok(())
    }

    /// Makes sure that every combination can be built, on `jobs` threads, which will do the runs,
    /// too.
    ///
    /// # Errors
    /// Every problem that any of the combinations has, once; or the threads cannot be started.
    pub(crate) fn prepare(&self, jobs: usize) -> Result<Prepared<'_>> {
        self.even()?;
        self.distinct()?;
        let size = self.size().filter(|&n| n <= RUNS_MAX);
        size.ok_or_else(|| {
            Problems::one(Problem::new(format!("a sweep has at most {RUNS_MAX} runs")))
        })?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let check = |(i, values): (usize, &Vec<String>)| {
            let overrides = self.overrides(values);
            let plan = scenario::build(self.loaded, &overrides)?;
            let seeds = seeds_from(scenario::seed(self.loaded, &overrides)?, self.seeds)?;
            let first = (i == 0).then(|| FirstRow::of(&plan));
            Ok((overrides, seeds, plan.notes, first))
        };
        let checked: Vec<Result<_, Problems>> =
            threads.install(|| self.combinations().par_iter().enumerate().map(check).collect());
        let mut seen = BTreeSet::new();
        let all = checked.iter().filter_map(|c| c.as_ref().err()).flat_map(|found| &found.0);
        let problems: Vec<Problem> = all.filter(|p| seen.insert(p.to_string())).cloned().collect();
        if !problems.is_empty() {
            return Err(Problems(problems).into());
        }
        // Each note with its place among all, and its rows.
        let mut said: BTreeMap<String, (usize, Vec<usize>)> = BTreeMap::new();
        let (mut cases, mut first) = (Vec::with_capacity(checked.len()), None);
        for (overrides, seeds, notes, row) in checked.into_iter().collect::<Result<Vec<_>, _>>()? {
            for note in notes {
                let place = said.len();
                said.entry(note).or_insert((place, Vec::new())).1.push(cases.len());
            }
            cases.push((overrides, seeds));
            first = first.or(row);
        }
        let mut said = Vec::from_iter(said);
        said.sort_by_key(|(_, (place, _))| *place);
        let rows = self.combinations();
        let with = |(note, (_, of)): (String, (usize, Vec<usize>))| match of.len() == rows.len() {
            true => note,
            false => format!("With {}: {note}", few(6, of.iter().map(|i| rows[*i].join(" / ")))),
        };
        let notes = said.into_iter().map(with).collect();
        let first =
            first.ok_or_else(|| Problems::one(Problem::new("a sweep has a row at least")))?;
        Ok(Prepared { sweep: self, threads, cases, first, notes })
    }
}

/// What the plan of a sweep's first row says of all of them.
pub(crate) struct FirstRow {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) release: String,
    /// Recordings of the release were compared.
    pub(crate) recorded: bool,
    /// The name of the timing.
    pub(crate) timing: String,
    pub(crate) horizon: Time,
    /// The workloads that no other owns.
    pub(crate) workloads: Vec<String>,
}

impl FirstRow {
    fn of(plan: &Plan) -> Self {
        let workloads = plan.workloads.iter().filter(|w| w.owner.is_none());
        Self {
            name: plan.name.clone(),
            doc: plan.doc.clone(),
            release: plan.profile.released().to_owned(),
            recorded: plan.profile.recorded,
            timing: plan.timing.name.clone(),
            horizon: plan.horizon,
            workloads: workloads.map(|w| w.name.clone()).collect(),
        }
    }
}

/// A sweep whose combinations can all be built.
pub(crate) struct Prepared<'a> {
    pub(crate) sweep: &'a Sweep<'a>,
    pub(crate) threads: rayon::ThreadPool,
    pub(crate) cases: Vec<(Overrides, Range<u64>)>,
    /// What the plan of the first of them says.
    pub(crate) first: FirstRow,
    /// What the scenario's settings mean for pods that exist, each sentence once, with its rows where
    /// it is not of all.
    pub(crate) notes: Vec<String>,
}

impl Prepared<'_> {
    /// A problem of one of its runs, with its row.
    fn problem(&self, problem: Problem, row: &Overrides, seed: u64) -> Problems {
        let Sweep { loaded, base, .. } = self.sweep;
        let sets = row.sets.get(base.sets.len()..).unwrap_or_default();
        let with =
            if sets.is_empty() { String::new() } else { format!(" with {}", sets.join(", ")) };
        Problems::one(problem.about(&format!("{}{with}, seed {seed}", loaded.source.name)))
    }
}

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

/// Runs several sweeps over the same number of seeds, on the threads of the first, all in one round
/// of the desk. `watch` is called when a run is done, and asked now and then whether to go on.
///
/// # Errors
/// [`Stopped`], except where the watcher asks for it.
pub(crate) fn run_all(prepared: &[Prepared<'_>], watch: Watch<'_>, desk: Desk<'_>) -> Result<Ran> {
    let Some(first) = prepared.first() else { return Ok(Ran { cases: Vec::new(), seeds: 0 }) };
    // Few enough runs in a piece that nobody waits long for the last one.
    let workers = match desk {
        Desk::Here => first.threads.current_num_threads() as u64,
        Desk::Shared(_) => u64::from(desk.shards()),
    };
    let seeds = first.sweep.seeds;
    let cases = prepared.iter().flat_map(|p| p.cases.iter().map(move |(o, s)| (p, o, s.start)));
    let cases: Vec<_> = cases.collect();
    let step = (cases.len() as u64 * seeds / (workers * 8)).clamp(1, PIECE);
    // Those of the first seeds come first.
    let pieces = seeds.div_ceil(step) * cases.len() as u64;
    let work = Work { cases, seeds, step, watched: Watched::new(watch) };
    let is_sound = |all: &Vec<Outcome>| all.iter().all(|o| o.metrics.is_sound());
    let done = desk.round(pieces, is_sound, |mine| Ok(work.run(mine, &first.threads)?))?;
    let mut runs = work.by_case(done);
    let ran = runs.iter().map(Vec::len).min().unwrap_or(0);
    runs.iter_mut().for_each(|r| r.truncate(ran));
    let mut runs = runs.into_iter();
    let cases_of = |p: &Prepared<'_>| {
        let rows = p.sweep.combinations().into_iter().zip(runs.by_ref());
        let mut cases: Vec<Case> = rows.map(|(values, runs)| Case { values, runs }).collect();
        leave_out(&mut cases);
        cases
    };
    Ok(Ran { cases: prepared.iter().map(cases_of).collect(), seeds: ran as u64 })
}

/// The workloads that are below their need all along in every run of some rows.
pub(crate) fn below_all_along(cases: &[Case]) -> BTreeSet<String> {
    let mut runs = cases.iter().flat_map(|c| &c.runs).map(|r| &r.metrics.all_along.workloads);
    let first = runs.next().cloned().unwrap_or_default();
    runs.fold(first, |all, run| all.intersection(run).cloned().collect())
}

impl Outcome {
    /// Whether another run has the same figures, whatever happens in it.
    pub(crate) fn has_figures_of(&self, other: &Self) -> bool {
        (&self.metrics, &self.used_up) == (&other.metrics, &other.used_up)
    }
}

/// The settings that change nothing: with each of their values every run is alike, whatever the others are.
pub(crate) fn idle<'a>(
    axes: &'a [Axis],
    zipped: bool,
    cases: &[Case],
    alike: fn(&Outcome, &Outcome) -> bool,
) -> Vec<&'a str> {
    let same = |a: &Case, b: &Case| {
        !a.runs.is_empty() && a.runs.iter().zip(&b.runs).all(|(a, b)| alike(a, b))
    };
    if zipped {
        let all = cases.windows(2).all(|two| same(&two[0], &two[1])) && cases.len() > 1;
        return axes.iter().filter(|_| all).map(|axis| axis.path.as_str()).collect();
    }
    let is_idle = |(i, _): &(usize, &Axis)| {
        // Of the rows that differ in this setting alone, the first.
        let mut first: BTreeMap<Vec<&String>, &Case> = BTreeMap::new();
        cases.iter().all(|case| {
            let others = case.values.iter().enumerate().filter(|(at, _)| at != i);
            same(first.entry(others.map(|(_, v)| v).collect()).or_insert(case), case)
        })
    };
    axes.iter().enumerate().filter(is_idle).map(|(_, axis)| axis.path.as_str()).collect()
}

/// Leaves these out of how long one of all workloads was below its need, as beside them nobody would see in
/// which rows others are.
fn leave_out(cases: &mut [Case]) {
    let common = below_all_along(cases);
    for run in cases.iter_mut().flat_map(|c| &mut c.runs) {
        let Metrics { all_along, costs, .. } = &mut run.metrics;
        all_along.leave_out(&common, costs);
    }
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

impl Work<'_> {
    /// Runs the case of a piece with its seeds.
    fn piece(&self, round: u64, case: usize) -> Result<Vec<Outcome>, Problems> {
        let (of, overrides, begin) = self.cases[case];
        let mut drawn = scenario::drawn(of.sweep.loaded, overrides)?;
        let mut outcomes = Vec::new();
        let end = begin + ((round + 1) * self.step).min(self.seeds);
        for seed in begin + round * self.step..end {
            let plan = drawn.of(seed);
            let running = || self.watched.goes_on(Event::Running);
            let ran = unless_endless(|| seeded(plan, seed, &running));
            let Some(trace) = ran.map_err(|given_up| of.problem(given_up, overrides, seed))? else {
                break;
            };
            let analysis = Analysis::new(plan, &trace);
            let metrics = summary(&analysis, of.sweep.window).metrics;
            let (digest, used_up) = (digest(&trace), used_up(&analysis));
            outcomes.push(Outcome { seed, metrics, digest, used_up });
            if !self.watched.goes_on(Event::Done) {
                break;
            }
        }
        Ok(outcomes)
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
