//! The exhaustive search: all runs with no deviation from the default order, then all with one,
//! then all with two.
//!
//! A run that comes into a state that was seen with as many deviations or fewer ends there: what
//! follows was tried from that state.

use super::children::{Child, View, few_children};
use super::one::{self, Found};
use super::seen::Seen;
use super::{Explore, Outcome, Report, Tally, Watch};
use crate::kernel::choice::Deviation;
use crate::kernel::search::Wanted;
use crate::sim::{GoesOn, Searcher};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many runs are made between two looks at what they found: the same for any number of threads.
const BATCH: usize = 256;
/// How many of them one thread makes at least, with one plan.
const PIECE: usize = 16;

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
            tape.extend(j.last.as_ref().map(Child::deviation));
            job = j.parent.as_deref();
        }
        tape.reverse();
        tape
    }
}

/// The outcome of a complete run, and its violations.
type Judgement = (Outcome, Vec<Found>);

/// What is kept of a run.
struct Done {
    /// The states after its last deviation, each with the place of its choice.
    states: Vec<(u32, u64)>,
    children: Vec<Child>,
    skipped: u64,
    /// What a complete run came to.
    end: Option<(u64, Option<Judgement>)>,
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
) -> Done {
    let from = job.last.as_ref().map_or(0, |c| c.choice as usize + 1);
    let mut known = |state| search.prune && seen.has(state);
    let run = searcher.search(
        job.tape(),
        Wanted {
            from,
            only_states: enough == 0,
            no_choices: false,
        },
        &mut known,
        goes_on,
    );
    let notes = &run.notes;
    let states = notes
        .asked
        .iter()
        .zip(&notes.states)
        .map(|(a, s)| (a.choice, *s))
        .collect();
    let (children, skipped) = if enough > 0 {
        few_children(view, notes, &run.choices, from, search.prune, enough)
    } else {
        (Vec::new(), 0)
    };
    let end = (!run.known).then(|| {
        let digest = one::digest(&run.trace);
        (
            digest,
            (!judged.has(digest))
                .then(|| one::judge(search, searcher.plan(), &run.trace, &job.tape())),
        )
    });
    searcher.take_back(run);
    Done {
        states,
        children,
        skipped,
        end,
    }
}

/// What traces came to that were looked at before.
#[derive(Default)]
struct Judged(BTreeMap<u64, Judgement>);

impl Judged {
    fn has(&self, digest: u64) -> bool {
        self.0.contains_key(&digest)
    }
}

pub(super) fn explore(search: &Explore<'_>, pool: &ThreadPool, watch: Watch<'_>) -> (Report, bool) {
    let (mut tally, mut seen, mut judged) = (Tally::default(), Seen::default(), Judged::default());
    let mut level = vec![Arc::new(Job {
        parent: None,
        last: None,
    })];
    let (mut pruned, mut skipped, mut finished, mut beyond) = (0, 0, true, false);
    let mut depth = 0;
    'levels: while !level.is_empty() {
        let mut next = Vec::new();
        for batch in level.chunks(BATCH) {
            let left = usize::try_from(search.runs - tally.runs).unwrap_or(usize::MAX);
            let batch = &batch[..batch.len().min(left)];
            // Runs at the last level are asked for other choices only until there is one.
            let last = depth == search.depth;
            let enough = if !last {
                usize::MAX
            } else {
                usize::from(!beyond)
            };
            let runs = tally.runs;
            let one = |worker: &mut Worker, job: &Arc<Job>| {
                run(search, worker, job, (&seen, &judged), enough, &|| {
                    watch(runs)
                })
            };
            let worker = || (Searcher::new((search.plan)()), View::default());
            let work = || -> Vec<Done> {
                batch
                    .par_iter()
                    .with_min_len(PIECE)
                    .map_init(worker, one)
                    .collect()
            };
            let done = pool.install(work);
            for (job, done) in batch.iter().zip(done) {
                tally.runs += 1;
                skipped += if last { 0 } else { done.skipped };
                let mut fresh = u32::MAX;
                for (choice, state) in done.states {
                    if !seen.add(state) && search.prune {
                        fresh = choice;
                        break;
                    }
                }
                match done.end {
                    None => pruned += 1,
                    Some((digest, fresh)) => {
                        if let Some(found) = fresh {
                            judged.0.entry(digest).or_insert(found);
                        }
                        if let Some((outcome, found)) = judged.0.get(&digest) {
                            tally.add(outcome, found.clone(), &job.tape());
                        }
                    }
                }
                let children = done.children.into_iter().take_while(|c| c.choice < fresh);
                if !last {
                    next.extend(children.map(|c| {
                        Arc::new(Job {
                            parent: Some(job.clone()),
                            last: Some(c),
                        })
                    }));
                } else {
                    beyond |= children.count() > 0;
                }
            }
            if !watch(tally.runs) {
                finished = false;
                break 'levels;
            }
            let enough = search.until_found && tally.all_violated(search.properties);
            if tally.runs >= search.runs || enough {
                let rest = !next.is_empty()
                    || level
                        .last()
                        .is_some_and(|l| !Arc::ptr_eq(l, &batch[batch.len() - 1]));
                if rest {
                    return (report(tally, pruned, skipped, &seen, false, false), true);
                }
                break;
            }
        }
        level = next;
        depth += 1;
    }
    let exhausted = finished;
    (
        report(
            tally,
            pruned,
            skipped,
            &seen,
            exhausted,
            exhausted && !beyond,
        ),
        finished,
    )
}

fn report(
    tally: Tally,
    pruned: u64,
    skipped: u64,
    seen: &Seen,
    exhausted: bool,
    complete: bool,
) -> Report {
    let runs = tally.runs;
    let (outcomes, violations) = tally.into_parts();
    Report {
        runs,
        pruned,
        skipped,
        states: seen.len(),
        exhausted,
        complete,
        outcomes,
        violations,
        bound: None,
    }
}
