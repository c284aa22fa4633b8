//! Runs that are given up, as they would never end or not fit into memory: a mistake in what was asked.

use super::prelude::*;
use crate::analysis::clock::absolute;
use crate::kernel::Endless;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spins { at, steps, kind } => write!(
                f,
                "the run does not go on: {} steps were taken at {}, and the clock still stands there; the next is of {kind}",
                grouped(*steps),
                absolute(*at)
            ),
            Self::Remakes { at, pods, workload, node } => {
                let on =
                    node.as_ref().map_or(String::new(), |node| format!(", the last on {node}"));
                write!(
                    f,
                    "the run does not go on: {} makes one pod in place of the other, as each comes to nothing at once: \
                     {} pods by {}{on}",
                    workload.replacen('/', " ", 1),
                    grouped(*pods),
                    absolute(*at)
                )
            }
            Self::Chooses { at, choices } => write!(
                f,
                "the run is too large for a search, which keeps each of its choices: {} up to {}",
                grouped(*choices as u64),
                absolute(*at)
            ),
        }
    }
}

/// What is said of a run that was given up: nothing takes any time there, or it is too large for a
/// search.
pub(crate) fn gave_up(endless: &Endless) -> Problem {
    let help = match endless {
        Endless::Spins { .. } => {
            "what acts without any delay may undo each other's work for ever: give the scenario's `timing` delays, or run it with \
             `--timing Typical`; if it has delays, please report it with the scenario"
        }
        Endless::Remakes { .. } => {
            "where nothing takes any time, neither do pods that are refused or evicted and made again: give the scenario's `timing` \
             delays, or run it with `--timing Typical`"
        }
        Endless::Chooses { .. } => {
            "search a smaller one: fewer pods and nodes, or a shorter horizon"
        }
    };
    Problem::new(endless.to_string()).help(help)
}

/// Does something.
///
/// # Errors
/// A run in it was given up.
pub(crate) fn unless_endless<T>(work: impl FnOnce() -> T) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        match payload.downcast_ref::<Endless>() {
            Some(endless) => gave_up(endless),
            None => resume_unwind(payload),
        }
    })
}
