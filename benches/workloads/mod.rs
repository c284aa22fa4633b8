//! The four workloads of the kernel's benches, and the engines that run them: the same code beside
//! the peers in `benches/kernel.rs`, beside them at small size in `benches/peers.rs`, and alone in
//! `tests/it/kernel_workloads.rs`, so that it cannot rot.
//!
//! A workload is written once, against the few calls that every engine has. Each folds every event
//! that fires into a checksum, in order: equal checksums prove equal work.

pub(crate) mod engines;
pub(crate) mod heartbeat;
pub(crate) mod hold;
pub(crate) mod partition;
pub(crate) mod timers;

use serde::{Deserialize, Serialize};

/// Nanoseconds of a second.
pub(crate) const SEC: u64 = 1_000_000_000;

/// What fires.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Event {
    /// A node renews its lease; in the hold model, a timer fires.
    Renew(u32),
    /// A pod's timer fires.
    Pod(u32),
    /// The monitor's pass.
    Monitor,
    /// The partition is over; in the timer rounds, a round begins.
    Begin(u32),
    /// The second half of a round.
    End(u32),
}

/// What a workload asks of an engine. Times are nanoseconds since the start.
pub(crate) trait Alarm<K> {
    /// An event that is never cancelled.
    fn post(&mut self, at: u64, event: Event);
    /// An event that may be cancelled.
    fn set(&mut self, at: u64, event: Event) -> K;
    /// Takes an event out that has not fired.
    fn cancel(&mut self, key: K);
}

/// A workload, for engines whose keys are `K`.
pub(crate) trait Work<K> {
    /// Posts the first events.
    fn start(&mut self, alarm: &mut impl Alarm<K>);
    /// One event fires.
    fn on(&mut self, now: u64, event: Event, alarm: &mut impl Alarm<K>);
    /// Checksum over all that fired.
    fn checksum(&self) -> u64;
}

/// 64 bits drawn for the k-th time by an object: splitmix64's finaliser with its step.
pub(crate) const fn rnd(id: u64, k: u64) -> u64 {
    let z = (id << 32 | k).wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Scales 64 bits to `0..n`.
pub(crate) const fn below(r: u64, n: u64) -> u64 {
    ((r as u128 * n as u128) >> 64) as u64
}

/// Folds one event into a checksum.
pub(crate) const fn fold(h: u64, t: u64, id: u64) -> u64 {
    (h.rotate_left(5) ^ t ^ id << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
