//! Means and co-moments of many figures at one time. They say the mean and the variance of every
//! sum and difference of these figures, and take the same room however many replications there
//! were.
//!
//! The selection of the best of several values: the procedure KN of Kim and Nelson ("A fully
//! sequential procedure for indifference-zone selection in simulation", ACM TOMACS 11(3), 2001),
//! which may be used with common random numbers. With the stated confidence the value that is left
//! is the best one, or within delta of it.
//!
//! What KN takes to leave a value out grows with the variance of its cost, however bad it is: never
//! to evict costs a fortune in rare outages, and would hold up all others. So half of the error that
//! is allowed goes to looks with the paired t test, one each time that the replications have doubled
//! (the error divided by all pairs and looks, after Bonferroni), and KN has the other half.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// No plan has more replications than this ([`super::run`] stops long before), and Student's t comes to no end from some
/// twenty times as many degrees of freedom on.
const COUNT_MAX: u64 = 1 << 20;

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
        self.mean.iter_mut().zip(&before).for_each(|(mean, d)| *mean += d / n);
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
        let mean = places.iter().map(|p| self.mean[*p]).collect();
        Self { n: self.n, mean, co: places.iter().enumerate().flat_map(co).collect() }
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
        if self.n < 2 {
            return (mean, 0.0);
        }
        let pairs = weights.iter().flat_map(|a| weights.iter().map(move |b| (a, b)));
        let sum: f64 = pairs.map(|((i, a), (j, b))| a * b * self.co(*i, *j)).sum();
        (mean, (sum / (self.n - 1) as f64).max(0.0))
    }
}

/// How many standard errors an interval reaches to each side.
pub(super) fn student(confidence: f64, n: u64) -> f64 {
    let degrees = n.max(2) as f64 - 1.0;
    let upper = 1.0 - (1.0 - confidence) / 2.0;
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(upper))
}

/// The looks, at most: from a first stage of eight to 20,000 replications.
const LOOKS: f64 = 12.0;

/// What one needs to know of all pairs to go on eliminating.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    delta: f64,
    h2: f64,
    /// The variances of the paired differences in the first stage.
    variance: Vec<Vec<f64>>,
    /// The values that are still in question.
    pub(crate) left: Vec<usize>,
    /// The replications of the next look, and the confidence of one of its tests, from both sides.
    next_look: u64,
    sure: f64,
}

impl Selection {
    /// After a first stage of `n0` replications: `variance` is that of each paired difference.
    pub(crate) fn new(confidence: f64, delta: f64, n0: u64, variance: Vec<Vec<f64>>) -> Self {
        let k = variance.len();
        let degrees = (n0.max(2) - 1) as f64;
        let each = (1.0 - confidence) / 2.0 / (k.max(2) - 1) as f64;
        let share = 2.0 * each;
        // Above one half there is nothing to be sure of.
        let eta = 0.5 * (libm::pow(share.min(0.999), -2.0 / degrees) - 1.0);
        let (h2, sure) = (2.0 * eta * degrees, 1.0 - 2.0 * each / LOOKS);
        Self { delta, h2, variance, left: (0..k).collect(), next_look: n0, sure }
    }

    /// Leaves out what is worse than another value by the paired t test, where `n` replications are
    /// enough for the next look; `difference` says the mean and the variance of what one value
    /// costs more than another.
    pub(crate) fn look(&mut self, n: u64, difference: impl Fn(usize, usize) -> (f64, f64)) {
        if n < self.next_look {
            return;
        }
        self.next_look = n * 2;
        let errors = student(self.sure, n);
        let worse = |i: usize, l: usize| {
            let (mean, variance) = difference(i, l);
            mean > errors * (variance / n as f64).sqrt()
        };
        let left = self.left.clone();
        self.left.retain(|&i| !left.iter().any(|&l| l != i && worse(i, l)));
    }

    /// Leaves out what cannot be the best after `n` replications with these means; less is better.
    pub(crate) fn screen(&mut self, n: u64, means: &[f64]) {
        let n = n as f64;
        let loses = |i: usize, l: usize| {
            let ratio = self.h2 * self.variance[i][l] / (self.delta * self.delta);
            let slack = (self.delta / 2.0 * (ratio - n)).max(0.0);
            n * (means[i] - means[l]) > slack
        };
        let left = self.left.clone();
        self.left.retain(|&i| !left.iter().any(|&l| l != i && loses(i, l)));
        // Past this many no difference can be worth more: the better one is as good as the best.
        let bound = |i: usize, l: usize| {
            (self.h2 * self.variance[i][l] / (self.delta * self.delta)).floor() + 1.0
        };
        let done = self.left.iter().all(|&i| self.left.iter().all(|&l| l == i || n >= bound(i, l)));
        if done && self.left.len() > 1 {
            let best = self.left.iter().copied().min_by(|a, b| means[*a].total_cmp(&means[*b]));
            self.left = best.into_iter().collect();
        }
    }

    /// Whether one is left.
    pub(crate) fn is_done(&self) -> bool {
        self.left.len() == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::choice::Keyed;
    use crate::lab::planner::moments::Moments;
    use crate::outages::Distribution;

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
        // More than any plan has are of a file that somebody wrote, and student() would not end.
        assert!(m.fits(2) && !Moments { n: 20_000_000, ..m.clone() }.fits(2));
        // The covariance, which is half of what their sum varies by more than both.
        let both = m.of(&[(0, 1.0), (1, 1.0)]).1;
        assert!(((both - 1.0 - 7.0) / 2.0 - 2.0).abs() < 1e-12);
    }

    /// The means of the first `k` figures.
    fn means(of: &Moments, k: usize) -> Vec<f64> {
        (0..k).map(|i| of.of(&[(i, 1.0)]).0).collect()
    }

    /// Three values whose means are exactly delta apart, drawn with common noise: the best is chosen
    /// in at least 95 of 100 cases; three deviations of Binomial(300, 0.95) below 285 are 274.
    #[test]
    fn the_best_is_chosen_as_often_as_stated() {
        let noise = Distribution::Exponential(1.0);
        let mut right = 0;
        for case in 0..300 {
            let keyed = Keyed::new(case, "select");
            let draw = |i: u64, r: u32| noise.quantile(keyed.unit(i, r));
            let mut moments = Moments::default();
            let mut selection: Option<Selection> = None;
            for r in 0..20_000 {
                let common = draw(9, r);
                let x = [0.2 + common + draw(0, r), common + draw(1, r), 0.2 + common + draw(2, r)];
                moments.add(&x);
                if r + 1 == 20 {
                    let of = |i: usize, l: usize| moments.of(&[(i, 1.0), (l, -1.0)]).1;
                    let variance = (0..3)
                        .map(|i| (0..3).map(|l| if i == l { 0.0 } else { of(i, l) }).collect())
                        .collect();
                    selection = Some(Selection::new(0.95, 0.2, 20, variance));
                }
                if let Some(s) = &mut selection {
                    s.look(moments.n(), |i, l| moments.of(&[(i, 1.0), (l, -1.0)]));
                    s.screen(moments.n(), &means(&moments, 3));
                    if s.is_done() {
                        break;
                    }
                }
            }
            right += u32::from(selection.is_some_and(|s| s.left == [1]));
        }
        assert!(right >= 274, "{right} of 300");
    }

    /// A value that costs 100 more, give or take 400: KN's slack of h² var / (2 delta) alone would
    /// take 160,000 · 11 / (2 · 0.2 · 100) = 44,000 replications. One t test of the twelve asks for
    /// four standard errors, thus for (4 · 400 / 100)² = 256.
    #[test]
    fn what_is_far_worse_is_left_out_however_it_varies() {
        let noise = Distribution::Exponential(1.0);
        let keyed = Keyed::new(5, "select");
        let mut moments = Moments::default();
        let mut selection = Selection::new(0.95, 0.2, 20, vec![vec![0.0, 1.6e5], vec![1.6e5, 0.0]]);
        for r in 0..2_000 {
            let common = noise.quantile(keyed.unit(0, r));
            let wild = 100.0 + 400.0 * (noise.quantile(keyed.unit(1, r)) - 1.0);
            moments.add(&[common + wild, common]);
            selection.look(moments.n(), |i, l| moments.of(&[(i, 1.0), (l, -1.0)]));
            selection.screen(moments.n(), &means(&moments, 2));
            if selection.is_done() {
                break;
            }
        }
        assert_eq!(selection.left, [1]);
        assert!((64..=640).contains(&moments.n()), "{}", moments.n());
    }
}
