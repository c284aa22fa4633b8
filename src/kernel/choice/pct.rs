//! Turns by drawn priorities: the probabilistic concurrency testing (PCT) of Burckhardt and others.

use super::keyed;

/// Priorities for turns, as PCT has them: every process has one, drawn, and at drawn turns the
/// first in line is put last.
#[derive(Clone, Debug)]
pub(super) struct Pct {
    key: u64,
    /// The turns at which the first in line is put last, in order.
    changes: Vec<u64>,
    turns: u64,
    /// Those who were put last, in the order in which they were.
    last: Vec<u64>,
}

impl Pct {
    /// Priorities that change `depth - 1` times within this many turns.
    pub(super) fn new(seed: u64, depth: u32, turns: u64) -> Self {
        let key = keyed::key_of(seed, "pct");
        let change = |i| keyed::up_to(keyed::bits(key, 1, i), turns.saturating_sub(1));
        let mut changes: Vec<u64> = (1..depth).map(change).collect();
        changes.sort_unstable();
        Self { key, changes, turns: 0, last: Vec::new() }
    }

    /// Which of these comes next.
    pub(super) fn pick(&mut self, candidates: &[u64]) -> u32 {
        let turn = self.turns;
        self.turns += 1;
        if self.changes.binary_search(&turn).is_ok() {
            let first = self.first(candidates);
            self.last.retain(|l| *l != candidates[first as usize]);
            self.last.push(candidates[first as usize]);
        }
        self.first(candidates)
    }

    fn first(&self, candidates: &[u64]) -> u32 {
        let priority = |c: &u64| match self.last.iter().position(|l| l == c) {
            Some(place) => (false, u64::MAX - place as u64),
            None => (true, keyed::bits(self.key, *c, 0)),
        };
        let best =
            candidates.iter().enumerate().max_by_key(|(i, c)| (priority(c), std::cmp::Reverse(*i)));
        best.map_or(0, |(i, _)| i as u32)
    }
}

/// The place of the least rank, if the first has one.
pub(super) fn first_ranked(mut ranks: impl Iterator<Item = Option<u64>>) -> Option<u32> {
    let mut best = (ranks.next()??, 0);
    for (rank, place) in ranks.zip(1..) {
        best = best.min((rank.unwrap_or(u64::MAX), place));
    }
    Some(best.1)
}
