//! The exhaustive search: all runs with no deviation from the default order, then all with one,
//! then all with two; and which strategy searches in which way.
//!
//! A run that comes into a state that was seen with as many deviations or fewer ends there: what
//! follows was tried from that state.

use super::children::{Child, View, few_children};
use super::one::{self, Found};
use super::outcome::Outcome;
use super::sampled::{self, Tally};
use super::search::{Explore, Report, Strategy, Watch};
use crate::kernel::HashIndex;
use crate::kernel::choice::Deviation;
use crate::kernel::search::Wanted;
use crate::lab::prelude::*;
use crate::sim::{GoesOn, Searcher};
use std::sync::Arc;

/// A run to be made: that of its parent with one more deviation.
struct Job {
    parent: Option<Arc<Job>>,
    /// Its last deviation, and the place of that in the run.
    last: Option<Child>,
}

impl Job {
    fn tape(&self) -> Vec<Deviation> {
        let mut tape = Vec::new();
        let mut job = Some(self);
        while let Some(j) = job {
            tape.extend(j.last.as_ref().map(|c| c.deviation.clone()));
            job = j.parent.as_deref();
        }
        tape.reverse();
        tape
    }
}

/// The outcome of a complete run, and its violations.
type Judgement = (Outcome, Vec<Found>);

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

/// The states that a search has seen, by fingerprint.
#[derive(Default)]
struct Seen {
    all: Vec<u64>,
    index: HashIndex,
}

impl Seen {
    fn has(&self, state: u64) -> bool {
        self.index.find(state, |i| self.all[i as usize] == state).is_some()
    }

    /// Adds a state; false if it was there.
    fn add(&mut self, state: u64) -> bool {
        if self.has(state) {
            return false;
        }
        self.index.insert(state, self.all.len() as u32);
        self.all.push(state);
        true
    }

    fn len(&self) -> u64 {
        self.all.len() as u64
    }
}

/// What one thread makes its runs with.
type Worker = (Searcher, View);

fn run(
    search: &Explore<'_>,
    (searcher, view): &mut Worker,
    job: &Job,
    (seen, judged): (&Seen, &Judged),
    enough: usize,
    goes_on: GoesOn<'_>,
) -> Option<Done> {
    if !goes_on() {
        return None;
    }
    let from = job.last.as_ref().map_or(0, |c| c.choice as usize + 1);
    let mut known = |state| search.prune && seen.has(state);
    let run = searcher.search(
        job.tape(),
        Wanted { from, only_states: enough == 0, no_choices: false },
        &mut known,
        goes_on,
    );
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
        let digest = one::digest(&run.trace);
        let judge = || one::judge(search, searcher.plan(), &run.trace, &job.tape());
        (digest, (!judged.contains_key(&digest)).then(judge))
    });
    searcher.take_back(run);
    Some(Done { states, children, skipped, end })
}

/// The judgements on traces that were looked at before, by digest.
type Judged = BTreeMap<u64, Judgement>;

/// Searches level by level: all runs with one deviation more than those before. Each batch is a
/// round of the desk.
///
/// # Errors
/// The batch is done elsewhere.
fn by_levels(
    search: &Explore<'_>,
    (pool, desk): (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(Report, bool), Stopped> {
    let mut levels = Levels {
        search,
        desk,
        tally: Tally::default(),
        seen: Seen::default(),
        judged: Judged::new(),
        pruned: 0,
        skipped: 0,
        beyond: false,
    };
    let mut level = vec![Arc::new(Job { parent: None, last: None })];
    let mut depth = 0;
    while !level.is_empty() {
        match levels.level(&level, depth == search.depth, pool, watch)? {
            After::Next(next) => level = next,
            After::End { finished } => return Ok((levels.report(None), finished)),
        }
        depth += 1;
    }
    // Where no runs are left out there is nothing beside them.
    let enough = search.until_found && levels.tally.all_violated(search.properties);
    let drawn = if levels.beyond && !enough {
        let few = Explore {
            strategy: Strategy::Random,
            runs: search.beside.min(search.runs - levels.tally.runs),
            until_found: false,
            ..search.clone()
        };
        let runs = levels.tally.runs;
        sampled::draw(&few, (pool, desk), &|drawn| watch(runs + drawn))?.0
    } else {
        Tally::default()
    };
    let mut report = levels.report(Some(drawn));
    let runs = report.runs;
    pool.install(|| sampled::shorten(search, &mut report.violations, &|| watch(runs)));
    Ok((report, true))
}

/// How it goes on after a level.
enum After {
    /// With these jobs.
    Next(Vec<Arc<Job>>),
    /// Not at all: the search was asked to end, or it is finished although there is more to try.
    End { finished: bool },
}

/// What was found so far.
struct Levels<'a> {
    search: &'a Explore<'a>,
    desk: Desk<'a>,
    tally: Tally,
    seen: Seen,
    judged: Judged,
    pruned: u64,
    skipped: u64,
    /// Whether there are choices to try beyond the last level.
    beyond: bool,
}

impl Levels<'_> {
    /// Makes the runs of a level; `last` says that there is no next one.
    fn level(
        &mut self,
        level: &[Arc<Job>],
        last: bool,
        pool: &ThreadPool,
        watch: Watch<'_>,
    ) -> Result<After, Stopped> {
        let search = self.search;
        let mut next = Vec::new();
        for batch in level.chunks(search.batch.max(1)) {
            let left = usize::try_from(search.runs - self.tally.runs).unwrap_or(usize::MAX);
            let batch = &batch[..batch.len().min(left)];
            let done = self.batch(batch, last, pool, watch)?;
            for (job, (_, done)) in batch.iter().zip(done) {
                if let Some(done) = done {
                    self.add(job, done, last, &mut next);
                }
            }
            if !watch(self.tally.runs) {
                return Ok(After::End { finished: false });
            }
            let enough = search.until_found && self.tally.all_violated(search.properties);
            if self.tally.runs >= search.runs || enough {
                let rest = !next.is_empty()
                    || level.last().is_some_and(|l| !Arc::ptr_eq(l, &batch[batch.len() - 1]));
                if rest {
                    return Ok(After::End { finished: true });
                }
                break;
            }
        }
        Ok(After::Next(next))
    }

    /// Makes some runs, in their order, as long as it goes on.
    fn batch(
        &self,
        batch: &[Arc<Job>],
        last: bool,
        pool: &ThreadPool,
        watch: Watch<'_>,
    ) -> Result<Vec<(u64, Option<Done>)>, Stopped> {
        let search = self.search;
        // Runs at the last level are asked for other choices only until there is one.
        let enough = if !last { usize::MAX } else { usize::from(!self.beyond) };
        let runs = self.tally.runs;
        let known = (&self.seen, &self.judged);
        let one = |worker: &mut Worker, number: u64| {
            let job = &batch[number as usize];
            run(search, worker, job, known, enough, &|| watch(runs))
        };
        let worker = || (Searcher::new((search.plan)()), View::default());
        sampled::round((pool, self.desk), batch.len() as u64, worker, one)
    }

    /// Takes in what a run found, and the jobs that follow from it.
    fn add(&mut self, job: &Arc<Job>, done: Done, last: bool, next: &mut Vec<Arc<Job>>) {
        self.tally.runs += 1;
        self.skipped += if last { 0 } else { done.skipped };
        let mut fresh = u32::MAX;
        for (choice, state) in done.states {
            if !self.seen.add(state) && self.search.prune {
                fresh = choice;
                break;
            }
        }
        match done.end {
            None => self.pruned += 1,
            Some((digest, fresh)) => {
                if let Some(found) = fresh {
                    self.judged.entry(digest).or_insert(found);
                }
                if let Some((outcome, found)) = self.judged.get(&digest) {
                    self.tally.add(outcome, found.clone(), &job.tape());
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

    /// What was found; with the runs that were drawn beside where every run was tried.
    fn report(mut self, drawn: Option<Tally>) -> Report {
        let (runs, exhausted) = (self.tally.runs, drawn.is_some());
        // What has few deviations has none too many.
        self.tally.all_small();
        let beside = drawn.map(|drawn| self.tally.beside(drawn));
        let (outcomes, violations) = self.tally.into_parts();
        Report {
            runs,
            pruned: self.pruned,
            skipped: self.skipped,
            states: self.seen.len(),
            exhausted,
            complete: exhausted && !self.beyond,
            outcomes,
            violations,
            beside: beside.filter(|beside| beside.runs > 0),
        }
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
    at: (&ThreadPool, Desk<'_>),
    watch: Watch<'_>,
) -> Result<(Report, bool), Stopped> {
    let (mut report, finished) = match search.strategy {
        Strategy::Exhaustive => by_levels(search, at, watch),
        Strategy::Pct | Strategy::Random | Strategy::Natural => sampled::explore(search, at, watch),
    }?;
    if finished {
        sampled::how_often(search, &mut report, at, watch)?;
    }
    Ok((report, finished))
}
