//! A loss with all that it did.

use super::hit::{Figures, Hit};
use super::losses::Loss;
use crate::analysis::disruption::Pace;
use serde::{Deserialize, Serialize};

/// A loss and what it did.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lost {
    /// What was lost.
    pub(crate) loss: Loss,
    /// What that did.
    pub(crate) damage: Damage,
}

impl Lost {
    /// Whether its figures are the least that they can be: a workload that it hit has volumes, which
    /// are not simulated.
    pub(crate) fn is_least(&self) -> bool {
        self.damage.hits.iter().any(|h| h.volumes)
    }
}

/// What a loss did.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(crate) struct Damage {
    /// In all.
    pub(crate) figures: Figures,
    /// By workload, those that were touched, by name.
    pub(crate) hits: Vec<Hit>,
    /// The zones in which nodes were tainted slower than usual, or not at all, each with how.
    pub(crate) paced: Vec<(String, Pace)>,
    /// How many nodes and pods it took away.
    pub(crate) size: (usize, usize),
    /// It took every node of a zone, with the disks that are there.
    pub(crate) whole_zone: bool,
}

/// No figure of a loss is larger.
const FIGURE_MAX: f64 = 1e18;

/// No number of pods or workloads is larger.
const COUNT_MAX: u64 = 1 << 48;

fn are_counts(all: &[i64]) -> bool {
    all.iter().all(|n| n.unsigned_abs() <= COUNT_MAX)
}

impl Damage {
    /// Whether figures from a file can be reckoned with.
    pub(super) fn is_sound(&self) -> bool {
        let of_hit = |h: &Hit| {
            let counts = [h.pending, h.stuck, h.left];
            let parts = [Some(h.missing_minutes), h.cores, h.gibibytes];
            are_counts(&counts) && parts.iter().flatten().all(|x| x.abs() <= FIGURE_MAX)
        };
        let f = &self.figures;
        let parts = [f.down_minutes, f.missing_minutes, f.lost_minutes];
        f.workloads_down as u64 <= COUNT_MAX
            && are_counts(&[f.pending, f.evicted, f.needless, f.stuck])
            && parts.iter().all(|x| x.abs() <= FIGURE_MAX)
            && self.hits.iter().all(of_hit)
    }
}
