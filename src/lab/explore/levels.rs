//! The exhaustive search: all runs with no deviation from the default order, then all with one,
//! then all with two; and which strategy searches in which way.
//!
//! A run that comes into a state that was seen with as many deviations or fewer ends there: what
//! follows was tried from that state.

use super::children::{Child, View, few_children};
use super::one::{self, Looked};
use super::outcome::Outcome;
use super::sampled::{At, Tally};
use super::search::{Explore, Report, Strategy, Watch};
use crate::kernel::Numbers;
use crate::kernel::search::Wanted;
use crate::lab::prelude::*;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

/// A run to be made: that of its parent with one more deviation.
struct Job {
    parent: Option<Arc<Job>>,
    /// Its last deviation, and the place of that in the run.
    last: Option<Child>,
}

impl Job {
    fn tape(&self) -> Vec<Deviation> {
        let jobs = std::iter::successors(Some(self), |job| job.parent.as_deref());
        let own = |job: &Self| Some(job.last.as_ref()?.deviation.clone());
        let mut tape: Vec<Deviation> = jobs.filter_map(own).collect();
        tape.reverse();
        tape
    }
}

/// The outcome of a complete run, and what it comes to.
type Judgement = (Outcome, Looked);

/// What is kept of a run.
#[derive(Deserialize, Serialize)]
struct Done {
    /// The states after its last deviation, each with the place of its choice.
    states: Vec<(u32, u64)>,
    children: Vec<Child>,
    skipped: u64,
    /// The outcome of a complete run, and its digest.
    end: Option<(u64, Option<Judgement>)>,
}

/// What one thread makes its runs with.
type Worker = (Searcher, View);

/// The judgements on traces that were looked at before, by digest.
type Judged = BTreeMap<u64, Judgement>;

/// Searches level by level: all runs with one deviation more than those before. Each batch is a
/// round of the desk. The second part says whether the search reached its end; the third, whether every run with
/// few deviations was tried.
///
/// # Errors
/// The batch is done elsewhere.
fn all_levels(at: At<'_>) -> Result<(Levels<'_>, bool, bool)> {
    let mut levels = Levels {
        at,
        tally: Tally::default(),
        seen: Numbers::default(),
        judged: Judged::new(),
        beyond: false,
        told: Report::default(),
    };
    let mut level = vec![Arc::new(Job { parent: None, last: None })];
    let mut depth = 0;
    while !level.is_empty() {
        match levels.level(&level, depth == at.search.depth)? {
            Continue(next) => level = next,
            Break(finished) => return Ok((levels, finished, false)),
        }
        depth += 1;
    }
    Ok((levels, true, true))
}

/// The part of an automatic search in which runs have few deviations, by its time and by its runs; of the
/// rest some are drawn, half of these with priorities, and in the others entries of the timeline move.
const IN_ORDER: (f64, u64) = (0.3, 2);
/// So little of that is for runs with one deviation more than those before where there are too many of them for it: only
/// what comes first in the run would be tried otherwise.
const FIRST_OF_MANY: u64 = 4;
/// The parts of an automatic search's time after which no more runs are drawn at the times that are written: without
/// priorities, and with them.
const AS_WRITTEN: [f64; 2] = [0.375, 0.45];
/// The part of an automatic search's runs that is drawn in each of two ways at the times that are written.
const DRAWN: u64 = 8;
/// Where all runs with few deviations were tried, entries move in as many runs, and in no fewer than these.
const CHANGED: u64 = 1_024;

/// Every run with few deviations, and others that are drawn: a few, or in an automatic search many.
///
/// # Errors
/// The batch is done elsewhere.
fn by_levels(at: At<'_>) -> Result<(Report, bool)> {
    let search = at.search;
    let is_auto = search.strategy == Strategy::Auto;
    let mut in_order = search.clone();
    if is_auto {
        (in_order.runs, in_order.until) = (search.runs.div_ceil(IN_ORDER.1), IN_ORDER.0);
    }
    let (mut levels, finished, exhausted) = all_levels(At { search: &in_order, ..at })?;
    // What has few deviations has none too many.
    levels.tally.violations.values_mut().for_each(|v| v.is_small = true);
    if !exhausted && !is_auto {
        return Ok((levels.report(exhausted), finished));
    }
    // Where no runs are left out there is nothing beside them.
    let beside = if levels.beyond || !exhausted { search.beside } else { 0 };
    let some = if exhausted { beside } else { search.runs / DRAWN };
    let until = if is_auto { AS_WRITTEN[0] } else { f64::INFINITY };
    let mut drawn = Tally::default();
    levels.draw((at, Strategy::Random, some), until, &mut drawn)?;
    if is_auto {
        levels.draw((at, Strategy::Pct, some), AS_WRITTEN[1], &mut drawn)?;
    }
    levels.told.beside = Some(levels.tally.beside(drawn)).filter(|beside| beside.runs > 0);
    if is_auto && search.changing.as_ref().is_some_and(|changing| !changing.is_nothing()) {
        let as_many = levels.tally.runs.max(CHANGED);
        let runs = if exhausted && search.runs < u64::MAX { as_many } else { search.runs };
        let mut changed = Tally::default();
        levels.draw((at, Strategy::Changed, runs), f64::INFINITY, &mut changed)?;
        levels.told.changed = levels.tally.beside(changed).runs;
    }
    let mut report = levels.report(exhausted);
    let runs = report.all_runs();
    at.shorten(&mut report.violations, runs);
    Ok((report, finished))
}

/// How it goes on after a level: with these jobs, or not at all. Then the search was asked to end, or it is finished
/// although there is more to try, which is true.
type After = ControlFlow<bool, Vec<Arc<Job>>>;

/// What was found so far.
struct Levels<'a> {
    at: At<'a>,
    tally: Tally,
    seen: Numbers,
    judged: Judged,
    /// Whether there are choices to try beyond the last level.
    beyond: bool,
    /// What is told beside what is in the tally.
    told: Report,
}

impl Levels<'_> {
    /// Whether the time for runs with few deviations is up. Where it was too short for one there is one.
    fn is_late(&self) -> bool {
        let search = self.at.search;
        search.strategy == Strategy::Auto && self.tally.runs > 0 && !search.draws_on()
    }

    /// Makes the runs of a level; `last` says that there is no next one.
    fn level(&mut self, level: &[Arc<Job>], last: bool) -> Result<After> {
        let At { search, watch, .. } = self.at;
        let mut next = Vec::new();
        let is_too_many = level.len() as u64 > search.runs - self.tally.runs;
        let is_auto = search.strategy == Strategy::Auto;
        let most = if is_auto && is_too_many { search.runs / FIRST_OF_MANY } else { search.runs };
        if self.tally.runs >= most {
            return Ok(Break(true));
        }
        for batch in level.chunks(search.batch.max(1)) {
            let left = usize::try_from(most - self.tally.runs).unwrap_or(usize::MAX);
            let batch = &batch[..batch.len().min(left)];
            let done = self.batch(batch, last)?;
            let is_cut = done.iter().any(|(_, done)| done.is_none());
            for (job, (_, done)) in batch.iter().zip(done) {
                if let Some(done) = done {
                    self.add(job, done, last, &mut next);
                }
            }
            if !watch(self.tally.runs) {
                return Ok(Break(false));
            }
            let enough = search.until_found && self.tally.all_violated(search.properties);
            if self.tally.runs >= most || enough || self.is_late() {
                let rest = is_cut
                    || !next.is_empty()
                    || level.last().is_some_and(|l| !Arc::ptr_eq(l, &batch[batch.len() - 1]));
                if rest {
                    return Ok(Break(true));
                }
                break;
            }
        }
        Ok(Continue(next))
    }

    /// Makes some runs, in their order, as long as it goes on.
    fn batch(&self, batch: &[Arc<Job>], last: bool) -> Result<Vec<(u64, Option<Done>)>> {
        // Runs at the last level are asked for other choices only until there is one.
        let enough = if !last { usize::MAX } else { usize::from(!self.beyond) };
        let one =
            |worker: &mut Worker, number: u64| self.run(worker, &batch[number as usize], enough);
        let worker = || (Searcher::new((self.at.search.plan)()), View::default());
        self.at.round(batch.len() as u64, worker, one)
    }

    fn run(&self, (searcher, view): &mut Worker, job: &Job, enough: usize) -> Option<Done> {
        let (search, runs) = (self.at.search, self.tally.runs);
        let goes_on = || (self.at.watch)(runs) && !self.is_late();
        if !goes_on() {
            return None;
        }
        let from = job.last.as_ref().map_or(0, |c| c.choice as usize + 1);
        let mut known = |state| search.prune && self.seen.find(state).is_some();
        let wanted = Wanted { from, only_states: enough == 0, no_choices: false };
        let run = searcher.search(job.tape(), wanted, &mut known, &goes_on);
        if run.known && !goes_on() {
            return None;
        }
        let notes = &run.notes;
        let states = notes.asked.iter().zip(&notes.states).map(|(a, s)| (a.choice, *s)).collect();
        let (children, skipped) = if enough > 0 {
            few_children(view, notes, &run.choices, from, search.prune, enough)
        } else {
            (Vec::new(), 0)
        };
        let end = (!run.known).then(|| {
            let (digest, plan) = (one::digest(&run.trace), searcher.plan());
            let again = || one::run(plan, &job.tape()).trace;
            let looked = || one::look(search, plan, &run.trace, again);
            let is_new = !self.judged.contains_key(&digest);
            (digest, is_new.then(|| (Outcome::of(&run.trace), looked())))
        });
        searcher.take_back(run);
        Some(Done { states, children, skipped, end })
    }

    /// Takes in what a run found, and the jobs that follow from it.
    fn add(&mut self, job: &Arc<Job>, done: Done, last: bool, next: &mut Vec<Arc<Job>>) {
        self.tally.runs += 1;
        self.told.skipped += if last { 0 } else { done.skipped };
        let mut fresh = u32::MAX;
        for (choice, state) in done.states {
            if !self.seen.of(state).1 && self.at.search.prune {
                fresh = choice;
                break;
            }
        }
        match done.end {
            None => self.told.pruned += 1,
            Some((digest, fresh)) => {
                if let Some(judged) = fresh {
                    self.judged.entry(digest).or_insert(judged);
                }
                if let Some((outcome, looked)) = self.judged.get(&digest) {
                    self.tally.add(outcome, looked.clone(), (&[], &job.tape()));
                }
            }
        }
        let children = done.children.into_iter().take_while(|c| c.choice < fresh);
        if !last {
            next.extend(
                children.map(|c| Arc::new(Job { parent: Some(job.clone()), last: Some(c) })),
            );
        } else {
            self.beyond |= children.count() > 0;
        }
    }

    /// Draws that many runs beside by a strategy, but no more than are left, until a part of the time is up.
    fn draw(&mut self, by: (At<'_>, Strategy, u64), end: f64, into: &mut Tally) -> Result<()> {
        let (at, strategy, runs) = by;
        let At { search, watch, .. } = at;
        let before = self.tally.runs + self.told.beside.as_ref().map_or(0, |b| b.runs) + into.runs;
        let mut all = search.properties.iter();
        let all_found = all.all(|p| self.tally.is_violated(*p) || into.is_violated(*p));
        let enough = search.until_found && !search.properties.is_empty() && all_found;
        let runs = runs.min(search.runs.saturating_sub(before));
        if runs > 0 && !enough {
            let few = Explore { strategy, runs, ..search.clone() };
            let in_time = |drawn: u64| watch(before + drawn) && (search.spent)() < end;
            let drawn = match in_time(0) {
                true => At { search: &few, watch: &in_time, ..at }.draw()?.0,
                false => Tally::default(),
            };
            let told = match strategy {
                Strategy::Random => "random",
                Strategy::Pct => "pct",
                _ => "other timelines",
            };
            self.told.untried.extend((drawn.runs == 0).then_some(told));
            into.take_in(drawn);
        }
        Ok(())
    }

    /// What was found.
    fn report(self, exhausted: bool) -> Report {
        let (states, complete) = (self.seen.len() as u64, exhausted && !self.beyond);
        self.tally.report(Report { states, exhausted, complete, ..self.told })
    }
}

/// Searches, on the threads of a pool. The second part says whether the search reached its end.
pub fn explore(search: &Explore<'_>, pool: &ThreadPool, watch: Watch<'_>) -> (Report, bool) {
    explore_at(search, (pool, Desk::Here), watch)
        .unwrap_or_else(|_| unreachable!("everything is done here"))
}

/// Searches together with other machines; each batch of runs is a round of the desk.
///
/// # Errors
/// The batch that comes next is done elsewhere.
pub(crate) fn explore_at(
    search: &Explore<'_>,
    (pool, desk): (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(Report, bool)> {
    let at = At { search, pool, desk, watch };
    let (mut report, finished) = match search.strategy {
        Strategy::Auto | Strategy::Exhaustive => by_levels(at)?,
        Strategy::Pct | Strategy::Random | Strategy::Natural | Strategy::Changed => at.explore()?,
    };
    if finished {
        at.how_often(&mut report)?;
    }
    Ok((report, finished))
}
