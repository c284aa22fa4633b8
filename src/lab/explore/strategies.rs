//! Which strategy searches in which way.

use super::search::{Explore, Report, Strategy, Watch};
use super::{levels, sampled};
use crate::lab::shards::Desk;
use crate::lab::stopped::Stopped;
use rayon::ThreadPool;

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
        Strategy::Exhaustive => levels::explore(search, at, watch),
        Strategy::Pct | Strategy::Random | Strategy::Natural => sampled::explore(search, at, watch),
    }?;
    if finished {
        sampled::how_often(search, &mut report, at, watch)?;
    }
    Ok((report, finished))
}
