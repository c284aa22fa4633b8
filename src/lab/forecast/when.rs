//! When something comes, over seeds.

use super::count::ends;
use crate::analysis::course::Course;
use crate::lab::prelude::*;

/// Objects' times, and the start of a forecast, are whole seconds; so are the ends of a range.
pub(super) const SECOND_NS: u64 = 1_000_000_000;

/// The seeds of a forecast.
#[derive(Clone, Copy)]
pub(super) struct Seeds<'c> {
    pub(super) count: usize,
    /// When somebody does something, in order.
    pub(super) acts: &'c [Time],
    /// What comes later no run shows. Courses that are made by hand have no end.
    pub(super) end: Time,
}

impl<'c> Seeds<'c> {
    pub(super) fn of(courses: &'c [Course]) -> Self {
        let whole = |end: Time| Time::from_secs(end.as_nanos().div_ceil(SECOND_NS));
        let end = courses.iter().map(|c| c.end).max().filter(|end| *end > Time::ZERO);
        let acts = courses.first().map_or(&[][..], |c| &c.acts[..]);
        Self { count: courses.len(), acts, end: end.map_or(Time::MAX, whole) }
    }
}

/// When something comes, over the seeds in which it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct When {
    /// One in twenty at most comes before, a whole second.
    pub(crate) low: Time,
    /// The middle.
    pub(crate) median: Time,
    /// One in twenty at most comes after, a whole second.
    pub(crate) high: Time,
    /// In what part of the seeds it comes, above 0 and at most 1.
    pub(crate) share: f64,
}

impl When {
    /// Of these times, one of each seed in which it comes, each with the time of what it comes of.
    /// Ranges are as wide as seeds are apart, and as widely apart as some are, their ends could be
    /// before those of their causes: it comes no sooner after these than seeds have it.
    pub(super) fn after(
        times: impl Iterator<Item = (Time, Option<Time>)> + Clone,
        cause: Option<When>,
        seeds: Seeds<'_>,
    ) -> Option<Self> {
        let mut when = When::of(times.clone().map(|(at, _)| at).collect(), seeds)?;
        let lag = |(at, of): (Time, Option<Time>)| {
            let lag = at.as_nanos().checked_sub(of?.as_nanos())?;
            Some(Time::from_nanos(lag))
        };
        // Where one has come before it, or without it, it comes of something else, too.
        let lags: Option<Vec<Time>> = times.map(lag).collect();
        if let (Some(cause), Some(lags)) = (cause, lags) {
            let lag = When::of(lags, Seeds { acts: &[], ..seeds })?.low.since(Time::ZERO);
            // Nor in the middle, though it may come in few of the seeds in which they do.
            when.median = when.median.max((cause.median + lag).min(when.high));
            let median = when.median.as_nanos() / SECOND_NS * SECOND_NS;
            when.low = when.low.max((cause.low + lag).min(Time::from_nanos(median)));
        }
        Some(when)
    }

    /// Of these times, one of each seed in which it comes.
    ///
    /// The ends of the range are those of the seeds' nine in ten and, as what really comes is not one
    /// of the seeds, as much further as seeds are apart from each other in it, in whole seconds; no further than a run goes,
    /// nor than what somebody does before it comes in any seed.
    pub(super) fn of(mut times: Vec<Time>, seeds: Seeds<'_>) -> Option<Self> {
        times.sort_unstable();
        let (first, last) = times.first().zip(times.last())?;
        let (low, high) = ends(times.len());
        let act = seeds.acts.iter().rfind(|act| *act <= first).map_or(0, |act| act.as_nanos());
        let (low, high) = (*times.get(low).unwrap_or(first), *times.get(high).unwrap_or(last));
        let apart = high.since(low).as_nanos() / (times.len() as u64 - 1).max(1);
        let (low, high) = (low.as_nanos(), high.as_nanos());
        Some(When {
            low: Time::from_nanos(low.saturating_sub(apart).max(act) / SECOND_NS * SECOND_NS),
            median: nearest_rank(&times, 50)?,
            high: Time::from_nanos((high + apart).div_ceil(SECOND_NS) * SECOND_NS).min(seeds.end),
            share: times.len() as f64 / seeds.count.max(1) as f64,
        })
    }

    /// It comes no sooner than that.
    pub(super) fn not_before(self, least: Option<&Time>) -> Self {
        let least = least.copied().unwrap_or_default().min(self.median);
        When { low: self.low.max(Time::from_secs(least.as_secs())), ..self }
    }

    /// It comes no sooner than the first of its kind can, and no later than the last, where these are known.
    pub(super) fn within(self, ends: Option<(Time, Time)>) -> Self {
        let Some((first, last)) = ends else { return self };
        let median = self.median.as_nanos();
        let (below, above) =
            (median / SECOND_NS * SECOND_NS, median.div_ceil(SECOND_NS) * SECOND_NS);
        When {
            low: self.low.max(first.min(Time::from_nanos(below))),
            high: self.high.min(last.max(Time::from_nanos(above))),
            ..self
        }
    }
}
