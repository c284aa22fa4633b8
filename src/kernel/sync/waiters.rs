//! A queue of processes that wait for something, first come, first served.

use crate::kernel::{Ctx, Ticket};
use std::collections::VecDeque;

/// Processes that wait. Mostly there is none or one, for which no table is made.
#[derive(Default, Debug)]
pub(crate) struct Waiters {
    first: Option<Ticket>,
    /// Empty while there is no first.
    others: VecDeque<Ticket>,
}

impl Waiters {
    /// A parked process waits from now on, behind all others.
    pub(crate) fn push(&mut self, t: Ticket) {
        match self.first {
            None => self.first = Some(t),
            Some(_) => self.others.push_back(t),
        }
    }

    /// Takes the one that has waited longest.
    pub(crate) fn pop(&mut self) -> Option<Ticket> {
        std::mem::replace(&mut self.first, self.others.pop_front())
    }

    /// Wakes the one that has waited longest of those that are still there; whether there is one.
    pub(crate) fn wake_first(&mut self, ctx: &Ctx) -> bool {
        while let Some(t) = self.pop() {
            if ctx.claim(t) {
                ctx.wake(t);
                return true;
            }
        }
        false
    }

    /// Whether nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Drops those that are to wait no longer.
    pub(crate) fn retain(&mut self, keep: impl Fn(Ticket) -> bool) {
        self.others.retain(|t| keep(*t));
        self.first.take_if(|t| !keep(*t));
        if self.first.is_none() {
            self.first = self.others.pop_front();
        }
    }

    /// Takes one out of the line; false if it was not in it.
    pub(crate) fn remove(&mut self, t: Ticket) -> bool {
        if self.first == Some(t) {
            return self.pop().is_some();
        }
        let place = self.others.iter().position(|w| *w == t);
        place.and_then(|i| self.others.remove(i)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_what_a_queue_does() {
        let ticket = |slot| Ticket { slot, park: 2 };
        let (mut line, mut plain) = (Waiters::default(), VecDeque::new());
        let mut x: u64 = 1;
        for i in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let some = ticket(i - (x >> 40) as u32 % 4 % (i + 1));
            match x >> 33 & 7 {
                0..4 => {
                    line.push(ticket(i));
                    plain.push_back(ticket(i));
                }
                4..6 => assert_eq!(line.pop(), plain.pop_front()),
                6 => {
                    let place = plain.iter().position(|t| *t == some);
                    assert_eq!(line.remove(some), place.and_then(|p| plain.remove(p)).is_some());
                }
                _ => {
                    line.retain(|t| t.slot % 3 != i % 3);
                    plain.retain(|t| t.slot % 3 != i % 3);
                }
            }
        }
        assert!(std::iter::from_fn(|| line.pop()).eq(plain));
    }
}
