//! What outages of the API server mean to whoever is in charge.

use crate::kernel::Time;
use std::cell::Cell;

/// An outage of the API server, to the controllers' process.
#[derive(Default)]
pub(super) struct Office {
    /// How many outages there were.
    pub(super) outages: Cell<u32>,
    /// The entry of the timeline of the latest.
    pub(super) entry: Cell<u32>,
    /// The last try of a leader to renew before its deadline, in the latest.
    pub(super) last_try: Cell<Time>,
    /// When the latest ended.
    pub(super) up_since: Cell<Time>,
    /// A process waits for the API server.
    pub(super) waits: Cell<bool>,
}
