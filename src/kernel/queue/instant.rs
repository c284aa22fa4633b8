//! Another order within an instant: any of the events that are due at the same time may come next,
//! whatever its class, but of a FIFO lane only the first (of ready processes, each). For tests that
//! results do not depend on an order by accident, and for exploring those that do.

use super::entry::{Entry, class_of};
use super::event_queue::EventQueue;
use crate::kernel::{Class, Time};

/// Takes events out of a queue in an order of the caller's choice within each instant.
#[derive(Default, Debug)]
pub(crate) struct Instant {
    /// Entries of the present instant, taken out of the wheel and not yet chosen.
    held: Vec<Entry>,
    /// Lane and place of the lanes' events on offer.
    offers: Vec<(u32, u32)>,
}

impl Instant {
    /// When the next event is due.
    pub(crate) fn peek_time<E: Copy>(&mut self, queue: &mut EventQueue<E>) -> Option<Time> {
        self.held.retain(|e| queue.slab.is_live(e.key));
        match self.held.first() {
            Some(entry) => Some(entry.at),
            None => queue.peek_time(),
        }
    }

    /// One of the next instant's events, if it is due at `end` or earlier: `pick` is given their
    /// number and returns an index. Those of the wheel come first, in their usual order, then those
    /// of the lanes.
    pub(crate) fn pop_until<E: Copy>(
        &mut self,
        queue: &mut EventQueue<E>,
        end: Time,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<(Time, Class, E)> {
        let at = self.peek_time(queue).filter(|at| *at <= end)?;
        queue.advance_to(at);
        self.held.extend(std::iter::from_fn(|| queue.take_entry(at)));
        self.offers.clear();
        queue.lanes.offers(at, &mut self.offers);
        let choices = self.held.len() + self.offers.len();
        let picked = if choices > 1 { pick(choices).min(choices - 1) } else { 0 };
        if picked < self.held.len() {
            let entry = self.held.remove(picked);
            return queue.slab.take(entry.key).map(|e| (at, class_of(entry.order), e));
        }
        let offer = self.offers[picked - self.held.len()];
        queue.lanes.take_offered(offer).map(|(class, e)| (at, class, e))
    }
}
