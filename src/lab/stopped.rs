//! Why many runs have no result.

use crate::language::Problems;

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
