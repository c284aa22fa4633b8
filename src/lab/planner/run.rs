//! Replications on several threads, until enough is known.

use super::count::{self, Counting, Figures, Ran};
use super::moments::{Moments, student};
use super::select::Selection;
use super::spec::{Bound, FIGURES, Objective, weights};
use crate::lab::shards::Desk;
use crate::lab::stopped::Stopped;
use crate::lab::sweep::{Event, Sweep};
use crate::language::{Problem, Problems};
use crate::scenario::{self, Drawn, Model, Overrides};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The first stage, from which variances are judged, and how many replications are run between two
/// looks at what is known: of single outages, and of years, which take longer and vary less.
const STAGES: [(u64, u64); 2] = [(24, 16), (8, 4)];
/// No more replications than these.
const MOST: u64 = 20_000;

/// What to choose from, and how sure to be.
#[derive(Clone, Debug)]
pub(crate) struct Planner<'a> {
    /// The values, as for a sweep.
    pub sweep: Sweep<'a>,
    /// The row that is what is set now; where none of the values is, it stands before them as a row
    /// of its own.
    pub now: Option<usize>,
    /// What counts.
    pub objective: Objective,
    /// What must hold.
    pub within: Vec<Bound>,
    /// How far a cost may be off, as a part of it.
    pub precision: f64,
    /// How sure to be.
    pub confidence: f64,
    /// How costs are counted, and why so.
    pub counting: (Counting, String),
}

/// What is kept of all runs. It answers for any prices.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(crate) struct Kept {
    /// The form of this.
    pub version: u32,
    /// The scenario's name.
    pub scenario: String,
    /// The settings that are chosen.
    pub paths: Vec<String>,
    /// The values of each row; the row of what is set now may be one of them.
    pub rows: Vec<Vec<String>>,
    /// The row that is what is set now.
    pub now: usize,
    /// How costs were counted, and why so.
    pub counting: (Counting, String),
    /// The names of the models, with how often a year each comes.
    pub models: Vec<(String, f64)>,
    /// Of the figures of a year: row by row, figure by figure.
    pub moments: Moments,
    /// By model, one outage at a time: short ones, and others. How many there were, and the sums of
    /// the figures, row by row.
    pub parts: Vec<[(u64, Vec<f64>); 2]>,
    /// In whole years: what each of the first ones came to, row by row and figure by figure.
    pub years: Vec<Vec<f64>>,
    /// The closed form's cost of each row, where there is one, in replica-minutes a year for an
    /// eviction that costs nothing, and the evictions.
    pub closed: Option<Vec<(f64, f64)>>,
    /// Whether one value was left when the runs ended.
    pub settled: Option<usize>,
    /// How far from the best a value may be that was taken for it.
    pub delta: f64,
    /// Names of nodes, pods: how large it is.
    pub size: (usize, usize),
}

/// The value of a row that changes nothing.
pub(crate) const AS_IT_IS: &str = "as it is";
/// Years that are kept one by one.
const YEARS_KEPT: usize = 2_000;

/// A replication: figures of a year by row, and by model and row.
#[derive(Deserialize, Serialize)]
struct Replication {
    year: Vec<f64>,
    parts: Vec<(bool, Vec<f64>)>,
}

/// What replications are run with.
struct Work<'a> {
    quiet: &'a [Option<Figures>],
    seed: u64,
    threads: &'a rayon::ThreadPool,
    /// Is told what is done, and says whether to go on.
    goes_on: &'a (dyn Fn(Event) -> bool + Sync),
}

/// How many replications several machines run in a round that begins at one, and must have at least
/// so many: as many as are expected to be needed, as many as there were before, and one for each
/// machine.
fn of_round(begin: u64, least: u64, expected: u64, desk: Desk<'_>) -> u64 {
    let expected = expected.saturating_sub(begin);
    let wanted = expected.max(begin).max(u64::from(desk.shards()));
    wanted.min(MOST.saturating_sub(begin)).max(least)
}

impl Planner<'_> {
    /// The values of each row.
    fn rows(&self) -> Vec<Vec<String>> {
        let as_it_is = || vec![AS_IT_IS.to_owned(); self.sweep.axes.len()];
        let first = self.now.is_none().then(as_it_is);
        first.into_iter().chain(self.sweep.combinations()).collect()
    }

    /// What is changed in a row.
    fn overrides(&self, values: &[String]) -> Overrides {
        if values.iter().all(|v| v == AS_IT_IS) {
            return self.sweep.base.clone();
        }
        self.sweep.overrides(values)
    }

    /// Looks which of the values is set now: the one that changes nothing.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub(crate) fn look_for_now(&mut self) -> Result<(), Problems> {
        let said = |overrides: &Overrides| -> Result<String, Problems> {
            let plan = scenario::drawn(self.sweep.loaded, overrides)?.plan;
            Ok(format!(
                "{:?}",
                (
                    (
                        &plan.templates,
                        &plan.pods,
                        &plan.workloads,
                        &plan.budgets,
                        &plan.nodes
                    ),
                    (
                        &plan.flags,
                        &plan.timing,
                        &plan.admission,
                        &plan.scheduler,
                        &plan.controllers
                    ),
                )
            ))
        };
        let now = said(&self.sweep.base)?;
        let mut found = None;
        for (i, values) in self.sweep.combinations().iter().enumerate() {
            if said(&self.sweep.overrides(values))? == now && found.is_none() {
                found = Some(i);
            }
        }
        self.now = found;
        Ok(())
    }

    /// How many replications the first stage has, and each further one.
    fn stages(&self) -> (u64, u64) {
        match self.counting.0 {
            Counting::Outages => STAGES[0],
            Counting::Years => STAGES[1],
        }
    }

    /// One replication with every row; none if it was stopped.
    fn replication(
        &self,
        drawn: &mut [Drawn],
        quiet: &[Option<Figures>],
        seed: u64,
        number: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Replication> {
        let window = self.sweep.window;
        let width = drawn.len() * FIGURES.len();
        let mut all = Replication {
            year: vec![0.0; width],
            parts: Vec::new(),
        };
        if self.counting.0 == Counting::Years {
            for (row, drawn) in drawn.iter_mut().enumerate() {
                let Ran { figures, .. } =
                    count::year(drawn, seed.wrapping_add(number), window, goes_on)?;
                all.year[row * FIGURES.len()..][..FIGURES.len()].copy_from_slice(&figures);
            }
            return Some(all);
        }
        let models: Vec<f64> = drawn[0].models.list.iter().map(Model::per_year).collect();
        for (model, rate) in models.into_iter().enumerate() {
            let (mut is_short, mut figures) = (false, vec![0.0; width]);
            for (row, drawn) in drawn.iter_mut().enumerate() {
                let key = (model, seed, number as u32);
                let ran = count::one(drawn, key, quiet[row], window, goes_on)?;
                is_short = ran.is_short;
                figures[row * FIGURES.len()..][..FIGURES.len()].copy_from_slice(&ran.figures);
            }
            for (sum, f) in all.year.iter_mut().zip(&figures) {
                *sum += rate * f;
            }
            all.parts.push((is_short, figures));
        }
        Some(all)
    }

    /// A plan for each row.
    fn drawn(&self) -> Result<Vec<Drawn>, Problems> {
        let of = |values: &Vec<String>| scenario::drawn(self.sweep.loaded, &self.overrides(values));
        self.rows().iter().map(of).collect()
    }

    /// Runs replications on `jobs` threads until the best value is known as well as asked for, or
    /// `watch` says that it is enough: it is told how many were run and how many it may take, and
    /// asked now and then whether to go on.
    ///
    /// Several machines do more at a time than one, so that there are few rounds. What is known is
    /// looked at after as many replications as on one machine, and what was run beyond the last of
    /// them counts for nothing.
    ///
    /// # Errors
    /// [`Stopped`]; nothing is known before the first replications are over.
    pub(crate) fn run(
        &self,
        jobs: usize,
        watch: &(dyn Fn(Event, u64, u64) -> bool + Sync),
        desk: Desk<'_>,
    ) -> Result<Kept, Stopped> {
        let (first, step) = self.stages();
        let mut drawn = self.drawn()?;
        let seed = scenario::seed(self.sweep.loaded, &self.sweep.base)?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let stop = AtomicBool::new(false);
        let (done, expected) = (AtomicU64::new(0), AtomicU64::new(first));
        let goes_on = |event| {
            done.fetch_add(u64::from(event == Event::Done), Relaxed);
            let on =
                !stop.load(Relaxed) && watch(event, done.load(Relaxed), expected.load(Relaxed));
            stop.fetch_or(!on, Relaxed);
            on
        };
        let mut quiet = Vec::new();
        for d in &mut drawn {
            let one = count::quiet(d, seed, self.sweep.window, &|| goes_on(Event::Running));
            quiet.push(one.ok_or(Stopped::Asked)?);
        }
        let work = Work {
            quiet: &quiet,
            seed,
            threads: &threads,
            goes_on: &goes_on,
        };
        let mut kept = self.kept(&drawn);
        let mut selection: Option<Selection> = None;
        // What was run, and not yet looked at.
        let mut ahead: VecDeque<Replication> = VecDeque::new();
        while kept.moments.n() < MOST && !stop.load(Relaxed) {
            let from = kept.moments.n();
            let wanted = if from == 0 { first } else { step };
            if (ahead.len() as u64) < wanted {
                let (begin, least) = (from + ahead.len() as u64, wanted - ahead.len() as u64);
                let pieces = match desk {
                    Desk::Here => least,
                    Desk::Shared(_) => of_round(begin, least, expected.load(Relaxed), desk),
                };
                let all = desk.round(pieces, |mine| self.replications(&work, begin, mine))?;
                // What comes behind a gap would make the result depend on the threads.
                let whole = all
                    .into_iter()
                    .zip(0..)
                    .take_while(|((number, _), i)| number == i);
                ahead.extend(whole.map(|((_, one), _)| one));
            }
            let some = (ahead.len() as u64).min(wanted) as usize;
            ahead.drain(..some).for_each(|one| kept.add(one));
            if kept.moments.n() < first {
                continue;
            }
            let selection = selection.get_or_insert_with(|| self.selection(&mut kept));
            let (means, needed) = (self.means(&kept), self.needed(&kept));
            selection.look(kept.moments.n(), |i, l| self.difference(&kept, i, l));
            selection.screen(kept.moments.n(), &means);
            kept.settled = selection.is_done().then(|| selection.left[0]);
            expected.store(needed.max(kept.moments.n() + step), Relaxed);
            if selection.is_done() && kept.moments.n() >= needed {
                break;
            }
        }
        if kept.moments.n() < 2 {
            return Err(Stopped::Asked);
        }
        Ok(kept)
    }

    /// Some of the replications from `begin` on, by their numbers from there.
    fn replications(
        &self,
        work: &Work<'_>,
        begin: u64,
        numbers: &[u64],
    ) -> Result<Vec<(u64, Replication)>, Stopped> {
        let next = AtomicUsize::new(0);
        let some = |_: rayon::BroadcastContext<'_>| -> Result<Vec<(u64, Replication)>, Problems> {
            // Plans are not shared between threads.
            let mut drawn = self.drawn()?;
            let mut all = Vec::new();
            let running = || (work.goes_on)(Event::Running);
            while let Some(&number) = numbers.get(next.fetch_add(1, Relaxed)) {
                let one =
                    self.replication(&mut drawn, work.quiet, work.seed, begin + number, &running);
                let Some(one) = one else { break };
                all.push((number, one));
                if !(work.goes_on)(Event::Done) {
                    break;
                }
            }
            Ok(all)
        };
        let mut all: Vec<(u64, Replication)> = Vec::new();
        for part in work.threads.broadcast(some) {
            all.extend(part?);
        }
        all.sort_by_key(|(number, _)| *number);
        Ok(all)
    }

    fn kept(&self, drawn: &[Drawn]) -> Kept {
        let plan = &drawn[0].plan;
        let models = &drawn[0].models.list;
        let width = drawn.len() * FIGURES.len();
        let parts = match self.counting.0 {
            Counting::Outages => models.len(),
            Counting::Years => 0,
        };
        let there = |p: &&crate::plan::PodPlan| p.start != crate::plan::PodStart::Absent;
        Kept {
            version: 1,
            scenario: self.sweep.loaded.name.clone(),
            paths: self.sweep.axes.iter().map(|a| a.path.clone()).collect(),
            rows: self.rows(),
            now: self.now.unwrap_or(0),
            counting: self.counting.clone(),
            models: models
                .iter()
                .map(|m| (m.name.clone(), m.per_year()))
                .collect(),
            moments: Moments::default(),
            parts: vec![std::array::from_fn(|_| (0, vec![0.0; width])); parts],
            years: Vec::new(),
            closed: super::closed::closed(&self.sweep, drawn),
            settled: None,
            delta: 0.0,
            size: (plan.nodes.len(), plan.pods.iter().filter(there).count()),
        }
    }

    /// The mean cost of each row; of rows that break a limit, more than of any other.
    fn means(&self, kept: &Kept) -> Vec<f64> {
        let rows = kept.rows.len();
        (0..rows)
            .map(|row| {
                let figures = &kept.moments.mean()[row * FIGURES.len()..][..FIGURES.len()];
                let breaks = self.within.iter().any(|b| figures[b.figure] > b.most);
                if breaks {
                    f64::MAX
                } else {
                    self.objective.of(figures)
                }
            })
            .collect()
    }

    /// How many replications it takes until the best row's cost is known as precisely as asked for.
    fn needed(&self, kept: &Kept) -> u64 {
        let means = self.means(kept);
        let best = (0..means.len())
            .min_by(|a, b| means[*a].total_cmp(&means[*b]))
            .unwrap_or(0);
        let (mean, variance) = kept.moments.of(&weights(&self.objective, best, 1.0));
        let half = mean.abs() * self.precision;
        if half <= 0.0 {
            return self.stages().0;
        }
        let t = student(self.confidence, kept.moments.n());
        ((t * t * variance / (half * half)).ceil() as u64).clamp(self.stages().0, MOST)
    }

    /// The mean and the variance of what one row costs more than another.
    fn difference(&self, kept: &Kept, row: usize, than: usize) -> (f64, f64) {
        if row == than {
            return (0.0, 0.0);
        }
        let mut both = weights(&self.objective, row, 1.0);
        both.extend(weights(&self.objective, than, -1.0));
        kept.moments.of(&both)
    }

    fn selection(&self, kept: &mut Kept) -> Selection {
        let k = kept.rows.len();
        let means = self.means(kept);
        let least = means.iter().copied().fold(f64::MAX, f64::min);
        // Less than a minute a year is nothing to choose by.
        kept.delta = (least * self.precision).max(self.objective.prices[0].max(1e-6));
        if least == f64::MAX {
            kept.delta = 1.0;
        }
        let all = (0..k)
            .map(|i| (0..k).map(|l| self.difference(kept, i, l).1).collect())
            .collect();
        Selection::new(self.confidence, kept.delta, kept.moments.n(), all)
    }

    /// Complains about what cannot be planned.
    ///
    /// # Errors
    /// No models, or nothing to choose from.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.sweep.combinations().len() < 2 {
            let problem = Problem::new("there is nothing to choose from");
            return Err(problem.help("give a setting several values: `--choose PATH=0,60,300`"));
        }
        if self.rows().len() > 200 {
            let text = format!(
                "{} combinations are more than can be told apart",
                self.rows().len()
            );
            return Err(Problem::new(text).help("fewer values, or one setting after the other"));
        }
        Ok(())
    }
}

impl Kept {
    /// Whether what was read can be reckoned with.
    ///
    /// # Errors
    /// What does not fit.
    pub(crate) fn check(&self) -> Result<(), String> {
        let width = self.rows.len() * FIGURES.len();
        let fits = self.version == 1
            && self.now < self.rows.len()
            && self.rows.iter().all(|r| r.len() == self.paths.len())
            && self.moments.fits(width)
            && self.parts.iter().flatten().all(|p| p.1.len() == width)
            && self.parts.len() <= self.models.len()
            && self.years.iter().all(|y| y.len() == width)
            && self
                .closed
                .as_ref()
                .is_none_or(|c| c.len() == self.rows.len())
            && self.settled.is_none_or(|s| s < self.rows.len());
        if fits {
            Ok(())
        } else {
            Err("this plan is of another form, or damaged".to_owned())
        }
    }

    fn add(&mut self, one: Replication) {
        self.moments.add(&one.year);
        for (part, (is_short, figures)) in self.parts.iter_mut().zip(one.parts) {
            let (count, sums) = &mut part[usize::from(!is_short)];
            *count += 1;
            sums.iter_mut().zip(&figures).for_each(|(s, f)| *s += f);
        }
        if self.counting.0 == Counting::Years && self.years.len() < YEARS_KEPT {
            self.years.push(one.year);
        }
    }
}
