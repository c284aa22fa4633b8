//! How spans of time are distributed, as it is written, and how long pods take.

use super::models::YEAR_S;
use crate::kernel::Spread;
use crate::language::Distribution as Written;
use crate::language::values::SPAN_MAX;
use crate::outages::{Distribution, Spans};
use crate::scenario::prelude::*;

/// The longest mean of a distribution, in seconds: a hundred years.
const MEAN_MAX: f64 = 100.0 * YEAR_S;
/// Into how many spans, each as likely as another, a distribution of how long something takes is
/// cut: the simulation draws one of them.
const STEPS: u32 = 1_000;

/// A distribution; `recorded` has what is in a file of outages.
pub(super) fn distribution(
    written: &Written,
    place: &Spot,
    recorded: impl FnOnce(&str) -> Option<Distribution>,
) -> Option<Distribution> {
    let span = |text: &DurationText, part: &str| {
        place.part(part).take(values::positive(text)).map(Dur::as_secs_f64)
    };
    let read = match written {
        Written::Exponential { mean } => Distribution::Exponential(span(mean, "mean")?),
        Written::Weibull { shape, scale } => {
            let scale = span(scale, "scale")?;
            is_positive(place, "shape", *shape)?;
            Distribution::Weibull(*shape, scale)
        }
        Written::LogNormal { median, sigma } => {
            let median = span(median, "median")?;
            is_positive(place, "sigma", *sigma)?;
            Distribution::LogNormal(libm::log(median), *sigma)
        }
        Written::Uniform(from, to) => {
            let [from, to] = [from, to].map(|t| place.take(values::span(t)).map(Dur::as_secs_f64));
            let (from, to) = (from?, to?);
            if from >= to {
                return place.deny("the second span is not longer than the first one");
            }
            Distribution::Uniform(from, to)
        }
        Written::Fixed(text) => {
            Distribution::Fixed(place.take(values::positive(text))?.as_secs_f64())
        }
        Written::Values(texts) => {
            let one = |text: &DurationText| Some(place.take(values::positive(text))?.as_secs_f64());
            let all: Option<Vec<f64>> = texts.iter().map(one).collect();
            let Some(spans) = Spans::new(all?) else {
                return place.deny("there is no value in it");
            };
            Distribution::Measured(Arc::new(spans))
        }
        Written::Empirical(file) => recorded(file)?,
    };
    let mean = read.mean();
    if !(mean > 0.0 && mean <= MEAN_MAX) {
        let text = "the mean of this distribution is longer than a hundred years";
        let problem = Problem::new(text).help("a shape nearer to 1, or a smaller sigma");
        return place.refuse(problem);
    }
    Some(read)
}

fn is_positive(place: &Spot, part: &str, value: f64) -> Option<()> {
    let fine = value > 0.0 && value.is_finite();
    if !fine {
        place.part(part).say(format!("{} is not above 0", legible(value)));
    }
    fine.then_some(())
}

/// How long something takes.
pub(super) fn how_long(written: &HowLong, place: &Spot) -> Option<Spread> {
    let written = match written {
        HowLong::Always(text) => return place.take(values::span(text)).map(Spread::always),
        HowLong::Drawn(written) => written,
    };
    let no_file = |_: &str| {
        let text = "`Empirical` is a file of outages, and says nothing of how long this takes";
        place.refuse(Problem::new(text).help("what was measured: `Values([\"4s\", \"9s\"])`"))
    };
    let read = distribution(written, place, no_file)?;
    let spans: Vec<f64> = match &read {
        Distribution::Measured(spans) => spans.sorted().to_vec(),
        Distribution::Fixed(span) => vec![*span],
        _ => (0..STEPS).map(|i| read.quantile((f64::from(i) + 0.5) / f64::from(STEPS))).collect(),
    };
    Spread::new(spans.into_iter().map(rounded).collect())
}

/// Seconds to the nanosecond, as long as a span may be.
fn rounded(seconds: f64) -> Dur {
    Dur::from_nanos((seconds.min(SPAN_MAX.as_secs_f64()) * 1e9).round() as u64)
}

/// How long pods take to start and to stop by the timing, where it varies.
#[derive(Default)]
pub(super) struct PodTimes {
    pub(super) start: Option<Spread>,
    pub(super) stop: Option<Spread>,
}

impl PodTimes {
    /// Gives it to all pods whose templates say nothing else.
    pub(super) fn give(&self, templates: &mut [PodTemplate]) {
        for template in templates {
            template.start = template.start.take().or_else(|| self.start.clone());
            template.stop = template.stop.take().or_else(|| self.stop.clone());
        }
    }
}
