//! Which strategy searches in which way.

use super::search::{Explore, Report, Strategy, Watch};
use super::{levels, sampled};
use rayon::ThreadPool;

/// Searches, on the threads of a pool. The second part says whether the search reached its end.
pub fn explore(search: &Explore<'_>, pool: &ThreadPool, watch: Watch<'_>) -> (Report, bool) {
    match search.strategy {
        Strategy::Exhaustive => levels::explore(search, pool, watch),
        Strategy::Pct | Strategy::Random => sampled::explore(search, pool, watch),
    }
}
