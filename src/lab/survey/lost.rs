//! A loss with all that it did.

use super::hit::{Figures, Hit};
use super::losses::Loss;
use crate::analysis::disruption::Pace;

/// A loss and what it cost.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lost {
    /// What was lost.
    pub loss: Loss,
    /// In all.
    pub figures: Figures,
    /// By workload, those that were touched, by name.
    pub hits: Vec<Hit>,
    /// The zones in which nodes were tainted slower than usual, or not at all, each with how.
    pub paced: Vec<(String, Pace)>,
    /// How many nodes and pods it took away.
    pub size: (usize, usize),
    /// It took every node of a zone, with the disks that are there.
    pub whole_zone: bool,
}

impl Lost {
    /// Whether its figures are the least that they can be: a workload that it hit has volumes, which
    /// are not simulated.
    pub(crate) fn is_least(&self) -> bool {
        self.hits.iter().any(|h| h.volumes)
    }
}
