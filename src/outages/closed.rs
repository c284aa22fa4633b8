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

/// The best toleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    /// In seconds, from the taint on; infinite if it is best never to replace.
    pub(crate) toleration: f64,
    /// What an outage costs with it, in seconds.
    pub(crate) cost: f64,
}

/// How long it takes until a node that is away is tainted, and until one that is back is not, in
/// seconds; any time of a range is as likely as another. Heartbeats are ten seconds apart, and
/// passes five.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noticing {
    /// From the beginning of an outage to the taint, at least.
    pub(crate) from: f64,
    /// And at most.
    pub(crate) to: f64,
    /// From the return of a node to the end of its taint, at most.
    pub(crate) back: f64,
}

impl Noticing {
    /// How many times of each range stand for all of them.
    const POINTS: u32 = 15;

    /// The middle of when a node is tainted.
    pub(crate) fn middle(&self) -> f64 {
        (self.from + self.to) / 2.0
    }

    /// What `of` comes to on average, by the time to the taint and the time after the return.
    fn mean(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        let points = |from: f64, to: f64| {
            let n = if to > from { Self::POINTS } else { 1 };
            (0..n).map(move |i| from + (to - from) * (f64::from(i) + 0.5) / f64::from(n))
        };
        let backs = points(0.0, self.back).count() as f64;
        let tainted = points(self.from, self.to);
        let count = tainted.clone().count() as f64;
        let all = tainted.flat_map(|t| points(0.0, self.back).map(move |b| (t, b)));
        all.map(|(t, b)| of(t, b)).sum::<f64>() / (count * backs)
    }

    /// What an outage costs on average with that toleration.
    pub(crate) fn cost(&self, of: &Distribution, toleration: f64, price: f64) -> f64 {
        if toleration.is_infinite() {
            return of.mean();
        }
        self.mean(|tainted, back| {
            let timeout = tainted + toleration;
            of.mean_up_to(timeout) + price * of.survival((timeout - back).max(0.0))
        })
    }

    /// Which share of outages evicts with that toleration.
    pub(crate) fn evicting(&self, of: &Distribution, toleration: f64) -> f64 {
        self.mean(|tainted, back| of.survival((tainted + toleration - back).max(0.0)))
    }
}

/// The best toleration, on average over when nodes are tainted.
pub(crate) fn best(of: &Distribution, price: f64, noticing: &Noticing) -> Best {
    let candidates: Vec<f64> = match of {
        // Where an outage that was measured just does not evict, or just always does: between
        // these, waiting only costs.
        Distribution::Measured(spans) => {
            let around = |s: &f64| [s + noticing.back - noticing.from, s - noticing.to];
            let ends = spans.sorted().iter().flat_map(around);
            let mut ends: Vec<f64> = ends.map(f64::ceil).collect();
            ends.sort_by(f64::total_cmp);
            ends.dedup();
            ends
        }
        Distribution::Fixed(span) => vec![span + noticing.back - noticing.from],
        // C'(T) = S(T) - B f(T): where the hazard falls to 1/B.
        Distribution::Weibull(shape, scale) if *shape < 1.0 => {
            let timeout = scale * libm::pow(shape * price / scale, 1.0 / (1.0 - shape));
            vec![timeout - noticing.middle()]
        }
        _ => grid(of, noticing.middle()),
    };
    let all = candidates.into_iter().filter(|t| *t >= 0.0).chain([0.0, f64::INFINITY]);
    let all = all.map(|toleration| Best { toleration, cost: noticing.cost(of, toleration, price) });
    // Of equal ones the shortest, which finds out soonest.
    let best =
        all.min_by(|a, b| a.cost.total_cmp(&b.cost).then(a.toleration.total_cmp(&b.toleration)));
    best.unwrap_or(Best { toleration: f64::INFINITY, cost: of.mean() })
}

/// Tolerations up to nearly the longest outage, each timeout a fiftieth longer than the one before.
fn grid(of: &Distribution, noticed: f64) -> Vec<f64> {
    let last = of.quantile(1.0 - 1e-6);
    let timeouts = std::iter::successors(Some(noticed.max(1.0)), |t| Some(t * 1.02));
    timeouts.take_while(|t| *t < last).map(|t| t - noticed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outages::sample::Spans;
    use std::sync::Arc;

    const HOUR: f64 = 3_600.0;

    /// Nodes are always tainted after that time, and lose their taint when they are back.
    fn at_once(detection: f64) -> Noticing {
        Noticing { from: detection, to: detection, back: 0.0 }
    }

    /// Half of the outages last two minutes, half an hour; an eviction costs five minutes. A node is
    /// tainted after 40 to 55 s and loses that 0 to 5 s after its return. With 85 s no outage of two
    /// minutes evicts: (120 + 132.5 + 300) / 2 = 276.25. With 75 s one evicts where it is tainted
    /// before 45 s and what its return takes: from 40 to 45 s always, from 45 to 50 s in half of the
    /// cases, (5 + 2.5) / 15 = 1/2 of these outages and so 3/4 of all.
    #[test]
    fn the_best_toleration_holds_over_the_range_of_detection() {
        let spans = Spans::new([120.0, 3_600.0]).unwrap();
        let d = Distribution::Measured(Arc::new(spans));
        let noticing = Noticing { from: 40.0, to: 55.0, back: 5.0 };
        let found = best(&d, 300.0, &noticing);
        assert_eq!(found.toleration, 85.0);
        assert!((found.cost - 276.25).abs() < 1e-6, "{found:?}");
        assert_eq!(noticing.evicting(&d, 85.0), 0.5);
        let at_75 = noticing.evicting(&d, 75.0);
        assert!((at_75 - 0.75).abs() < 0.02, "{at_75}");
    }

    /// Weibull below 1: T* = λ (kB/λ)^(1/(1-k)). Grid'5000, k = 0.35, λ = 0.47 h = 1,692 s, B =
    /// 900: kB/λ = 0.18617, to the power of 1.53846 is 0.07529: 127.4 s. LANL, k = 0.58, λ = 2.18 h
    /// = 7,848 s, B = 3,600: 0.26606^2.38095 = 0.04274: 335.4 s.
    #[test]
    fn the_best_timeout_of_weibulls() {
        let grid5000 = Distribution::Weibull(0.35, 0.47 * HOUR);
        let lanl = Distribution::Weibull(0.58, 2.18 * HOUR);
        assert!((best(&grid5000, 900.0, &at_once(0.0)).toleration - 127.4).abs() < 0.1);
        assert!((best(&lanl, 3_600.0, &at_once(0.0)).toleration - 335.4).abs() < 0.2);
        // No value of a grid of five seconds costs less than the one beside the formula's.
        for (d, price) in [(&grid5000, 900.0), (&lanl, 3_600.0)] {
            let least = (1..400)
                .map(|i| f64::from(i) * 5.0)
                .min_by(|a, b| {
                    at_once(0.0).cost(d, *a, price).total_cmp(&at_once(0.0).cost(d, *b, price))
                })
                .unwrap();
            assert!((least - best(d, price, &at_once(0.0)).toleration).abs() <= 5.0, "{least}");
        }
    }

    /// Without memory it is all or nothing: at once if outages are longer than the price, never if
    /// shorter.
    #[test]
    fn exponential_outages_are_all_or_nothing() {
        let d = Distribution::Exponential(600.0);
        assert_eq!(best(&d, 500.0, &at_once(45.0)).toleration, 0.0);
        assert_eq!(best(&d, 700.0, &at_once(45.0)).toleration, f64::INFINITY);
        // 600 (1 - e^(-350/600)) + 900 e^(-350/600) = 265.19 + 502.22.
        assert!((at_once(0.0).cost(&d, 350.0, 900.0) - 767.41).abs() < 0.01);
    }

    /// Lognormal outages of Grid'5000, median e^-2 h = 487 s, sigma 2.2, B = 900: best near 250 s at
    /// 746 s per outage; 350 s cost 751, at once 900.
    #[test]
    fn a_lognormal_has_its_best_behind_the_peak() {
        let d = Distribution::LogNormal(libm::log(HOUR) - 2.0, 2.2);
        let found = best(&d, 900.0, &at_once(0.0));
        assert!(
            (found.toleration - 250.0).abs() < 15.0 && (found.cost - 746.0).abs() < 1.0,
            "{found:?}"
        );
        assert!((at_once(0.0).cost(&d, 350.0, 900.0) - 751.0).abs() < 1.0);
        assert!((at_once(0.0).cost(&d, 0.0, 900.0) - 900.0).abs() < 1e-9);
    }

    /// Nine outages of a minute and one of an hour, B = 600: just behind a minute (9·60 + 60 + 600)
    /// / 10 = 120; at once 600; never (540 + 3600) / 10 = 414.
    #[test]
    fn what_was_measured_decides_by_itself() {
        let spans = Spans::new([60.0; 9].into_iter().chain([3_600.0])).unwrap();
        let d = Distribution::Measured(Arc::new(spans));
        assert_eq!(best(&d, 600.0, &at_once(0.0)), Best { toleration: 60.0, cost: 120.0 });
        assert_eq!(
            (at_once(0.0).cost(&d, 0.0, 600.0), at_once(0.0).cost(&d, f64::INFINITY, 600.0)),
            (600.0, 414.0)
        );
    }
}
