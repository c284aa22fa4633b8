//! From spans that were seen to how long something takes: of a few the median, of many what was seen, so that a run draws
//! among it.

use super::times::{LESS_US, micros};
use crate::language::{Distribution, HowLong};

/// From how many on a run draws among what was seen: the ninth of ten is then one of the two
/// longest, and not just the longest.
pub(super) const ENOUGH: usize = 20;

/// The most spans that are handed over; of more as many quantiles.
const SPANS_MAX: usize = 200;

/// The span that a share of them does not exceed, if there is any; the middle one is the mean of the
/// two beside it.
pub(super) fn quantile(all: &mut [i64], share: f64) -> Option<i64> {
    all.sort_unstable();
    let last = all.len().checked_sub(1)?;
    if share == 0.5 {
        return Some((all[last / 2] + all[last.div_ceil(2)]) / 2);
    }
    Some(all[((share * all.len() as f64).ceil() as usize).clamp(1, all.len()) - 1])
}

/// How long it takes, and what is told of that; none where the median is nothing.
pub(super) fn fitted(all: &mut [i64]) -> Option<(HowLong, String)> {
    let median = quantile(all, 0.5).filter(|m| *m > 0)?;
    let (n, text) = (all.len(), micros(median));
    if n < ENOUGH {
        let told = format!("{text} (median of {n})");
        return Some((HowLong::Always(text), told));
    }
    let most = quantile(all, 0.9)?;
    let values = (0..n.min(SPANS_MAX)).map(|i| {
        let at = (2 * i + 1) * n / (2 * n.min(SPANS_MAX));
        // Spans of less than a second have come to nothing, as others have come to a second too
        // much or too little: on average times in whole seconds are right.
        micros(all[at].max(1_000))
    });
    let told = format!("{text}, nine in ten within {} (drawn among {n})", micros(most));
    Some((HowLong::Drawn(Distribution::Values(values.collect())), told))
}

/// Something of which only that is known that it takes less than a second, and what is told of it.
pub(super) fn less() -> (HowLong, String) {
    let half = micros(LESS_US);
    let told = format!("less than a second, taken as {}", half.0);
    (HowLong::Always(half), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 400 spans of 1 to 400 ms 200 are left: the middle ones of pairs, each as likely.
    #[test]
    fn of_very_many_as_many_quantiles_are_left() {
        let mut all: Vec<i64> = (1..=400).map(|ms| ms * 1_000).collect();
        let Some((HowLong::Drawn(Distribution::Values(left)), told)) = fitted(&mut all) else {
            panic!("no distribution");
        };
        assert_eq!(left.len(), 200);
        assert_eq!((&*left[0], &*left[199]), ("0.002s", "0.4s"));
        assert!(told.ends_with("(drawn among 400)"), "{told}");
    }
}
