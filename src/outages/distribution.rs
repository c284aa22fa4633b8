//! How spans of time are distributed, and which distributions fit measured spans best, by maximum
//! likelihood. A draw is the inverse of the distribution at a number between 0 and 1, so that one draw
//! is one number, whatever the distribution is.

use super::sample::Spans;
use std::sync::Arc;

/// A distribution of spans, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Distribution {
    /// With this mean.
    Exponential(f64),
    /// Shape and scale.
    Weibull(f64, f64),
    /// Mean and standard deviation of the natural logarithm.
    LogNormal(f64, f64),
    /// From one span to another one.
    Uniform(f64, f64),
    /// Always the same.
    Fixed(f64),
    /// As measured.
    Measured(Arc<Spans>),
}

impl Distribution {
    /// The span below which a share `p` of all lie; `p` is above 0 and below 1.
    pub(crate) fn quantile(&self, p: f64) -> f64 {
        match self {
            Self::Exponential(mean) => -mean * libm::log1p(-p),
            Self::Weibull(shape, scale) => scale * libm::pow(-libm::log1p(-p), 1.0 / shape),
            Self::LogNormal(mu, sigma) => libm::exp(mu + sigma * normal_quantile(p)),
            Self::Uniform(from, to) => from + p * (to - from),
            Self::Fixed(span) => *span,
            Self::Measured(spans) => spans.quantile(p),
        }
    }

    /// The share of spans that are longer than this.
    pub(crate) fn survival(&self, t: f64) -> f64 {
        if t <= 0.0 {
            // A span of zero is no outage.
            return 1.0;
        }
        match self {
            Self::Exponential(mean) => libm::exp(-t / mean),
            Self::Weibull(shape, scale) => libm::exp(-libm::pow(t / scale, *shape)),
            Self::LogNormal(mu, sigma) => {
                0.5 * libm::erfc((libm::log(t) - mu) / (sigma * std::f64::consts::SQRT_2))
            }
            Self::Uniform(from, to) => ((to - t) / (to - from)).clamp(0.0, 1.0),
            Self::Fixed(span) => f64::from(u8::from(t < *span)),
            Self::Measured(spans) => spans.survival(t),
        }
    }

    /// The mean.
    pub(crate) fn mean(&self) -> f64 {
        match self {
            Self::Exponential(mean) => *mean,
            Self::Weibull(shape, scale) => scale * libm::tgamma(1.0 + 1.0 / shape),
            Self::LogNormal(mu, sigma) => libm::exp(mu + sigma * sigma / 2.0),
            Self::Uniform(from, to) => (from + to) / 2.0,
            Self::Fixed(span) => *span,
            Self::Measured(spans) => spans.mean(),
        }
    }

    /// The mean of what lies below `t`, everything longer counted as `t`: the integral of the
    /// survival from 0 to `t`.
    pub(crate) fn mean_up_to(&self, t: f64) -> f64 {
        match self {
            Self::Exponential(mean) => -mean * libm::expm1(-t / mean),
            Self::Fixed(span) => t.min(*span),
            Self::Measured(spans) => spans.mean_up_to(t),
            Self::LogNormal(mu, sigma) => {
                if t <= 0.0 {
                    return 0.0;
                }
                // The mean of those below t, and t for the others.
                let x = (libm::log(t) - mu - sigma * sigma) / (sigma * std::f64::consts::SQRT_2);
                self.mean() * 0.5 * libm::erfc(-x) + t * self.survival(t)
            }
            Self::Uniform(from, to) => {
                let inside = (t.min(*to) - from).max(0.0);
                t.min(*from) + inside - inside * inside / (2.0 * (to - from))
            }
            // With x = (u / scale)^shape the integral is an incomplete gamma function.
            Self::Weibull(shape, scale) => {
                let x = libm::pow(t.max(0.0) / scale, *shape);
                let below = lower_gamma(1.0 / shape, x) * scale / shape;
                if x < ALL_OF_GAMMA { below } else { self.mean() }
            }
        }
    }

    /// How much of a span is left at some moment of a long time that falls into a span: less than this in a
    /// share `p` of all moments. Long spans have more moments: a share `mean_up_to(t) / mean` of them
    /// has less than `t` left (Cox, Renewal Theory, 1962, 5.2). By Newton's method from 0, which never
    /// oversteps, as that share rises ever more slowly.
    pub(crate) fn left_at_any_time(&self, p: f64) -> f64 {
        let mut t = 0.0;
        for _ in 0..200 {
            let step = (p * self.mean() - self.mean_up_to(t)) / self.survival(t);
            if !(step > 1e-9 * t && step.is_finite()) {
                break;
            }
            t += step;
        }
        t
    }
}

/// From here on nothing is left of the integral of the gamma function that a number holds.
const ALL_OF_GAMMA: f64 = 700.0;

/// The integral of `u^(a-1) e^(-u)` from 0 to `x`, which is below [`ALL_OF_GAMMA`]: `x^a e^(-x)` times the sum of
/// `x^n / (a (a+1) … (a+n))` (Abramowitz and Stegun, 6.5.29).
fn lower_gamma(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    while term > 1e-16 * sum && x < ALL_OF_GAMMA {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum * libm::exp(a * libm::log(x) - x)
}

/// The quantile of the standard normal distribution (Wichura, Applied Statistics 37, 1988,
/// algorithm AS 241, PPND16: relative accuracy about 1e-16).
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 8] = [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ];
    const B: [f64; 8] = [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ];
    const C: [f64; 8] = [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ];
    const D: [f64; 8] = [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ];
    const E: [f64; 8] = [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_049e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ];
    const F: [f64; 8] = [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ];
    let ratio = |top: &[f64; 8], below: &[f64; 8], r: f64| {
        let of = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
        of(top) / of(below)
    };
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&A, &B, 0.180_625 - q * q);
    }
    let tail = libm::sqrt(-libm::log(if q < 0.0 { p } else { 1.0 - p }));
    let x = if tail <= 5.0 { ratio(&C, &D, tail - 1.6) } else { ratio(&E, &F, tail - 5.0) };
    if q < 0.0 { -x } else { x }
}

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
    use statrs::distribution::{ContinuousCDF, Exp, LogNormal, Normal, Weibull};

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1.0)
    }

    #[test]
    fn quantiles_are_those_of_a_second_implementation() {
        let normal = Normal::standard();
        let (e, w, l) = (
            Exp::new(1.0 / 600.0).unwrap(),
            Weibull::new(0.58, 2.18).unwrap(),
            LogNormal::new(8.237, 1.416).unwrap(),
        );
        for p in [1e-9, 0.001, 0.05, 0.3, 0.5, 0.77, 0.95, 0.999, 1.0 - 1e-9] {
            assert!((normal.cdf(normal_quantile(p)) - p).abs() < 1e-9, "{p}");
            assert!(near(e.cdf(Distribution::Exponential(600.0).quantile(p)), p));
            assert!(near(w.cdf(Distribution::Weibull(0.58, 2.18).quantile(p)), p));
            assert!((l.cdf(Distribution::LogNormal(8.237, 1.416).quantile(p)) - p).abs() < 1e-8);
        }
    }

    #[test]
    fn survival_is_what_is_left_beyond_a_quantile() {
        let all = [
            Distribution::Exponential(600.0),
            Distribution::Weibull(0.48, 816.6),
            Distribution::LogNormal(-2.0, 2.2),
            Distribution::Uniform(10.0, 20.0),
        ];
        for d in all {
            for p in [0.01, 0.4, 0.9] {
                assert!((d.survival(d.quantile(p)) - (1.0 - p)).abs() < 1e-9, "{d:?} {p}");
            }
        }
        assert_eq!(Distribution::Fixed(5.0).survival(5.0), 0.0);
    }

    /// Javadi and others, 2013: what is fitted to LANL has a mean of 816.6 Γ(1 + 1/0.48) = 1,765 h
    /// up; the measured mean is 1,780.
    #[test]
    fn means_are_those_of_the_formulas() {
        let up = Distribution::Weibull(0.48, 816.6);
        assert!((up.mean() - 1_765.0).abs() < 2.0, "{}", up.mean());
        // The integral of all of the survival is the mean.
        let short = Distribution::Weibull(0.8, 10.0);
        assert!((short.mean_up_to(2_000.0) - short.mean()).abs() < 1e-3);
        // min(D, 15) of U(10, 20): 10 + the integral of (20-t)/10 from 10 to 15 = 10 + 3.75.
        let even = Distribution::Uniform(10.0, 20.0);
        assert!((even.mean_up_to(15.0) - 13.75).abs() < 1e-3);
        // mu (1 - e^(-T/mu)), mu = 600, T = 350: 600 (1 - 0.558035) = 265.18.
        let e = Distribution::Exponential(600.0);
        assert!((e.mean_up_to(350.0) - 265.18).abs() < 0.01);
    }

    /// What is left of U(0, b) is t for p = 2t/b - t²/b²: 1 - √(1 - p) of b, 5 of 10 for 3/4. With shape 1/2 and
    /// scale 1 the mean is 2, and the integral of the survival up to t is 2 - 2 (1 + √t) e^(-√t): at
    /// 4 it is 2 - 6 e^-2 = 1.187988, 0.593994 of the mean. Of an exponential as much is left as ever.
    #[test]
    fn long_spans_have_more_moments() {
        let left = |d: Distribution, p| d.left_at_any_time(p);
        assert!(near(left(Distribution::Uniform(0.0, 10.0), 0.75), 5.0));
        assert!(near(left(Distribution::Fixed(8.0), 0.25), 2.0));
        let bursts = Distribution::Weibull(0.5, 1.0);
        assert!((bursts.mean_up_to(4.0) - 1.187_988).abs() < 1e-6);
        assert!((left(bursts, 0.593_994) - 4.0).abs() < 1e-4);
        let memoryless = Distribution::Exponential(600.0);
        assert!(near(left(memoryless.clone(), 0.999), memoryless.quantile(0.999)));
        assert!(near(left(Distribution::Weibull(1.0, 600.0), 0.999), memoryless.quantile(0.999)));
        let spans = Spans::new([2.0, 6.0]).unwrap();
        // Of 8 seconds 4 have at most 2 left; half a second of each span is 1 of 8.
        assert!(near(left(Distribution::Measured(Arc::new(spans)), 0.5), 2.0));
    }

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
