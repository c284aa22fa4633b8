//! The figures of two sides over seeds.

use super::costs::Bill;
use crate::analysis::costs::Figure;
use crate::analysis::statistics::sign_test;
use crate::kernel::Dur;
use std::cmp::Ordering;

/// A figure of the costs over seeds, in its unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Paired {
    /// The means of the first and of the second side.
    pub(crate) means: [f64; 2],
    /// The mean of the differences of equal seeds: the second side's less the first side's. More is
    /// worse.
    pub(crate) difference: f64,
    /// The least and the greatest of these differences.
    pub(crate) range: (f64, f64),
    /// In how many seeds it is less in the second side, beyond the tolerance.
    pub(crate) less: u64,
    /// In how many seeds it is more in the second side, beyond the tolerance.
    pub(crate) more: u64,
}

impl Paired {
    /// How likely as many seeds on one side are if it is chance which of both sides is which.
    pub(crate) fn chance(&self) -> f64 {
        sign_test(self.less, self.more)
    }
}

/// A figure's sums over seeds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Sum {
    sums: [f64; 2],
    difference: f64,
    range: Option<(f64, f64)>,
    less: u64,
    more: u64,
}

/// The figures over seeds, in the order of [`Figure::ALL`].
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Sums {
    seeds: u64,
    figures: [Sum; Figure::ALL.len()],
}

impl Sums {
    pub(super) fn add(&mut self, a: &Bill, b: &Bill, tolerance: Dur) {
        self.seeds += 1;
        for (sum, figure) in self.figures.iter_mut().zip(Figure::ALL) {
            let values = [figure.of(&a.costs), figure.of(&b.costs)];
            let difference = values[1] - values[0];
            sum.sums[0] += values[0];
            sum.sums[1] += values[1];
            sum.difference += difference;
            sum.range = Some(sum.range.map_or((difference, difference), |(least, most)| {
                (least.min(difference), most.max(difference))
            }));
            match a.compared(b, figure, tolerance) {
                Ordering::Less => sum.less += 1,
                Ordering::Greater => sum.more += 1,
                Ordering::Equal => {}
            }
        }
    }

    pub(super) fn finish(&self) -> Vec<(Figure, Paired)> {
        let n = self.seeds.max(1) as f64;
        let one = |(figure, sum): (Figure, &Sum)| {
            let means = sum.sums.map(|s| s / n);
            let (difference, range) = (sum.difference / n, sum.range.unwrap_or_default());
            (figure, Paired { means, difference, range, less: sum.less, more: sum.more })
        };
        Figure::ALL.into_iter().zip(&self.figures).map(one).collect()
    }
}
