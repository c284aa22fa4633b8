//! What a timeout costs, by formula.
//!
//! A node is away for D seconds. After T seconds its pod is replaced, at the price B: the seconds
//! until the replacement serves, and whatever else an eviction costs, in seconds of downtime. The
//! cost of an outage is min(D, T) + B where D > T:
//!
//! ```text
//! C(T) = E[min(D, T)] + B · P(D > T)
//! ```
//!
//! It is least where the node's chance to return within the next second falls to 1/B, or at one of
//! the ends: at once, or never. Left out: that evictions queue, that rates of zones hold them up,
//! and that outages overlap.

use super::distribution::Distribution;

/// The best timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    /// In seconds; infinite if it is best never to replace.
    pub timeout: f64,
    /// What an outage costs with it, in seconds.
    pub cost: f64,
}

/// What an outage costs on average, in seconds of downtime.
pub(crate) fn cost(of: &Distribution, timeout: f64, price: f64) -> f64 {
    if timeout.is_infinite() {
        return of.mean();
    }
    of.mean_up_to(timeout) + price * of.survival(timeout)
}

/// The best timeout that is not shorter than `least`, what detection takes at least.
pub(crate) fn best(of: &Distribution, price: f64, least: f64) -> Best {
    let candidates: Vec<f64> = match of {
        // Just behind an outage that was measured: nothing else can be best.
        Distribution::Measured(spans) => {
            let mut ends = spans.sorted().to_vec();
            ends.dedup();
            ends
        }
        Distribution::Fixed(span) => vec![*span],
        // C'(T) = S(T) - B f(T): where the hazard falls to 1/B.
        Distribution::Weibull(shape, scale) if *shape < 1.0 => {
            vec![scale * libm::pow(shape * price / scale, 1.0 / (1.0 - shape))]
        }
        _ => grid(of, least),
    };
    let ends = [least, f64::INFINITY];
    candidates
        .into_iter()
        .filter(|t| *t >= least)
        .chain(ends)
        .map(|timeout| Best {
            timeout,
            cost: cost(of, timeout, price),
        })
        // Of equal ones the shortest, which finds out soonest.
        .min_by(|a, b| {
            a.cost
                .total_cmp(&b.cost)
                .then(a.timeout.total_cmp(&b.timeout))
        })
        .unwrap_or(Best {
            timeout: f64::INFINITY,
            cost: of.mean(),
        })
}

/// Timeouts from the least one to nearly the longest outage, each a fiftieth longer than the one
/// before.
fn grid(of: &Distribution, least: f64) -> Vec<f64> {
    let last = of.quantile(1.0 - 1e-6);
    let first = least.max(1.0);
    std::iter::successors(Some(first), |t| Some(t * 1.02))
        .take_while(|t| *t < last)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outages::sample::Spans;
    use std::sync::Arc;

    const HOUR: f64 = 3_600.0;

    /// Weibull below 1: T* = λ (kB/λ)^(1/(1-k)). Grid'5000, k = 0.35, λ = 0.47 h = 1,692 s, B =
    /// 900: kB/λ = 0.18617, to the power of 1.53846 is 0.07529: 127.4 s. LANL, k = 0.58, λ = 2.18 h
    /// = 7,848 s, B = 3,600: 0.26606^2.38095 = 0.04274: 335.4 s.
    #[test]
    fn the_best_timeout_of_weibulls() {
        let grid5000 = Distribution::Weibull(0.35, 0.47 * HOUR);
        let lanl = Distribution::Weibull(0.58, 2.18 * HOUR);
        assert!((best(&grid5000, 900.0, 0.0).timeout - 127.4).abs() < 0.1);
        assert!((best(&lanl, 3_600.0, 0.0).timeout - 335.4).abs() < 0.2);
        // No value of a grid of five seconds costs less than the one beside the formula's.
        for (d, price) in [(&grid5000, 900.0), (&lanl, 3_600.0)] {
            let least = (1..400)
                .map(|i| f64::from(i) * 5.0)
                .min_by(|a, b| cost(d, *a, price).total_cmp(&cost(d, *b, price)))
                .unwrap();
            assert!(
                (least - best(d, price, 0.0).timeout).abs() <= 5.0,
                "{least}"
            );
        }
    }

    /// Without memory it is all or nothing: at once if outages are longer than the price, never if
    /// shorter.
    #[test]
    fn exponential_outages_are_all_or_nothing() {
        let d = Distribution::Exponential(600.0);
        assert_eq!(best(&d, 500.0, 45.0).timeout, 45.0);
        assert_eq!(best(&d, 700.0, 45.0).timeout, f64::INFINITY);
        // 600 (1 - e^(-350/600)) + 900 e^(-350/600) = 265.19 + 502.22.
        assert!((cost(&d, 350.0, 900.0) - 767.41).abs() < 0.01);
    }

    /// Lognormal outages of Grid'5000, median e^-2 h = 487 s, sigma 2.2, B = 900: best near 250 s at
    /// 746 s per outage; 350 s cost 751, at once 900.
    #[test]
    fn a_lognormal_has_its_best_behind_the_peak() {
        let d = Distribution::LogNormal(libm::log(HOUR) - 2.0, 2.2);
        let found = best(&d, 900.0, 0.0);
        assert!(
            (found.timeout - 250.0).abs() < 15.0 && (found.cost - 746.0).abs() < 1.0,
            "{found:?}"
        );
        assert!((cost(&d, 350.0, 900.0) - 751.0).abs() < 1.0);
        assert!((cost(&d, 0.0, 900.0) - 900.0).abs() < 1e-9);
    }

    /// Nine outages of a minute and one of an hour, B = 600: just behind a minute (9·60 + 60 + 600)
    /// / 10 = 120; at once 600; never (540 + 3600) / 10 = 414.
    #[test]
    fn what_was_measured_decides_by_itself() {
        let spans = Spans::new([60.0; 9].into_iter().chain([3_600.0])).unwrap();
        let d = Distribution::Measured(Arc::new(spans));
        assert_eq!(
            best(&d, 600.0, 0.0),
            Best {
                timeout: 60.0,
                cost: 120.0
            }
        );
        assert_eq!(
            (cost(&d, 0.0, 600.0), cost(&d, f64::INFINITY, 600.0)),
            (600.0, 414.0)
        );
    }
}
