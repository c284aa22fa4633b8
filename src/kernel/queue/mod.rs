//! The event queue: exact (time, class, sequence) order, FIFO lanes for constant delays, a timer
//! wheel for the rest, O(1) cancel by key.
//!
//! It stands on its own and knows nothing of processes; its events are any `Copy` data.

mod agenda;
mod batch;
mod entry;
mod event_queue;
mod kept_turn;
mod lanes;
mod slab;
#[cfg(test)]
mod tests;
mod wheel;

pub(crate) use agenda::{Agenda, Held};
pub use entry::Class;
pub use event_queue::EventQueue;
pub(crate) use kept_turn::Idler;
pub(crate) use lanes::Lane;
pub use slab::EventKey;
