//! The place of an event in the order of all events.

use super::slab::EventKey;
use crate::kernel::Time;

/// What kind of event it is. The order of all events is (time, class, sequence): first by time,
/// within one instant by class in the order written here, and within a class first come, first
/// served.
///
/// Having a class in the order lets an event that was skipped, because it could not have had any
/// effect, tie with others exactly as it would have done had it been simulated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Class {
    /// The scenario's actions and faults.
    Outside,
    /// Periodic writers outside the process model: heartbeats.
    Source,
    /// Requests reach the server.
    Arrival,
    /// Changes reach caches.
    Delivery,
    /// Processes go on.
    Wake,
    /// Cancellable timers fire.
    Timer,
}

impl Class {
    /// All classes in their order.
    pub const ALL: [Self; 6] =
        [Self::Outside, Self::Source, Self::Arrival, Self::Delivery, Self::Wake, Self::Timer];
}

/// Place of an event: its time in the upper half; class and sequence number in the lower.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rank(u128);

impl Rank {
    /// Behind every event.
    pub(super) const NEVER: Self = Self(u128::MAX);

    pub(super) const fn new(at: Time, order: u64) -> Self {
        Self((at.as_nanos() as u128) << 64 | order as u128)
    }

    /// Behind every event that is due at `at` or earlier, and before all others.
    pub(super) const fn end_of(at: Time) -> Self {
        Self::new(at, u64::MAX)
    }

    pub(super) const fn at(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    pub(super) const fn class(self) -> Class {
        class_of(self.0 as u64)
    }
}

impl Default for Rank {
    fn default() -> Self {
        Self::NEVER
    }
}

/// Class (upper 8 bits) and sequence number (lower 56) as one number. Even at a hundred million
/// events per second, 55 bits last 11 years.
pub(super) const fn order_of(class: Class, sequence: u64) -> u64 {
    (class as u64) << 56 | sequence
}

/// Set in the order of events that have a rank; they are behind all that have none.
const RANKED: u64 = 1 << 55;
/// Bits of a sequence number that an order with a rank keeps, below 23 bits of rank.
const RANKED_SEQUENCE: u64 = (1 << 32) - 1;

/// As [`order_of`], of an event that comes in the order of ranks; those of the highest ranks share
/// one.
pub(super) const fn ranked_order_of(class: Class, rank: u64, sequence: u64) -> u64 {
    let highest = (1 << 23) - 1;
    let rank = if rank > highest { highest } else { rank };
    order_of(class, RANKED | rank << 32 | sequence & RANKED_SEQUENCE)
}

/// The sequence number; of events with a rank its lower 32 bits, which are all of it where anyone
/// asks, in a search.
pub(super) const fn sequence_of(order: u64) -> u64 {
    if order & RANKED == 0 { order & (RANKED - 1) } else { order & RANKED_SEQUENCE }
}

pub(super) const fn class_of(order: u64) -> Class {
    Class::ALL[(order >> 56) as usize]
}

/// An event in the wheel: its place, and the slab's key to its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) at: Time,
    pub(super) order: u64,
    pub(super) key: EventKey,
}

impl Entry {
    #[inline]
    pub(super) const fn rank(&self) -> Rank {
        Rank::new(self.at, self.order)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}
