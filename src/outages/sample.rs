//! Measured spans: what a history says by itself, without any fit. A fit is wrong just where a
//! timeout lies, among the shortest outages.

/// Measured spans in seconds, sorted; there is at least one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spans {
    sorted: Vec<f64>,
    /// Sums of the first ones, so that means cost nothing.
    sums: Vec<f64>,
}

impl Spans {
    /// Of these spans, longer than zero; none without any.
    pub(crate) fn new(spans: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> =
            spans.into_iter().filter(|s| *s > 0.0 && s.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let sums = std::iter::once(0.0)
            .chain(sorted.iter().scan(0.0, |sum, s| {
                *sum += s;
                Some(*sum)
            }))
            .collect();
        (!sorted.is_empty()).then_some(Self { sorted, sums })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.sorted.len()
    }

    /// All of them, the shortest first.
    pub(crate) fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The mean.
    pub(crate) fn mean(&self) -> f64 {
        self.sums[self.count()] / self.count() as f64
    }

    /// The span that a share `p` of them does not exceed: one that occurred.
    pub(crate) fn quantile(&self, p: f64) -> f64 {
        self.sorted[((p * self.count() as f64).ceil() as usize).clamp(1, self.count()) - 1]
    }

    /// How many are not longer than `t`.
    fn up_to(&self, t: f64) -> usize {
        self.sorted.partition_point(|s| *s <= t)
    }

    /// The share of those that are longer than `t`.
    pub(crate) fn survival(&self, t: f64) -> f64 {
        (self.count() - self.up_to(t)) as f64 / self.count() as f64
    }

    /// The mean, longer ones counted as `t`.
    pub(crate) fn mean_up_to(&self, t: f64) -> f64 {
        let n = self.up_to(t);
        (self.sums[n] + t * (self.count() - n) as f64) / self.count() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_says_what_is_in_it() {
        let s = Spans::new([30.0, 10.0, 0.0, 20.0, 40.0]).unwrap();
        assert_eq!((s.count(), s.mean(), s.quantile(0.5), s.quantile(0.51)), (4, 25.0, 20.0, 30.0));
        assert_eq!((s.survival(20.0), s.survival(19.9)), (0.5, 0.75));
        // (10 + 20 + 25 + 25) / 4
        assert_eq!(s.mean_up_to(25.0), 20.0);
        assert_eq!(Spans::new([0.0]), None);
    }
}
