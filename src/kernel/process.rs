//! What the kernel knows of a process: which ticket it last parked with, and where its future lies.
//!
//! A process is a future that parks with the kernel and is polled again when that park is woken;
//! there are no wakers. Each park has one ticket. A ticket is claimed once by whoever means to wake
//! the process; a ticket of an earlier park, or of a process that is gone, is stale: it can be
//! neither claimed nor woken.

use std::pin::Pin;

/// What a process does.
pub(crate) trait Work: Future<Output = ()> + 'static {}

impl<F: Future<Output = ()> + 'static> Work for F {}

/// A process's future.
pub(super) type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Names a set of processes that are killed together: those of one component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Group(pub(super) u32);

/// A process in its slot; by default one that is over.
#[derive(Default)]
pub(super) struct Process {
    pub(super) task: Option<Task>,
    pub(super) group: Group,
    pub(super) cause: u32,
    pub(super) saw: u32,
    /// The type of its future.
    pub(super) kind: &'static str,
}

/// Names one park of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket {
    pub(super) slot: u32,
    pub(super) park: u32,
}

impl Ticket {
    /// The argument of the event that wakes this park.
    pub(super) const fn pack(self) -> u64 {
        (self.slot as u64) << 32 | self.park as u64
    }

    /// Reads an event's argument back.
    pub(super) const fn unpack(bits: u64) -> Self {
        Self { slot: (bits >> 32) as u32, park: bits as u32 }
    }
}

/// The newest park of every slot, and the slots that are free.
///
/// A park number grows by two with each park; its lowest bit says that the park was claimed. It
/// stays with the slot when a process ends, so that tickets of the slot's earlier owners stay
/// stale.
#[derive(Default, Debug)]
pub(super) struct Parks {
    newest: Vec<u32>,
    free: Vec<u32>,
}

impl Parks {
    /// Without any slot, in the same tables.
    pub(super) fn again(mut self) -> Self {
        self.newest.clear();
        self.free.clear();
        self
    }

    /// Takes a slot for a process that is about to be started: it counts as parked, and as claimed
    /// by its spawner.
    pub(super) fn occupy(&mut self) -> Ticket {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.newest.push(0);
            self.newest.len() as u32 - 1
        });
        let ticket = self.park(slot);
        self.claim(ticket);
        ticket
    }

    /// Gives the slot of a process that is gone back, for another one or for nobody.
    pub(super) fn vacate(&mut self, slot: u32, again: bool) {
        self.park(slot);
        self.free.extend(again.then_some(slot));
    }

    /// Parks the process of a slot; its earlier tickets are stale from here on.
    pub(super) fn park(&mut self, slot: u32) -> Ticket {
        let newest = &mut self.newest[slot as usize];
        *newest = (*newest | 1).wrapping_add(1);
        Ticket { slot, park: *newest }
    }

    /// Whether the process still waits at this park and nobody has claimed it.
    pub(super) fn alive(&self, t: Ticket) -> bool {
        self.newest[t.slot as usize] == t.park
    }

    /// Whether the process still waits at this park, claimed or not.
    pub(super) fn waits(&self, t: Ticket) -> bool {
        self.newest[t.slot as usize] & !1 == t.park
    }

    /// Claims a park: true once.
    pub(super) fn claim(&mut self, t: Ticket) -> bool {
        let alive = self.alive(t);
        if alive {
            self.newest[t.slot as usize] |= 1;
        }
        alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_claimed_once_and_dies_with_the_park() {
        let mut parks = Parks::default();
        let start = parks.occupy();
        assert!(
            parks.waits(start) && !parks.alive(start),
            "a new process is claimed by its spawner"
        );
        let first = parks.park(start.slot);
        assert!(parks.alive(first) && !parks.waits(start));
        assert!(parks.claim(first) && !parks.claim(first));
        assert!(parks.waits(first));
        let second = parks.park(start.slot);
        assert!(!parks.waits(first) && !parks.claim(first) && parks.alive(second));
    }

    #[test]
    fn a_slot_is_used_again_and_old_tickets_stay_stale() {
        let mut parks = Parks::default();
        let one = parks.occupy();
        let parked = parks.park(one.slot);
        parks.vacate(one.slot, true);
        let two = parks.occupy();
        assert_eq!(one.slot, two.slot);
        assert!(!parks.alive(parked) && !parks.waits(parked) && !parks.claim(parked));
    }

    #[test]
    fn a_ticket_survives_being_an_argument() {
        let t = Ticket { slot: 70_000, park: u32::MAX - 1 };
        assert_eq!(Ticket::unpack(t.pack()), t);
    }
}
