//! What changed in the taint eviction controller from release to release.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

/// What a timed worker that ended well leaves of its entry (S19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinishedEntry {
    /// Nil, up to 1.32.
    #[default]
    Nil,
    /// Nothing, from 1.33.
    Deleted,
}

/// The condition DisruptionTarget before a deletion (S11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DisruptionTarget {
    /// Not written.
    #[default]
    Off,
    /// Server-side apply at every try.
    Apply,
    /// PATCH if it changes anything.
    PatchIfChanged,
}

/// What changed in the taint eviction controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// It is a controller of its own with its own client (S15); before 1.29 a part of the node
    /// lifecycle controller.
    pub separate_controller: bool,
    /// "All remaining taints are tolerated for ever" cancels the pending timer (S1).
    pub(crate) forever_cancels: bool,
    /// The condition DisruptionTarget before a deletion (S11).
    pub(crate) disruption_target: DisruptionTarget,
    /// "Delete now" takes one clock reading and has a nil entry; before 1.30 two, and a timer of
    /// some nanoseconds (S17).
    pub(crate) one_clock_reading: bool,
    /// What a timed worker that ended well leaves (S19).
    pub finished_entry: FinishedEntry,
    /// A fired timer checks whether it was cancelled (S21).
    pub(crate) cancelled_flag: bool,
    /// The gate TaintTolerationComparisonOperators (S24).
    pub comparison_operators: bool,
    /// How many workers: 1 up to 1.10, then 8.
    pub(crate) workers: usize,
    /// A node's pods are LISTed from the API server, up to six times 100 ms apart; after that they
    /// come from the informer's index.
    pub(crate) pods_by_live_list: bool,
}
