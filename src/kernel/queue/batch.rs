//! Entries in order, the first one last, so that taking it is a pop.
//!
//! Sorting is by distribution: entries of one stretch of time are spread rather evenly over it, so
//! dealing them out to about as many compartments as there are entries leaves almost nothing to be
//! done. Comparing sorts lose most of their time to mispredicted branches.

use super::entry::{Entry, Rank};

/// Fewer entries are sorted by comparing.
const DISTRIBUTE_AT_LEAST: usize = 16;
/// No compartment may hold more: where times are that uneven, the rest of the sorting is left to a
/// comparing sort.
const CROWD: u32 = 16;
/// Up to this many newcomers are put into their places one by one, even if all others have to
/// be moved.
const INSERT_AT_MOST: usize = 4;

#[derive(Default, Debug)]
pub(super) struct Batch {
    /// Last rank first; only the first `left` of them are still to come.
    entries: Vec<Entry>,
    left: usize,
    /// Entries in each compartment, then its end.
    ends: Vec<u32>,
}

impl Batch {
    #[cfg(test)]
    pub(super) const fn len(&self) -> usize {
        self.left
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.left = 0;
    }

    #[inline]
    pub(super) fn first(&self) -> Option<&Entry> {
        self.entries.get(self.left.wrapping_sub(1))
    }

    #[inline]
    pub(super) fn first_rank(&self) -> Rank {
        self.first().map_or(Rank::NEVER, Entry::rank)
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        let first = self.first().copied();
        self.left -= usize::from(first.is_some());
        first
    }

    /// Takes all of `newcomers`, in any order, and leaves it empty.
    pub(super) fn add(&mut self, newcomers: &mut Vec<Entry>) {
        if self.left > 0 && newcomers.len() <= INSERT_AT_MOST {
            self.entries.truncate(self.left);
            for entry in newcomers.drain(..) {
                let place = self.entries.partition_point(|e| *e > entry);
                self.entries.insert(place, entry);
            }
            self.left = self.entries.len();
            return;
        }
        newcomers.extend_from_slice(&self.entries[..self.left]);
        self.left = newcomers.len();
        if newcomers.len() < DISTRIBUTE_AT_LEAST {
            std::mem::swap(&mut self.entries, newcomers);
            insert_each(&mut self.entries);
        } else {
            self.distribute(newcomers);
        }
        newcomers.clear();
    }

    fn distribute(&mut self, from: &[Entry]) {
        let n = from.len();
        let (mut least, mut last) = (u64::MAX, 0);
        for e in from {
            least = least.min(e.at.as_nanos());
            last = last.max(e.at.as_nanos());
        }
        let compartments = n.next_power_of_two();
        // As many leading bits of the distance from the last as number the compartments.
        let bits =
            (64 - (last - least).leading_zeros()).saturating_sub(compartments.trailing_zeros());
        let compartment =
            |e: &Entry| ((last - e.at.as_nanos()) >> bits) as usize & (compartments - 1);
        self.ends.clear();
        self.ends.resize(compartments, 0);
        for e in from {
            self.ends[compartment(e)] += 1;
        }
        let (mut end, mut crowd) = (0, 0);
        for e in &mut self.ends {
            crowd = crowd.max(*e);
            end += *e;
            *e = end;
        }
        if self.entries.len() < n {
            self.entries.resize(n, from[0]);
        }
        // Filled from its end, a compartment holds entries of the same time in the order in which
        // they were added, the first one last.
        for e in from {
            let end = &mut self.ends[compartment(e)];
            *end -= 1;
            self.entries[*end as usize] = *e;
        }
        let entries = &mut self.entries[..n];
        if crowd <= CROWD {
            insert_each(entries)
        } else {
            entries.sort_unstable_by(|a, b| b.cmp(a))
        }
    }

    /// Drops all entries for which `keep` does not hold.
    pub(super) fn retain(&mut self, keep: impl Fn(&Entry) -> bool) {
        self.entries.truncate(self.left);
        self.entries.retain(keep);
        self.left = self.entries.len();
    }
}

/// Insertion sort, the first one last: for few entries, and for those that are almost in order.
fn insert_each(entries: &mut [Entry]) {
    for i in 1..entries.len() {
        let entry = entries[i];
        if entries[i - 1] > entry {
            continue;
        }
        let mut place = i;
        while place > 0 && entries[place - 1] < entry {
            entries[place] = entries[place - 1];
            place -= 1;
        }
        entries[place] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::kernel::queue::slab::Slab;

    /// Entries of these times, in this order of posting, come out by time and then by order of
    /// posting.
    fn check(first: &[u64], then: &[u64]) {
        let mut slab = Slab::new();
        let mut order = 0..;
        let mut entries = |times: &[u64]| -> Vec<Entry> {
            let entry = |at: &u64| Entry {
                at: Time::from_nanos(*at),
                order: order.next().unwrap_or_default(),
                key: slab.insert(()),
            };
            times.iter().map(entry).collect()
        };
        let (mut first, mut then) = (entries(first), entries(then));
        let mut expected = [first.clone(), then.clone()].concat();
        expected.sort();
        let mut batch = Batch::default();
        batch.add(&mut first);
        batch.add(&mut then);
        assert!(first.is_empty() && then.is_empty());
        let popped: Vec<Entry> = std::iter::from_fn(|| batch.pop()).collect();
        assert_eq!(popped, expected);
    }

    fn scattered(n: u64, range: u64) -> Vec<u64> {
        (0..n).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % range).collect()
    }

    #[test]
    fn entries_come_out_in_order() {
        check(&[], &[]);
        check(&[5], &[]);
        check(&[5, 5, 5], &[5]);
        for n in [2, 3, 15, 16, 17, 100, 1_000, 5_000] {
            check(&scattered(n, 1 << 20), &[]);
            check(&scattered(n, 7), &scattered(3, 7));
            check(&scattered(n, u64::MAX), &scattered(n, 1 << 40));
            check(&vec![1 << 50; n as usize], &scattered(20, 1 << 51));
        }
    }

    #[test]
    fn a_crowd_at_one_end_is_sorted_too() {
        let mut times = scattered(10_000, 100);
        times.push(u64::MAX);
        check(&times, &times);
        times.reverse();
        check(&times, &[0, u64::MAX]);
    }
}
