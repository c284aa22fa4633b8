//! What Go's goroutines meet at: channels, `select`, mutexes, wait groups, all first come, first
//! served.
//!
//! A woken process finds what it waited for in its hands: a value is handed over, and a lock passed
//! on, when the waker acts, not when the sleeper wakes. A waiter that was killed is passed over.

mod chan;
mod join;
mod lock;
#[cfg(test)]
mod tests;
mod waiters;

pub use chan::Chan;
pub(crate) use chan::{Either, select2};
pub(crate) use join::Join;
pub(crate) use lock::{Held, Lock, Shared};
pub(crate) use waiters::Waiters;
