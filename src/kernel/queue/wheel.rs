//! A hierarchical timer wheel of coarse ticks under a sorted batch: what is due soon is taken out
//! of the wheel and sorted at once.
//!
//! A tick is 2^20 ns, about a millisecond; a level has 64 slots, each as long as a whole turn of
//! the level below. Coarse ticks with a sort beat a wheel of single nanoseconds, in which an entry
//! wanders down through many more levels; and where entries are few, a slot of a higher level is
//! claimed as a whole. Entries that are added to what has been claimed go to a small heap, or, once
//! that is full, to the slots like all others. Looking at the next event therefore never upsets the
//! order later, however far ahead it lies.

use super::batch::Batch;
use super::entry::{Entry, Rank};
use super::slab::EventKey;
use crate::kernel::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nanoseconds of a tick, as a power of two.
const TICK_BITS: u32 = 20;
/// Slots of a level, as a power of two: the bits of one word say which are occupied.
const SLOT_BITS: u32 = 6;
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_MASK: u64 = SLOTS as u64 - 1;
/// Eight levels of six bits, and the bits of a tick, hold every time there is.
const LEVELS: usize = 8;
/// A slot of the level above ticks is claimed as a whole if it holds no more entries than this, and
/// one of a higher level if it holds no more than that: the longer the slot, the more will be added
/// to it while it is being used up.
const CLAIM_SHORT: usize = 1024;
const CLAIM_LONG: usize = 32;
/// Entries that the near-heap takes of what is claimed beyond the tick that is being used up.
const NEAR: usize = 64;

#[derive(Default, Debug)]
pub(super) struct Wheel {
    /// Slots of all levels, the lowest level first; empty until the first entry comes.
    slots: Vec<Vec<Entry>>,
    /// Which slots of each level hold entries.
    occupied: [u64; LEVELS],
    /// Start, in ticks, of what was taken out of the wheel last: every entry in a slot is on the
    /// level of the highest digit in which its tick differs from this.
    edge: u64,
    /// Entries of earlier ticks than this can only go to the near-heap.
    used: u64,
    /// End, in ticks, of what has been taken out of the slots.
    claimed: u64,
    /// No entry in the slots comes before this.
    bound: Rank,
    batch: Batch,
    near: BinaryHeap<Reverse<Entry>>,
    /// Rank of the first entry of batch and near-heap, if it comes before the bound; and whether
    /// that entry is the near-heap's.
    ready: Rank,
    head_is_near: bool,
}

impl Wheel {
    /// Entries of any kind, dead ones included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.slots.iter().map(Vec::len).sum::<usize>() + self.batch.len() + self.near.len()
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        let tick = entry.at.as_nanos() >> TICK_BITS;
        if tick < self.claimed && (tick < self.used || self.near.len() < NEAR) {
            self.push_near(entry.at, entry.order, entry.key);
        } else {
            if entry.at <= self.bound.at() {
                self.lower_bound(entry.at);
            }
            self.place(entry);
        }
    }

    #[inline(never)]
    fn lower_bound(&mut self, at: Time) {
        self.bound = Rank::new(at, 0);
        self.find_head();
    }

    #[inline(never)]
    fn push_near(&mut self, at: Time, order: u64, key: EventKey) {
        self.near.push(Reverse(Entry { at, order, key }));
        self.find_head();
    }

    /// Puts an entry into its slot.
    #[inline]
    fn place(&mut self, entry: Entry) {
        let tick = entry.at.as_nanos() >> TICK_BITS;
        let level = (63 - ((tick ^ self.edge) | 1).leading_zeros()) / SLOT_BITS;
        let slot = (tick >> (SLOT_BITS * level)) & SLOT_MASK;
        let level = level as usize % LEVELS;
        self.occupied[level] |= 1 << slot;
        let index = level * SLOTS + slot as usize;
        if index >= self.slots.len() {
            self.make_slots();
        }
        self.slots[index].push(entry);
    }

    #[cold]
    fn make_slots(&mut self) {
        self.slots.resize_with(SLOTS * LEVELS, Vec::new);
    }

    /// No entry in the slots comes before this: who wants one behind it calls [`Wheel::fill`]
    /// first.
    #[inline]
    pub(super) const fn bound(&self) -> Rank {
        self.bound
    }

    /// Rank of the first entry, unless it may still be in the slots.
    #[inline]
    pub(super) const fn ready(&self) -> Rank {
        self.ready
    }

    /// The first entry, if it is ready.
    pub(super) fn peek(&self) -> Option<&Entry> {
        if self.head_is_near { self.near.peek().map(|e| &e.0) } else { self.batch.first() }
    }

    /// Takes the first entry, if it is ready.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        if self.head_is_near {
            return self.pop_near();
        }
        let entry = self.batch.pop();
        self.find_head();
        entry
    }

    #[inline(never)]
    fn pop_near(&mut self) -> Option<Entry> {
        let entry = self.near.pop().map(|e| e.0);
        self.find_head();
        entry
    }

    #[inline]
    fn find_head(&mut self) {
        let batch = self.batch.first_rank();
        let near = self.near.peek().map_or(Rank::NEVER, |e| e.0.rank());
        self.head_is_near = near < batch;
        let head = if self.head_is_near { near } else { batch };
        self.ready = if head < self.bound { head } else { Rank::NEVER };
    }

    /// Takes the first slot: into the batch, or, if it is long and holds many entries, apart into
    /// the slots of the levels below. Entries that are not live are dropped on the way, if there
    /// may be any.
    #[inline(never)]
    pub(super) fn fill(&mut self, is_live: Option<impl Fn(&Entry) -> bool>) {
        let Some((level, slot, start)) = self.first_slot() else { return };
        let index = level * SLOTS + slot as usize;
        let mut entries = std::mem::take(&mut self.slots[index]);
        self.occupied[level] &= !(1 << slot);
        if let Some(is_live) = is_live {
            entries.retain(is_live);
        }
        let limit = match level {
            0 => usize::MAX,
            1 => CLAIM_SHORT,
            _ => CLAIM_LONG,
        };
        self.edge = start;
        self.used = start;
        // Nothing is left before it: what is pushed there from now on goes to the near-heap, also
        // when this slot is taken apart.
        self.claimed = self.claimed.max(start);
        if entries.len() <= limit {
            let end = start + (1 << (SLOT_BITS * level as u32));
            self.claimed = self.claimed.max(end);
            if level == 0 {
                self.used = end;
            }
            self.batch.add(&mut entries);
        } else {
            for entry in entries.drain(..) {
                self.place(entry);
            }
        }
        // The buffer is kept for the level's next turn.
        self.slots[index] = entries;
        self.find_bound();
        self.find_head();
    }

    /// Level, number and start of the first occupied slot: those of a lower level come before those
    /// of a higher one.
    fn first_slot(&self) -> Option<(usize, u64, u64)> {
        let level = self.occupied.iter().position(|o| *o != 0)?;
        let slot = u64::from(self.occupied[level].trailing_zeros());
        let shift = SLOT_BITS * level as u32;
        Some((level, slot, ((self.edge >> shift) & !SLOT_MASK | slot) << shift))
    }

    fn find_bound(&mut self) {
        self.bound = self.first_slot().map_or(Rank::NEVER, |(_, _, start)| {
            Rank::new(Time::from_nanos(start << TICK_BITS), 0)
        });
    }

    /// Drops all entries that are not live.
    pub(super) fn sweep(&mut self, is_live: impl Fn(&Entry) -> bool) {
        self.batch.retain(&is_live);
        self.near.retain(|e| is_live(&e.0));
        for (i, slot) in self.slots.iter_mut().enumerate() {
            slot.retain(&is_live);
            if slot.is_empty() {
                self.occupied[i / SLOTS] &= !(1 << (i % SLOTS));
            }
        }
        self.find_bound();
        self.find_head();
    }

    pub(super) fn clear(&mut self) {
        for (level, occupied) in self.occupied.iter_mut().enumerate() {
            while *occupied != 0 {
                self.slots[level * SLOTS + occupied.trailing_zeros() as usize].clear();
                *occupied &= *occupied - 1;
            }
        }
        self.batch.clear();
        self.near.clear();
        self.find_bound();
        self.find_head();
    }

    /// Empty, and at the beginning of time, in the same tables.
    pub(super) fn again(mut self) -> Self {
        self.clear();
        Self { edge: 0, used: 0, claimed: 0, ..self }
    }
}
