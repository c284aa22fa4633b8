//! A hierarchical timer wheel of coarse ticks under a sorted batch: what is due in one tick is sorted when the tick comes up.
//!
//! A tick is 2^20 ns, about a millisecond; a level has 64 slots, each as long as a whole turn of the level below. Coarse ticks with a sort
//! beat a wheel of single nanoseconds, in which an entry wanders down through many more levels. The edge divides the entries: slots hold
//! those at or behind it, the batch and the near-heap those before it. The edge moves only as far as the first entry requires, and an
//! entry that is added before it goes to the near-heap, so that looking at the next event costs nothing later.

use super::entry::{Entry, Rank};
use crate::kernel::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nanoseconds of a tick, as a power of two.
const TICK_BITS: u32 = 20;
/// Slots of a level, as a power of two: the bits of one word say which are occupied.
const SLOT_BITS: u32 = 6;
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_MASK: u64 = SLOTS as u64 - 1;

#[derive(Debug)]
struct Level {
    occupied: u64,
    slots: Vec<Vec<Entry>>,
}

impl Level {
    fn new() -> Self {
        Self { occupied: 0, slots: std::iter::repeat_with(Vec::new).take(SLOTS).collect() }
    }
}

#[derive(Debug)]
pub(super) struct Wheel {
    /// Grown as far as the times that are asked for require.
    levels: Vec<Level>,
    /// Entries in the levels' slots.
    slotted: usize,
    /// First tick that has not been taken into the batch.
    edge: u64,
    /// No entry in the slots is due before this; the end of time if there is none.
    bound: Time,
    /// Entries of the tick before the edge, sorted; those before the cursor are done.
    batch: Vec<Entry>,
    cursor: usize,
    /// Entries that were added before the edge.
    near: BinaryHeap<Reverse<Entry>>,
}

impl Wheel {
    pub(super) const fn new() -> Self {
        Self { levels: Vec::new(), slotted: 0, edge: 0, bound: Time::MAX, batch: Vec::new(), cursor: 0, near: BinaryHeap::new() }
    }

    /// Entries of any kind, dead ones included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.slotted + self.batch.len() - self.cursor + self.near.len()
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        if entry.at.as_nanos() >> TICK_BITS < self.edge {
            self.near.push(Reverse(entry));
        } else {
            self.slotted += 1;
            self.place(entry);
        }
    }

    /// Puts an entry at or behind the edge into its slot: on the level of the highest digit in which its tick differs from the edge.
    #[inline]
    fn place(&mut self, entry: Entry) {
        let tick = entry.at.as_nanos() >> TICK_BITS;
        let level = (63 - ((tick ^ self.edge) | 1).leading_zeros()) / SLOT_BITS;
        let slot = (tick >> (SLOT_BITS * level)) & SLOT_MASK;
        while self.levels.len() <= level as usize {
            self.levels.push(Level::new());
        }
        let l = &mut self.levels[level as usize];
        l.occupied |= 1 << slot;
        l.slots[slot as usize].push(entry);
        let start = Time::from_nanos((tick >> (SLOT_BITS * level)) << (SLOT_BITS * level + TICK_BITS));
        self.bound = self.bound.min(start);
    }

    /// Rank of the first entry if it is due at `limit` or earlier, else of anything later.
    #[inline]
    pub(super) fn first_rank(&mut self, limit: Time, is_live: impl Fn(&Entry) -> bool) -> Rank {
        if self.cursor == self.batch.len() && self.near.is_empty() {
            if self.bound > limit || self.slotted == 0 {
                return Rank::NEVER;
            }
            self.fill(limit, is_live);
        }
        let batch = self.batch.get(self.cursor).map_or(Rank::NEVER, Entry::rank);
        let near = self.near.peek().map_or(Rank::NEVER, |e| e.0.rank());
        batch.min(near)
    }

    /// Whether the first entry, which [`Wheel::first_rank`] has found, is so.
    #[inline]
    pub(super) fn first_is(&self, is_so: impl Fn(&Entry) -> bool) -> bool {
        match (self.batch.get(self.cursor), self.near.peek()) {
            (Some(b), Some(Reverse(n))) => is_so(b.min(n)),
            (Some(e), None) | (None, Some(Reverse(e))) => is_so(e),
            (None, None) => false,
        }
    }

    /// Takes the first entry, after [`Wheel::first_rank`] has said that there is one.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        let batch = self.batch.get(self.cursor).copied();
        match (batch, self.near.peek()) {
            (Some(b), Some(Reverse(n))) if *n < b => self.near.pop().map(|e| e.0),
            (Some(b), _) => {
                self.cursor += 1;
                Some(b)
            }
            (None, _) => self.near.pop().map(|e| e.0),
        }
    }

    /// Takes the first occupied tick into the batch, and further ones as long as none of their entries is live.
    fn fill(&mut self, limit: Time, is_live: impl Fn(&Entry) -> bool) {
        self.batch.clear();
        self.cursor = 0;
        while self.batch.is_empty() && self.slotted > 0 && self.bound <= limit {
            let Some(level) = self.levels.iter().position(|l| l.occupied != 0) else { break };
            let slot = u64::from(self.levels[level].occupied.trailing_zeros());
            let shift = SLOT_BITS * level as u32;
            self.edge = ((self.edge >> shift) & !SLOT_MASK | slot) << shift;
            if level == 0 {
                self.take_tick(slot as usize, &is_live);
            } else {
                self.pull_down(level);
            }
            self.bound = self.first_start();
        }
    }

    /// Swaps the slot at the edge for the used-up batch, and moves the edge on.
    fn take_tick(&mut self, slot: usize, is_live: &impl Fn(&Entry) -> bool) {
        let level = &mut self.levels[0];
        level.occupied &= !(1 << slot);
        std::mem::swap(&mut self.batch, &mut level.slots[slot]);
        self.slotted -= self.batch.len();
        // Asking for all of them at once also fetches what the pops will need, side by side.
        self.batch.retain(is_live);
        self.batch.sort_unstable();
        self.edge += 1;
        // The edge may have entered a slot of a higher level, whose entries then belong further down.
        for level in 1..self.levels.len() {
            if self.edge & ((1 << (SLOT_BITS * level as u32)) - 1) != 0 {
                break;
            }
            self.pull_down(level);
        }
    }

    /// Spreads the slot of this level in which the edge lies over the levels below.
    fn pull_down(&mut self, level: usize) {
        let slot = (self.edge >> (SLOT_BITS * level as u32)) & SLOT_MASK;
        let l = &mut self.levels[level];
        if l.occupied >> slot & 1 == 0 {
            return;
        }
        l.occupied &= !(1 << slot);
        let mut entries = std::mem::take(&mut l.slots[slot as usize]);
        for entry in entries.drain(..) {
            self.place(entry);
        }
        // The buffer is kept for the level's next turn.
        self.levels[level].slots[slot as usize] = entries;
    }

    /// Start of the first occupied slot.
    fn first_start(&self) -> Time {
        let Some(level) = self.levels.iter().position(|l| l.occupied != 0) else { return Time::MAX };
        let slot = u64::from(self.levels[level].occupied.trailing_zeros());
        let shift = SLOT_BITS * level as u32;
        Time::from_nanos(((self.edge >> shift) & !SLOT_MASK | slot) << (shift + TICK_BITS))
    }

    /// Drops all entries that are not live.
    pub(super) fn sweep(&mut self, is_live: impl Fn(&Entry) -> bool) {
        self.batch.drain(..self.cursor);
        self.cursor = 0;
        self.batch.retain(&is_live);
        self.near.retain(|e| is_live(&e.0));
        self.slotted = 0;
        for level in &mut self.levels {
            for (i, slot) in level.slots.iter_mut().enumerate() {
                slot.retain(&is_live);
                self.slotted += slot.len();
                if slot.is_empty() {
                    level.occupied &= !(1 << i);
                }
            }
        }
        self.bound = self.first_start();
    }

    pub(super) fn clear(&mut self) {
        self.sweep(|_| false);
    }
}
