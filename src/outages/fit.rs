//! Distributions that fit measured spans best, by maximum likelihood, and how well they do.

use super::distribution::Distribution;
use super::sample::Spans;

/// A distribution fitted to a sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// Its name in the scenario language.
    pub(crate) name: &'static str,
    /// The distribution.
    pub(crate) distribution: Distribution,
    /// The logarithm of the likelihood, per span.
    pub(crate) log_likelihood: f64,
}

/// All that can be fitted, the best first. Of fewer than two spans, or equal ones, only the
/// exponential can.
pub(crate) fn fits(spans: &Spans) -> Vec<Fit> {
    let n = spans.count() as f64;
    let logs: Vec<f64> = spans.sorted().iter().map(|s| libm::log(*s)).collect();
    let mean_log = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|l| (l - mean_log) * (l - mean_log)).sum::<f64>() / n;
    let mean = spans.mean();
    let mut found = vec![Fit {
        name: "Exponential",
        distribution: Distribution::Exponential(mean),
        log_likelihood: -libm::log(mean) - 1.0,
    }];
    if variance > 1e-18 {
        let sigma = libm::sqrt(variance);
        let constant = 0.5 * libm::log(std::f64::consts::TAU);
        found.push(Fit {
            name: "LogNormal",
            distribution: Distribution::LogNormal(mean_log, sigma),
            log_likelihood: -mean_log - libm::log(sigma) - constant - 0.5,
        });
        found.push(weibull(&logs, mean_log));
    }
    found.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
    found
}

/// The shape k solves Σ x^k ln x / Σ x^k - 1/k = mean of ln x, whose left side rises with k; the
/// scale follows. Powers are taken relative to the largest span, so that none overflows.
fn weibull(logs: &[f64], mean_log: f64) -> Fit {
    let last = logs[logs.len() - 1];
    let sums = |k: f64| {
        logs.iter().fold((0.0, 0.0), |(s, t), l| {
            let power = libm::exp(k * (l - last));
            (s + power, t + power * l)
        })
    };
    let excess = |k: f64| {
        let (s, t) = sums(k);
        t / s - 1.0 / k - mean_log
    };
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..200 {
        let middle = libm::sqrt(low * high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    let k = libm::sqrt(low * high);
    let n = logs.len() as f64;
    let log_scale = last + libm::log(sums(k).0 / n) / k;
    Fit {
        name: "Weibull",
        distribution: Distribution::Weibull(k, libm::exp(log_scale)),
        // ln k - k ln λ + (k - 1) ln x - (x/λ)^k, whose last term is 1 on average at the maximum.
        log_likelihood: libm::log(k) - k * log_scale + (k - 1.0) * mean_log - 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(d: &Distribution, n: u32) -> Spans {
        // Evenly spaced quantiles: a sample without chance.
        Spans::new((0..n).map(|i| d.quantile((f64::from(i) + 0.5) / f64::from(n)))).unwrap()
    }

    #[test]
    fn what_was_drawn_is_found_again() {
        for d in [
            Distribution::Weibull(0.577, 7_848.0),
            Distribution::LogNormal(8.237, 1.416),
            Distribution::Exponential(600.0),
        ] {
            let found = fits(&drawn(&d, 20_000));
            let same = match (&d, &found[0].distribution) {
                (Distribution::Weibull(k, l), Distribution::Weibull(a, b))
                | (Distribution::LogNormal(k, l), Distribution::LogNormal(a, b)) => {
                    (k - a).abs() < 0.01 * k && (l - b).abs() < 0.01 * l
                }
                (Distribution::Exponential(m), of) => (of.mean() - m).abs() < 0.01 * m,
                _ => false,
            };
            assert!(same, "{d:?}: {found:?}");
        }
    }

    /// Two spans, 1 and e²: logarithms 0 and 2, mean 1, deviation 1: -1 - 0 - 0.9189 - 0.5.
    #[test]
    fn a_likelihood_by_hand() {
        let found = fits(&Spans::new([1.0, libm::exp(2.0)]).unwrap());
        let lognormal = found.iter().find(|f| f.name == "LogNormal").unwrap();
        assert!((lognormal.log_likelihood + 2.418_94).abs() < 1e-4, "{found:?}");
        // Mean 4.1945: -ln 4.1945 - 1 = -2.4338.
        let exponential = found.iter().find(|f| f.name == "Exponential").unwrap();
        assert!((exponential.log_likelihood + 2.433_8).abs() < 1e-3, "{found:?}");
        assert_eq!(fits(&Spans::new([5.0, 5.0]).unwrap()).len(), 1);
    }
}
