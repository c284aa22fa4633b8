//! Means and co-moments of many figures at one time. They say the mean and the variance of every
//! sum and difference of these figures, and take the same room however many replications there
//! were.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// No plan counts more outages, years, nodes or pods than this.
const COUNT_MAX: u64 = 1 << 48;

/// The largest figure that is taken from a file: its square is a number still.
pub(super) const FIGURE_MAX: f64 = 1e100;

/// Whether figures from a file can be reckoned with: anybody may have written it.
pub(super) fn are_figures<'a>(all: impl IntoIterator<Item = &'a f64>) -> bool {
    all.into_iter().all(|x| x.abs() <= FIGURE_MAX)
}

/// Of replications of several figures each.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Moments {
    n: u64,
    mean: Vec<f64>,
    /// Sums of products of deviations from the means: a lower triangle, row by row.
    co: Vec<f64>,
}

impl Moments {
    /// Takes a replication in (Welford's recurrence, for each pair of figures).
    pub(crate) fn add(&mut self, x: &[f64]) {
        if self.mean.is_empty() {
            self.mean = vec![0.0; x.len()];
            self.co = vec![0.0; x.len() * (x.len() + 1) / 2];
        }
        self.n += 1;
        let n = self.n as f64;
        let before: Vec<f64> = x.iter().zip(&self.mean).map(|(x, m)| x - m).collect();
        for (mean, d) in self.mean.iter_mut().zip(&before) {
            *mean += d / n;
        }
        let mut at = 0;
        for (i, di) in before.iter().enumerate() {
            for (j, _) in before.iter().enumerate().take(i + 1) {
                self.co[at] += di * (x[j] - self.mean[j]);
                at += 1;
            }
        }
    }

    /// Of some of the figures alone.
    pub(crate) fn of_places(&self, places: &[usize]) -> Self {
        let co = |(i, a): (usize, &usize)| {
            let own = places.iter().take(i + 1);
            own.map(|b| self.co(*a, *b)).collect::<Vec<f64>>()
        };
        Self {
            n: self.n,
            mean: places.iter().map(|p| self.mean[*p]).collect(),
            co: places.iter().enumerate().flat_map(co).collect(),
        }
    }

    /// The sum of products of deviations of two figures.
    fn co(&self, i: usize, j: usize) -> f64 {
        let (high, low) = (i.max(j), i.min(j));
        self.co[high * (high + 1) / 2 + low]
    }

    /// Whether it is of so many figures, and of at least two replications, and can be
    /// reckoned with.
    pub(crate) fn fits(&self, width: usize) -> bool {
        (2..=COUNT_MAX).contains(&self.n)
            && self.mean.len() == width
            && self.co.len() == width * (width + 1) / 2
            && are_figures(self.mean.iter().chain(&self.co))
    }

    /// How many replications there were.
    pub(crate) fn n(&self) -> u64 {
        self.n
    }

    /// The mean and the variance of a weighted sum of the figures; the weights are given with
    /// their places.
    pub(crate) fn of(&self, weights: &[(usize, f64)]) -> (f64, f64) {
        let mean = weights.iter().map(|(i, w)| w * self.mean[*i]).sum();
        (mean, self.between(weights, weights).max(0.0))
    }

    /// The covariance of two weighted sums of the figures.
    fn between(&self, a: &[(usize, f64)], b: &[(usize, f64)]) -> f64 {
        if self.n < 2 {
            return 0.0;
        }
        let sum: f64 = a
            .iter()
            .flat_map(|(i, a)| b.iter().map(move |(j, b)| (i, a, j, b)))
            .map(|(i, a, j, b)| a * b * self.co(*i, *j))
            .sum();
        sum / (self.n - 1) as f64
    }
}

/// How many standard errors an interval reaches to each side.
pub(super) fn student(confidence: f64, n: u64) -> f64 {
    let degrees = n.max(2) as f64 - 1.0;
    let upper = 1.0 - (1.0 - confidence) / 2.0;
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (1, 2), (2, 1), (3, 6): means 2 and 3; variances 1 and 7; differences 1, -1, 3 with mean 1
    /// and variance 4; the sum 2x + y is 4, 5, 12, with mean 7 and variance 19.
    #[test]
    fn sums_and_differences_by_hand() {
        let mut m = Moments::default();
        for x in [[1.0, 2.0], [2.0, 1.0], [3.0, 6.0]] {
            m.add(&x);
        }
        assert_eq!((m.n(), m.mean.as_slice()), (3, &[2.0, 3.0][..]));
        let near = |weights: &[(usize, f64)], mean: f64, variance: f64| {
            let (a, b) = m.of(weights);
            (a - mean).abs() < 1e-12 && (b - variance).abs() < 1e-12
        };
        assert!(near(&[(0, 1.0)], 2.0, 1.0) && near(&[(1, 1.0)], 3.0, 7.0));
        assert!(near(&[(1, 1.0), (0, -1.0)], 1.0, 4.0));
        assert!(near(&[(0, 2.0), (1, 1.0)], 7.0, 19.0));
        // The other way round, and one alone.
        let turned = m.of_places(&[1, 0]);
        assert_eq!(turned.of(&[(1, 2.0), (0, 1.0)]), m.of(&[(0, 2.0), (1, 1.0)]));
        assert_eq!(m.of_places(&[1]).of(&[(0, 1.0)]), m.of(&[(1, 1.0)]));
        assert!((m.between(&[(0, 1.0)], &[(1, 1.0)]) - 2.0).abs() < 1e-12);
    }
}
