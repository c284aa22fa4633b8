//! Statistics. Within a run minimum, median and maximum by nearest rank, in whole nanoseconds or
//! counts: no floats, no interpolation. Over runs also means and quantiles, each with the interval
//! in which the true one lies with 95 % confidence.

use crate::analysis::prelude::*;
use statrs::distribution::{Beta, Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, StudentsT};

/// The value of nearest rank: the smallest of `sorted` that at least `percent` per cent of them do
/// not exceed.
///
/// With n values that is the ⌈n·percent/100⌉-th smallest, so that the median of an even number is
/// the lower of the two in the middle, and always a value that occurred. None without values.
pub(crate) fn nearest_rank<T: Copy>(sorted: &[T], percent: u64) -> Option<T> {
    let rank = (sorted.len() as u64 * percent.min(100)).div_ceil(100).max(1);
    sorted.get(rank as usize - 1).copied()
}

/// The least, the middle and the greatest of some values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Spread<T = Dur> {
    /// How many values there were.
    pub(crate) count: usize,
    /// The least.
    pub(crate) min: T,
    /// The median, a value that occurred.
    pub(crate) median: T,
    /// The greatest.
    pub(crate) max: T,
}

impl<T: Copy + Ord> Spread<T> {
    /// The spread of `values`, which are sorted for it; none without values.
    pub(crate) fn of(values: &mut [T]) -> Option<Self> {
        values.sort_unstable();
        Some(Spread {
            count: values.len(),
            min: *values.first()?,
            median: nearest_rank(values, 50)?,
            max: *values.last()?,
        })
    }
}

/// From a number to another one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Interval {
    /// The lower end.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
}

impl Interval {
    /// Further by so much to either side.
    pub(crate) fn wider(self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    /// Without what lies below something that cannot be less.
    pub(crate) fn not_below(self, least: f64) -> Self {
        Self { low: self.low.max(least), high: self.high.max(least) }
    }
}

/// How much of the chance lies outside of an interval, on either side.
const TAIL: f64 = 0.025;

/// A figure over several runs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sample {
    sorted: Vec<f64>,
    mean: f64,
    /// The standard deviation of the values, with n - 1.
    deviation: f64,
}

impl Sample {
    /// Of these values, one of each run; none without values.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        if sorted.is_empty() {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        // Summed in order of size, so that the order of the runs makes no difference.
        let mean = sorted.iter().sum::<f64>() / n;
        let squares: f64 = sorted.iter().map(|v| (v - mean) * (v - mean)).sum();
        let deviation = if sorted.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        Some(Sample { sorted, mean, deviation })
    }

    /// How many values there are.
    pub(crate) fn count(&self) -> usize {
        self.sorted.len()
    }

    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The least value.
    pub(crate) fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The greatest value.
    pub(crate) fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// Where the true mean lies with 95 % confidence, by Student's t; none of a single value, which
    /// says nothing of its spread.
    pub(crate) fn mean_interval(&self) -> Option<Interval> {
        let n = self.sorted.len();
        if n < 2 {
            return None;
        }
        let t = StudentsT::new(0.0, 1.0, (n - 1) as f64).ok()?.inverse_cdf(1.0 - TAIL);
        let half = if self.deviation == 0.0 { 0.0 } else { t * self.deviation / (n as f64).sqrt() };
        Some(Interval { low: self.mean - half, high: self.mean + half })
    }

    /// The same of a figure that is never below zero.
    pub(crate) fn figure_interval(&self) -> Option<Interval> {
        self.mean_interval().map(|i| Interval { low: i.low.max(0.0), ..i })
    }

    /// The quantile of a percentage, a value that occurred.
    pub(crate) fn quantile(&self, percent: u64) -> f64 {
        nearest_rank(&self.sorted, percent).unwrap_or(self.mean)
    }

    /// Where the true quantile lies with at least 95 % confidence, whatever the distribution:
    /// between two of the values, by how many of n fall below it (binomial). None where there are
    /// too few values to tell.
    pub(crate) fn quantile_interval(&self, percent: u64) -> Option<Interval> {
        let n = self.sorted.len() as u64;
        let below = Binomial::new(percent.min(100) as f64 / 100.0, n).ok()?;
        // Ranks from 1: the l-th value is above the quantile if fewer than l lie below it.
        let low = (1..=n).take_while(|&l| below.cdf(l - 1) <= TAIL).last()?;
        let high = (1..=n).find(|&u| 1.0 - below.cdf(u - 1) <= TAIL)?;
        Some(Interval { low: self.sorted[low as usize - 1], high: self.sorted[high as usize - 1] })
    }
}

/// Where the mean of a Poisson number lies with at least 95 % confidence, of which `count` was seen
/// (Garwood, 1936).
pub(crate) fn poisson_interval(count: u64) -> Interval {
    let at = |p: f64, of: u64| match ChiSquared::new(2.0 * of as f64) {
        Ok(d) => d.inverse_cdf(p) / 2.0,
        Err(_) => 0.0,
    };
    Interval { low: at(TAIL, count), high: at(1.0 - TAIL, count + 1) }
}

/// What none of `n` cases showed comes at most in so many of `n`, as sure as this: e^-x = 1 - confidence. With 95 % that
/// is three (the rule of three), from which the others follow.
pub(crate) fn unseen(confidence: f64) -> f64 {
    3.0 * (libm::log(1.0 - confidence) / libm::log(1.0 - 0.95))
}

/// Where the odds lie with at least 95 % confidence of what came `count` times of `of` (Clopper and
/// Pearson, 1934).
pub(crate) fn share_interval(count: u64, of: u64) -> Interval {
    let at = |p: f64, a: u64, b: u64, end: f64| match Beta::new(a as f64, b as f64) {
        Ok(d) => d.inverse_cdf(p),
        Err(_) => end,
    };
    let without = of.saturating_sub(count);
    Interval {
        low: at(TAIL, count, without + 1, 0.0),
        high: at(1.0 - TAIL, count + 1, without, 1.0),
    }
}

/// How likely it is that of `less + more` pairs as many or more are on one side if either side is as
/// likely as the other: the sign test, two-sided.
pub(crate) fn sign_test(less: u64, more: u64) -> f64 {
    let n = less + more;
    match Binomial::new(0.5, n) {
        Ok(of) if n > 0 => (2.0 * of.cdf(less.min(more))).min(1.0),
        _ => 1.0,
    }
}

/// Up to which of these probabilities what was compared differs, if of what is said to differ one in
/// so many (`level`) may be chance: Benjamini and Hochberg, 1995. None of them where it is below
/// zero.
pub(crate) fn discoveries(probabilities: &mut [f64], level: f64) -> f64 {
    probabilities.sort_by(f64::total_cmp);
    let all = probabilities.len() as f64;
    let found = (1..).zip(probabilities.iter());
    let found = found.filter(|(rank, p)| **p <= f64::from(*rank) / all * level);
    found.last().map_or(-1.0, |(_, p)| *p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rank_is_a_value_that_occurred() {
        // Ranks by ⌈n·p/100⌉: of 5 the 3rd is the median, of 4 the 2nd, of 1 the 1st.
        assert_eq!(nearest_rank(&[1, 2, 3, 4, 5], 50), Some(3));
        assert_eq!(nearest_rank(&[1, 2, 3, 4], 50), Some(2));
        assert_eq!(nearest_rank(&[7], 50), Some(7));
        assert_eq!(nearest_rank::<u64>(&[], 50), None);
        // ⌈10·0.95⌉ = 10, ⌈10·0.90⌉ = 9; zero per cent is the least.
        let ten: Vec<u64> = (1..=10).collect();
        assert_eq!(
            (nearest_rank(&ten, 95), nearest_rank(&ten, 90), nearest_rank(&ten, 0)),
            (Some(10), Some(9), Some(1))
        );
        assert_eq!((nearest_rank(&ten, 100), nearest_rank(&ten, 1000)), (Some(10), Some(10)));
    }

    /// Of none seen: e^-λ = 0.025, λ = 3.689. Of two, by the tables of Pearson and Hartley: 0.242 to
    /// 7.225; of ten 4.795 to 18.39.
    #[test]
    fn a_poisson_number_has_its_exact_interval() {
        for (count, low, high) in [(0, 0.0, 3.689), (2, 0.242, 7.225), (10, 4.795, 18.39)] {
            let i = poisson_interval(count);
            assert!((i.low - low).abs() < 5e-4, "{count}: {i:?}");
            assert!((i.high - high).abs() < 5e-3, "{count}: {i:?}");
        }
    }

    /// -ln(0.01) is 4.605, -ln(0.0001) is 9.210, and -ln(0.05), 2.996, counts as three.
    #[test]
    fn what_none_showed_may_come_more_often_the_surer_one_is_to_be() {
        for (confidence, most) in [(0.95, 3.0), (0.99, 4.605), (0.9999, 9.210)] {
            let of = unseen(confidence);
            assert!((of / most - 1.0).abs() < 2e-3, "{confidence}: {of}");
        }
    }

    /// Of three pairs all on one side: 2 / 8. Of eight: 2 / 256. Of ten nine: 2 · 11 / 1024.
    #[test]
    fn pairs_on_one_side_are_chance_as_often_as_coins() {
        for (less, more, p) in
            [(0, 0, 1.0), (0, 3, 0.25), (8, 0, 0.007_812_5), (1, 9, 22.0 / 1024.0), (2, 2, 1.0)]
        {
            assert!((sign_test(less, more) - p).abs() < 1e-12, "{less} {more}");
        }
    }

    /// The example of Benjamini and Hochberg, 1995: of fifteen probabilities the first four are
    /// discoveries at 5 %, for 0.0095 is not above 4/15 · 0.05 = 0.0133, and 0.0201 is above 0.0167.
    /// Nothing is, where all are chance.
    #[test]
    fn what_is_compared_often_differs_by_chance_now_and_then() {
        let mut of = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        assert_eq!(discoveries(&mut of, 0.05), 0.0095);
        assert!(discoveries(&mut [0.25; 40], 0.05) < 0.0);
    }

    #[test]
    fn spread_sorts() {
        let s = Spread::of(&mut [9u64, 1, 5, 4]).expect("there are values");
        assert_eq!((s.count, s.min, s.median, s.max), (4, 1, 4, 9));
        assert_eq!(Spread::<u64>::of(&mut []), None);
    }

    #[test]
    fn a_mean_has_students_interval() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, deviation sqrt(32/7) =
        // 2.1381; t(7, 97.5 %) = 2.3646 from tables; half = 2.3646 * 2.1381 / sqrt(8) = 1.7875.
        let s = Sample::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("there are values");
        let i = s.mean_interval().expect("there are several");
        assert!(
            (s.mean() - 5.0).abs() < 1e-12
                && (i.low - 3.2125).abs() < 1e-3
                && (i.high - 6.7875).abs() < 1e-3,
            "{i:?}"
        );
        assert_eq!((s.count(), s.min(), s.max(), s.quantile(50)), (8, 2.0, 9.0, 4.0));
        // One value says nothing of its spread; equal ones have none.
        assert_eq!(Sample::of([3.0]).and_then(|s| s.mean_interval()), None);
        assert_eq!(
            Sample::of([3.0; 5]).and_then(|s| s.mean_interval()),
            Some(Interval { low: 3.0, high: 3.0 })
        );
        assert_eq!(Sample::of([]), None);
    }

    #[test]
    fn a_quantile_lies_between_two_of_the_values() {
        // Of ten values the median lies between the 2nd and the 9th with 97.9 %: P(B(10, 1/2) <= 1)
        // = 11/1024 = 1.07 %, and P(<= 2) = 5.5 %.
        let ten = Sample::of((1..=10).map(f64::from)).expect("there are values");
        assert_eq!(ten.quantile_interval(50), Some(Interval { low: 2.0, high: 9.0 }));
        // Five are too few: all five are above it in 1/32 = 3.1 % of cases.
        assert_eq!(Sample::of((1..=5).map(f64::from)).and_then(|s| s.quantile_interval(50)), None);
        // The 95th percentile of 20 values may lie above all of them: 0.95^20 = 36 %.
        assert_eq!(Sample::of((1..=20).map(f64::from)).and_then(|s| s.quantile_interval(95)), None);
    }

    /// Numbers with mean 50 by a plain congruential rule, twenty at a time: the interval holds the
    /// true mean in about 95 of 100 cases.
    #[test]
    fn the_interval_covers() {
        let (mut x, mut covers) = (1u64, 0);
        for _ in 0..1_000 {
            let sample = Sample::of((0..20).map(|_| {
                x = x
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (x >> 33) as f64 % 101.0
            }));
            let i = sample.and_then(|s| s.mean_interval()).expect("there are twenty");
            covers += u32::from(i.low <= 50.0 && 50.0 <= i.high);
        }
        // Binomial(1000, 0.95): 95 % of the time within 936 to 963; four deviations are 27.6.
        assert!((922..=978).contains(&covers), "{covers}");
    }

    /// The same numbers: the median lies between the 6th and the 15th of twenty values in P(6 <=
    /// B(20, 1/2) <= 14) = 1 - 2 · 21,700 / 2^20 = 95.86 % of cases, whatever they are drawn from.
    #[test]
    fn the_interval_of_a_median_covers() {
        let (mut x, mut covers) = (7u64, 0);
        for _ in 0..1_000 {
            let sample = Sample::of((0..20).map(|_| {
                x = x
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                // A skewed distribution, whose median is a quarter of its greatest value.
                let uniform = (x >> 11) as f64 / (1_u64 << 53) as f64;
                uniform * uniform
            }));
            let i = sample.and_then(|s| s.quantile_interval(50)).expect("twenty are enough");
            covers += u32::from(i.low <= 0.25 && 0.25 <= i.high);
        }
        // Four deviations of Binomial(1000, 0.9586) are 25.2.
        assert!((934..=983).contains(&covers), "{covers}");
    }
}
