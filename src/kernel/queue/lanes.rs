//! FIFO lanes: events that are due a constant delay after they are posted come up in the order in
//! which they were posted, so a queue per delay and class is all the sorting they need.

use super::entry::{Class, Rank, order_of};
use crate::kernel::{Dur, Time};
use std::collections::VecDeque;

/// Names a FIFO lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lane(pub(super) u32);

#[derive(Clone, Copy, Debug)]
struct Posted<E> {
    at: Time,
    order: u64,
    event: E,
}

impl<E> Posted<E> {
    const fn rank(&self) -> Rank {
        Rank::new(self.at, self.order)
    }
}

#[derive(Debug)]
struct Fifo<E> {
    delay: Dur,
    class: Class,
    events: VecDeque<Posted<E>>,
}

#[derive(Debug)]
pub(super) struct Lanes<E> {
    fifos: Vec<Fifo<E>>,
    /// Rank of each lane's first event.
    heads: Vec<Rank>,
    /// The lane whose first event comes first of all, and that event's rank.
    first: usize,
    first_rank: Rank,
    /// No event of any other lane comes before this.
    others: Rank,
    len: usize,
    /// Empty queues of lanes that are no more.
    spare: Vec<VecDeque<Posted<E>>>,
}

impl<E: Copy> Lanes<E> {
    pub(super) const fn new() -> Self {
        Self {
            fifos: Vec::new(),
            heads: Vec::new(),
            first: 0,
            first_rank: Rank::NEVER,
            others: Rank::NEVER,
            len: 0,
            spare: Vec::new(),
        }
    }

    /// Without any lane, in the same tables.
    pub(super) fn again(mut self) -> Self {
        self.spare.extend(self.fifos.drain(..).map(|mut fifo| {
            fifo.events.clear();
            fifo.events
        }));
        self.heads.clear();
        Self { first: 0, first_rank: Rank::NEVER, others: Rank::NEVER, len: 0, ..self }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn find(&self, delay: Dur, class: Class) -> Option<Lane> {
        self.fifos.iter().position(|f| f.delay == delay && f.class == class).map(|i| Lane(i as u32))
    }

    pub(super) fn add(&mut self, delay: Dur, class: Class) -> Lane {
        self.fifos.push(Fifo { delay, class, events: self.spare.pop().unwrap_or_default() });
        self.heads.push(Rank::NEVER);
        Lane(self.fifos.len() as u32 - 1)
    }

    #[inline]
    pub(super) fn push(&mut self, lane: Lane, now: Time, sequence: u64, event: E) {
        let i = lane.0 as usize;
        let fifo = &mut self.fifos[i];
        let (at, order) = (now.saturating_add(fifo.delay), order_of(fifo.class, sequence));
        let posted = Posted { at, order, event };
        let was_empty = fifo.events.is_empty();
        fifo.events.push_back(posted);
        self.len += 1;
        if was_empty {
            let rank = posted.rank();
            self.heads[i] = rank;
            if rank < self.first_rank {
                self.others = self.first_rank;
                (self.first, self.first_rank) = (i, rank);
            } else {
                self.others = self.others.min(rank);
            }
        }
    }

    /// Rank of the first event of all lanes.
    #[inline]
    pub(super) const fn first_rank(&self) -> Rank {
        self.first_rank
    }

    /// Takes the first event of all lanes.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<E> {
        let posted = self.fifos.get_mut(self.first)?.events.pop_front()?;
        self.len -= 1;
        self.head_has_gone(self.first);
        Some(posted.event)
    }

    /// The first event of lane `i` has been taken.
    #[inline]
    fn head_has_gone(&mut self, i: usize) {
        let head = self.fifos[i].events.front().map_or(Rank::NEVER, Posted::rank);
        self.heads[i] = head;
        if i == self.first && head < self.others {
            self.first_rank = head;
        } else {
            self.find_first();
        }
    }

    #[inline(never)]
    fn find_first(&mut self) {
        (self.first, self.first_rank, self.others) = (0, Rank::NEVER, Rank::NEVER);
        let heads = if self.len == 0 { &[] } else { &self.heads[..] };
        for (i, head) in heads.iter().enumerate() {
            if *head < self.first_rank {
                self.others = self.first_rank;
                (self.first, self.first_rank) = (i, *head);
            } else {
                self.others = self.others.min(*head);
            }
        }
    }

    /// Takes all events that are due at `at` and none before it, and hands them out with their
    /// orders, lane by lane.
    pub(super) fn take_due(&mut self, at: Time, mut out: impl FnMut(u64, E)) {
        let end = Rank::end_of(at);
        while self.first_rank < end {
            let fifo = &mut self.fifos[self.first];
            while let Some(posted) = fifo.events.pop_front_if(|p| p.at <= at) {
                out(posted.order, posted.event);
                self.len -= 1;
            }
            self.head_has_gone(self.first);
        }
    }

    pub(super) fn clear(&mut self) {
        for fifo in &mut self.fifos {
            fifo.events.clear();
        }
        self.heads.fill(Rank::NEVER);
        self.len = 0;
        self.find_first();
    }
}
