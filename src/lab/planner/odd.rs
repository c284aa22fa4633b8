//! How far outages come to something else than their formula says. A figure of which formulas know all has no spread
//! as long as each outage comes to what they say: what none of `n` outages showed may be so in up to three of `n` (the
//! rule of three), and is then as much as one outage can come to. Of a few that did it, the spread says too little, too.

use super::moments::are_figures;
use crate::analysis::statistics::RULE_OF_THREE;
use serde::{Deserialize, Serialize};

/// From this number of cases on the deviations of what was seen say how far it may be off.
pub(super) const ENOUGH: u64 = 40;
/// What differs by a smaller part, or by less than this, differs by how it is computed.
const SAME: f64 = 1e-9;

/// Of some figures of a year, or of what they differ by in two rows, outage by outage of one model: that those of another one
/// often come to something else says nothing of these.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(crate) struct Odd {
    /// How many outages came to something else than by their formula; by none they come to nothing.
    seen: Vec<u64>,
    /// How far off it was at most, in a year: as often as outages come that are drawn most seldom for it.
    off: Vec<f64>,
    /// What an outage came to at most, likewise.
    most: Vec<f64>,
}

impl Odd {
    pub(super) fn new(width: usize) -> Self {
        Self { seen: vec![0; width], off: vec![0.0; width], most: vec![0.0; width] }
    }

    /// Takes an outage in: how far off it was, and what it came to.
    pub(super) fn add(&mut self, place: usize, outage: [f64; 2]) {
        let [off, most] = outage.map(f64::abs);
        self.seen[place] += u64::from(off > SAME * (1.0 + off + most));
        self.off[place] = self.off[place].max(off);
        self.most[place] = self.most[place].max(most);
    }

    /// Of some of the figures alone.
    pub(super) fn of_places(&self, places: &[usize]) -> Self {
        fn of<T: Copy>(all: &[T], places: &[usize]) -> Vec<T> {
            places.iter().map(|place| all[*place]).collect()
        }
        let (seen, off, most) = (&self.seen, &self.off, &self.most);
        Self { seen: of(seen, places), off: of(off, places), most: of(most, places) }
    }

    /// Whether it is of so many figures, and can be reckoned with.
    pub(super) fn fits(&self, width: usize) -> bool {
        self.seen.len() == width
            && self.off.len() == width
            && self.most.len() == width
            && are_figures(self.off.iter().chain(&self.most))
    }
}

/// How far a mean of `n` replications may be off by what few outages of some models showed, or none: three of the unseen
/// ones in all are three of whichever model they are dearest of.
pub(super) fn open(models: &[Odd], place: usize, n: u64) -> f64 {
    let most = models.iter().map(|odd| match odd.seen[place] {
        0 => odd.most[place],
        seen if seen < ENOUGH => odd.off[place],
        _ => 0.0,
    });
    RULE_OF_THREE / n.max(1) as f64 * most.fold(0.0, f64::max)
}
