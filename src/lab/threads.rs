//! Pieces of work on several threads, until whoever watches says that it is enough; and why many runs
//! may have no result.

use crate::kernel::Choices;
use crate::language::{Problem, Problems};
use crate::plan::Plan;
use crate::sim::{self, GoesOn};
use crate::trace::Trace;
use rayon::{BroadcastContext, ThreadPool};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// What a watcher is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A run goes on.
    Running,
    /// A run is done.
    Done,
}

/// Who watches: told what happens, and asked whether to go on.
pub(crate) type Watch<'a> = &'a (dyn Fn(Event) -> bool + Sync);

/// Work that is watched: once the watcher has said that it may not go on, it does not.
pub(super) struct Watched<'a> {
    watch: Watch<'a>,
    is_stopped: AtomicBool,
}

impl<'a> Watched<'a> {
    pub(super) fn new(watch: Watch<'a>) -> Self {
        Self { watch, is_stopped: AtomicBool::new(false) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Tells the watcher what happened; whether to go on.
    pub(super) fn goes_on(&self, event: Event) -> bool {
        let goes_on = !self.is_stopped() && (self.watch)(event);
        self.is_stopped.fetch_or(!goes_on, Relaxed);
        goes_on
    }

    /// Does the pieces of these numbers, up to where it is stopped or one comes to nothing. Each
    /// thread makes a `worker` of its own, as plans are not shared, and takes the next piece,
    /// whichever it is; they are sorted by number afterwards, so that the order of threads does not
    /// show.
    pub(super) fn pieces<W, T: Send, E: Send>(
        &self,
        threads: &ThreadPool,
        numbers: &[u64],
        worker: impl Fn() -> Result<W, E> + Sync,
        piece: impl Fn(&mut W, u64) -> Result<Option<T>, E> + Sync,
    ) -> Result<Vec<(u64, T)>, E> {
        let next = AtomicUsize::new(0);
        let work = |_: BroadcastContext<'_>| -> Result<Vec<(u64, T)>, E> {
            let mut worker = worker()?;
            let mut done = Vec::new();
            while let Some(&number) = numbers.get(next.fetch_add(1, Relaxed))
                && !self.is_stopped()
                && let Some(one) = piece(&mut worker, number)?
            {
                done.push((number, one));
            }
            Ok(done)
        };
        let mut all = Vec::new();
        for part in threads.broadcast(work) {
            all.extend(part?);
        }
        all.sort_by_key(|(number, _)| *number);
        Ok(all)
    }
}

/// So many seeds in a row.
///
/// # Errors
/// There are not so many from the first one on.
pub(super) fn seeds_from(first: u64, count: u64) -> Result<Range<u64>, Problems> {
    let text = || format!("there are no {count} seeds from {first} on");
    let end = first.checked_add(count).ok_or_else(|| Problems::one(Problem::new(text())))?;
    Ok(first..end)
}

/// The run of a seed; none if it was stopped.
pub(super) fn seeded(plan: &Plan, seed: u64, goes_on: GoesOn<'_>) -> Option<Trace> {
    let (trace, finished) = sim::run_watched(plan, Choices::seeded(seed), &mut |_| goes_on());
    finished.then_some(trace)
}

/// What many runs come to.
pub(crate) type Result<T, E = Stopped> = std::result::Result<T, E>;

/// Why a sweep, or whatever else makes many runs, has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stopped {
    /// The scenario cannot be built with one of the combinations.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The watcher asked for it.
    #[error("the sweep was stopped")]
    Asked,
    /// Other machines do the rest of the work.
    #[error("the rest of the work is done elsewhere")]
    Elsewhere(Away),
}

/// Why a command does not go on here although nothing is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Away {
    /// The shard's part of this round is done, and kept.
    Kept(u32),
    /// It was done before; others of this round are not.
    Before(u32),
    /// Every round is done: what is left is to gather them.
    All,
    /// Shards of this round are not there.
    Missing(u32),
}
