//! How far outages come to something else than their formula says. A figure of which formulas know all has no spread
//! as long as each outage comes to what they say: what none of `n` outages showed may be so in a few of `n` (with 95 % up to
//! three), and is then as much as one outage can come to. Of a few that did it, the spread says too little, too;
//! and so it does where a few are as far off as all others together: what lasts for a time without bounds is known
//! by its longest outages, of which the next one may be longer.

use super::moments::are_figures;
use crate::analysis::statistics::unseen;
use crate::lab::prelude::*;

/// From this number of cases on the deviations of what was seen say how far it may be off.
pub(super) const ENOUGH: u64 = 40;
/// What differs by a smaller part, or by less than this, differs by how it is computed.
const SAME: f64 = 1e-9;

/// Of some figures of a year, or of what they differ by in two rows, outage by outage of one model: that those of another one
/// often come to something else says nothing of these.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(crate) struct Odd(Vec<Off>);

/// Of one of these figures.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
struct Off {
    /// How many outages came to something else than by their formula; by none they come to nothing.
    seen: u64,
    /// How far off it was at most, in a year: as often as outages come that are drawn most seldom for it.
    off: f64,
    /// What an outage came to at most, likewise.
    most: f64,
    /// How far off outages were in all, and the farthest one, each as often as it comes.
    sum: f64,
    far: f64,
}

impl Odd {
    pub(super) fn new(width: usize) -> Self {
        Self(vec![Off::default(); width])
    }

    /// Takes an outage in: how far off it was, and what it came to; it has this part of the weight of one that is drawn most
    /// seldom.
    pub(super) fn add(&mut self, place: usize, outage: [f64; 2], part: f64) {
        let ([off, most], own) = (outage.map(f64::abs), &mut self.0[place]);
        own.seen += u64::from(off > SAME * (1.0 + off + most));
        own.off = own.off.max(off);
        own.most = own.most.max(most);
        own.sum += part * off;
        own.far = own.far.max(part * off);
    }

    /// Of some of the figures alone.
    pub(super) fn of_places(&self, places: &[usize]) -> Self {
        Self(places.iter().map(|place| self.0[*place]).collect())
    }

    /// Whether it is of so many figures, and can be reckoned with.
    pub(super) fn fits(&self, width: usize) -> bool {
        let all = self.0.iter().flat_map(|own| [&own.off, &own.most, &own.sum, &own.far]);
        self.0.len() == width && are_figures(all)
    }
}

/// How far a mean of `n` replications may be off by what few outages of some models showed, or none: all that was
/// not seen may be of whichever model it is dearest of.
pub(super) fn open(models: &[Odd], place: usize, n: u64, confidence: f64) -> f64 {
    let most = models.iter().map(|odd| match odd.0[place] {
        Off { seen: 0, most, .. } => most,
        Off { seen, off, .. } if seen < ENOUGH => off,
        Off { sum, far, .. } if sum < ENOUGH as f64 * far => far,
        _ => 0.0,
    });
    unseen(confidence) / n.max(1) as f64 * most.fold(0.0, f64::max)
}
