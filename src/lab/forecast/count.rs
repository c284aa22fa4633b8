//! Counts over seeds: the middle and the range, and which is most frequent.

use crate::lab::prelude::*;

/// The range that is told is one in which nine in ten of further seeds lie: so many in a hundred
/// are below it, and as many above.
const ONE_IN: u64 = 5;

/// How many, over the seeds: the middle, and the range of nine in ten as that of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) low: u64,
    pub(crate) median: u64,
    pub(crate) high: u64,
}

impl Count {
    /// Of these, one of each seed.
    pub(crate) fn of(counts: impl Iterator<Item = u64>) -> Self {
        let mut counts: Vec<u64> = counts.collect();
        counts.sort_unstable();
        let (low, high) = ends(counts.len());
        let [low, high] = [low, high].map(|i| counts.get(i).copied().unwrap_or_default());
        Count { low, median: nearest_rank(&counts, 50).unwrap_or_default(), high }
    }
}

/// Which of a number of sorted values are the ends of the range. Of n seeds and one more, which is what
/// really comes, one in twenty is below and one above.
pub(super) fn ends(values: usize) -> (usize, usize) {
    let outside = (values + 1) * ONE_IN as usize / 100;
    (outside.saturating_sub(1), values.saturating_sub(outside.max(1)))
}

/// The most frequent of these, the first of several by name, and how many there are of it.
pub(super) fn most<'a>(all: impl Iterator<Item = &'a String>) -> Option<(String, usize)> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    let first = counts.into_iter().rev().max_by_key(|(_, n)| *n);
    first.map(|(one, n)| (one.clone(), n))
}
