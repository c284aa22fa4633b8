//! Whether two samples of classes are drawn with the same odds, and which of many such comparisons are
//! rejected where no single one may be by chance.

use statrs::distribution::{Beta, ChiSquared, ContinuousCDF, Discrete, Hypergeometric};

/// How many of a class are to be expected on either side for chi-squared to hold (Cochran, 1954).
const EXPECTED: f64 = 5.0;

/// Whether a class that came so often in two samples of so many each is to be expected often enough in
/// both.
pub(crate) fn is_often(class: (u64, u64), (a, b): (u64, u64)) -> bool {
    let part = a.min(b) as f64 / (a + b) as f64;
    (class.0 + class.1) as f64 * part >= EXPECTED
}

/// How likely it is that two samples differ by as much or more in how often each class came, if both
/// draw with the same odds: chi-squared, in which classes of which too few are to be expected are
/// one, or Fisher's exact test where two classes are left. `counts` has a pair for each class.
pub(crate) fn same_odds(counts: &[(u64, u64)]) -> f64 {
    let sum = |of: fn(&(u64, u64)) -> u64| counts.iter().map(of).sum::<u64>();
    let (a, b) = (sum(|c| c.0), sum(|c| c.1));
    if a == 0 || b == 0 {
        return 1.0;
    }
    let (mut classes, rare): (Vec<_>, Vec<_>) = counts.iter().partition(|c| is_often(**c, (a, b)));
    let rest =
        rare.iter().fold((0, 0), |sum: (u64, u64), c: &(u64, u64)| (sum.0 + c.0, sum.1 + c.1));
    if rest != (0, 0) {
        classes.push(rest);
    }
    // What is still rare goes with the class that is so next, unless Fisher's test, which is exact, is enough.
    if classes.len() > 2 && rest != (0, 0) && !is_often(rest, (a, b)) {
        classes.pop();
        if let Some(least) = classes.iter_mut().min_by_key(|c| c.0 + c.1) {
            *least = (least.0 + rest.0, least.1 + rest.1);
        }
    }
    match classes[..] {
        [] | [_] => 1.0,
        [one, other] => fisher(one, other),
        _ => {
            let far = |&(x, y): &(u64, u64)| {
                let all = (x + y) as f64 / (a + b) as f64;
                let far = |seen: u64, of: u64| {
                    let expected = all * of as f64;
                    (seen as f64 - expected).powi(2) / expected
                };
                far(x, a) + far(y, b)
            };
            let chi = classes.iter().map(far).sum();
            ChiSquared::new((classes.len() - 1) as f64).map_or(1.0, |d| d.sf(chi))
        }
    }
}

/// Where the odds lie with 95 % confidence of what came `count` times of `of` (Clopper and Pearson, 1934).
pub(crate) fn interval(count: u64, of: u64) -> (f64, f64) {
    let at = |p: f64, a: u64, b: u64, end: f64| {
        Beta::new(a as f64, b as f64).map_or(end, |d| d.inverse_cdf(p))
    };
    let without = of.saturating_sub(count);
    (at(0.025, count, without + 1, 0.0), at(0.975, count + 1, without, 1.0))
}

/// Fisher's exact test of two classes, two-sided: all tables with the same sums that are no likelier.
pub(crate) fn fisher(one: (u64, u64), other: (u64, u64)) -> f64 {
    let (ones, a) = (one.0 + one.1, one.0 + other.0);
    let all = ones + other.0 + other.1;
    let Ok(table) = Hypergeometric::new(all, ones, a) else {
        return 1.0;
    };
    let seen = table.pmf(one.0);
    let tables = a.saturating_sub(all - ones)..=ones.min(a);
    // What is as likely as what was seen must not be left out by a rounding.
    let as_far = tables.map(|x| table.pmf(x)).filter(|p| *p <= seen * (1.0 + 1e-9));
    as_far.sum::<f64>().min(1.0)
}

/// Which of these probabilities are below `level`, where no single one may be by chance (Holm, 1979): the
/// greatest of them, or none.
pub(crate) fn rejected(probabilities: &mut [f64], level: f64) -> Option<f64> {
    probabilities.sort_by(f64::total_cmp);
    let all = probabilities.len();
    let below = (0..).zip(probabilities.iter());
    let below = below.take_while(|(i, p)| **p * (all - i) as f64 <= level);
    below.last().map(|(_, p)| *p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fisher's tea, 3 of 4 against 1 of 4: (16 + 1 + 16 + 1) / 70 = 0.4857. Three classes of
    /// 10, 20, 30 against 20, 20, 20: each side is expected to have 15, 20, 25, and (25 + 25) / 15 + 0 + 50 / 25 = 5.333, of which
    /// e^(-5.333 / 2) = 0.0695 lies above with two degrees. Rare classes are one, and go with the rarest other where they still are.
    #[test]
    fn two_samples_of_classes_have_the_same_odds() {
        let is = |counts: &[(u64, u64)], p: f64| {
            let found = same_odds(counts);
            assert!((found - p).abs() < 1e-4, "{counts:?}: {found}");
        };
        assert!((fisher((3, 1), (1, 3)) - 34.0 / 70.0).abs() < 1e-9);
        is(&[(10, 20), (20, 20), (30, 20)], 0.069_483);
        is(&[(8, 19), (20, 20), (30, 20), (1, 1), (1, 0)], 0.069_483);
        is(&[(60, 60)], 1.0);
        is(&[(0, 60)], 1.0);
        is(&[], 1.0);
        // 1 of 60 against 0 of 60 is nothing; all against none is sure: 2 / (120 over 60).
        is(&[(1, 0), (59, 60)], 1.0);
        assert!(same_odds(&[(60, 0), (0, 60)]) < 1e-30);
    }

    /// None of 60: up to 1 - 0.025^(1/60) = 0.0596; all of them the other way round; 5 of 10 is 0.1871 to 0.8129 in Clopper and Pearson's tables.
    #[test]
    fn odds_have_an_interval() {
        let is = |(count, of): (u64, u64), (low, high): (f64, f64)| {
            let found = interval(count, of);
            assert!((found.0 - low).abs() < 1e-4 && (found.1 - high).abs() < 1e-4, "{found:?}");
        };
        is((0, 60), (0.0, 0.0596));
        is((60, 60), (0.9404, 1.0));
        is((5, 10), (0.1871, 0.8129));
    }

    /// Of 0.01, 0.013, 0.03, 0.04 at 5 %: 0.05 / 4 = 0.0125 and 0.05 / 3 = 0.0167 hold, 0.05 / 2 = 0.025 does not.
    #[test]
    fn of_many_none_is_rejected_by_chance() {
        assert_eq!(rejected(&mut [0.03, 0.013, 0.04, 0.01], 0.05), Some(0.013));
        assert_eq!(rejected(&mut [0.02, 0.04, 0.04], 0.05), None);
        assert_eq!(rejected(&mut [], 0.05), None);
    }
}
