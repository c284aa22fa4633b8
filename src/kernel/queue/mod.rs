//! The event queue: exact (time, class, sequence) order, FIFO lanes for constant delays, O(1) cancel by key.

mod event_queue;

pub use event_queue::{EventKey, EventQueue, Lane};
