//! How a run ends that would go on for ever, or that would not fit into memory.

use super::Time;
use std::fmt;

/// Why a run ends that would otherwise never end or not fit into memory: the payload of a panic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Endless {
    /// Its clock does not go on: two processes that undo each other's work without any delay do so
    /// for ever.
    Spins {
        /// The instant.
        at: Time,
        /// How many steps were taken in it.
        steps: u64,
        /// What would take the next one.
        kind: String,
    },
    /// A search keeps each choice of a run, and they are too many.
    Chooses {
        /// How far it came.
        at: Time,
        /// How many choices it has made.
        choices: usize,
    },
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spins { at, steps, kind } => write!(
                f,
                "the run does not go on: {steps} steps were taken at {at}, and the clock still stands there; the next is of {kind}"
            ),
            Self::Chooses { at, choices } => {
                write!(
                    f,
                    "the run is too large for a search, which keeps each of its choices: {choices} up to {at}"
                )
            }
        }
    }
}
