//! Orders in which the events of some instants are to come, for a search that knows what it wants
//! of an instant.
//!
//! They are not a part of a tape; the turns that result from them are, one by one.

use crate::kernel::Time;
use std::collections::BTreeMap;

/// An event that may come: the hash of its name, and its number in order of posting.
pub type Coming = (u64, u64);

/// For some instants, the events in the order in which they are to come. Of several of one name the
/// number says which, as far as the run is still the one that gave it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Orders {
    of: BTreeMap<Time, Vec<Coming>>,
    /// The present instant, and what of its order has not come yet.
    now: Option<(Time, Vec<Coming>)>,
}

/// Where an order has an event.
fn place(order: &[Coming], event: Coming) -> Option<usize> {
    order
        .iter()
        .position(|e| *e == event)
        .or_else(|| order.iter().position(|e| e.0 == event.0))
}

impl Orders {
    /// Has the events of an instant come in this order.
    pub fn put(&mut self, at: Time, events: Vec<Coming>) {
        self.of.insert(at, events);
    }

    /// Whether they say nothing of any instant.
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    fn left(&mut self, at: Time) -> Option<&mut Vec<Coming>> {
        if self.now.as_ref().is_none_or(|now| now.0 != at) {
            self.now = Some((at, self.of.get(&at)?.clone()));
        }
        self.now.as_mut().map(|now| &mut now.1)
    }

    /// Which of these events comes next, if the order says anything about the first of them: the
    /// one that it has first.
    pub(super) fn pick(&mut self, at: Time, events: impl Iterator<Item = Coming>) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let left = self.left(at)?;
        let mut best: Option<(usize, u32)> = None;
        for (i, event) in (0..).zip(events) {
            match place(left, event) {
                Some(place) if best.is_none_or(|b| place < b.0) => best = Some((place, i)),
                None if i == 0 => return None,
                _ => {}
            }
        }
        best.map(|b| b.1)
    }

    /// An event has come.
    pub(super) fn came(&mut self, at: Time, event: Coming) {
        if self.is_empty() {
            return;
        }
        if let Some(left) = self.left(at)
            && let Some(place) = place(left, event)
        {
            left.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_keeps_to_its_order_as_far_as_it_goes() {
        let (one, two) = (Time::from_nanos(1), Time::from_nanos(2));
        let mut orders = Orders::default();
        orders.put(two, vec![(7, 1), (5, 2), (7, 3), (9, 4)]);
        let mut pick = |at, events: &[Coming]| {
            let picked = orders.pick(at, events.iter().copied());
            orders.came(at, events[picked.unwrap_or(0) as usize]);
            picked
        };
        assert_eq!(pick(one, &[(9, 4), (7, 1)]), None);
        assert_eq!(
            pick(two, &[(9, 4), (5, 2), (7, 3), (7, 1)]),
            Some(3),
            "of two 7 the one of that number"
        );
        assert_eq!(
            pick(two, &[(9, 4), (5, 8), (7, 3)]),
            Some(1),
            "5 has another number now, and the other 7 comes after it"
        );
        assert_eq!(
            pick(two, &[(4, 9), (9, 4), (7, 3)]),
            None,
            "nothing is known of 4"
        );
        assert_eq!(pick(two, &[(9, 4), (7, 3)]), Some(1));
        assert_eq!(pick(two, &[(9, 4), (7, 5)]), Some(0), "7 has come twice");
    }
}
