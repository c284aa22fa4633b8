//! A forecast with what it was made from, and what sets it apart from the one before.

use crate::analysis::course::Happening;
use crate::kernel::{Dur, Time};
use crate::lab::forecast::{Forecast, Foreseen};
use crate::report::wall_clock::WallClock;
use std::collections::BTreeMap;

/// Medians that are apart by no more than this are the same.
const SAME: Dur = Dur::from_secs(2);

/// A forecast with what it was made from.
pub(crate) struct Outlook<'a> {
    /// When the export was made.
    pub clock: WallClock,
    pub forecast: &'a Forecast,
    /// Nodes that are silent from the start, and what is taken to become of them.
    pub silent: &'a [String],
    pub course: String,
    /// `39 nodes, 85 pods`, the release, the horizon and such.
    pub head: String,
    /// How long it looks ahead.
    pub horizon: Time,
}

/// What has changed since an earlier forecast, a sentence each, by clock times.
pub(crate) fn changes(before: &Outlook<'_>, now: &Outlook<'_>) -> Vec<String> {
    let of = |o: &Outlook<'_>| -> BTreeMap<(Happening, String), (i64, f64)> {
        let of_one = |f: &Foreseen| {
            let at = o.clock.0 + (f.when.median.as_nanos() / 1_000) as i64;
            ((f.what, f.object.clone()), (at, f.when.share))
        };
        o.forecast.happenings.iter().map(of_one).collect()
    };
    let (was, is) = (of(before), of(now));
    let mut lines = Vec::new();
    let clock = |us: i64| WallClock(us).clock(Time::ZERO);
    for ((what, object), (at, _)) in &is {
        match was.get(&(*what, object.clone())) {
            // The names of pods that are to come are made up, and stay so.
            None if *what != Happening::PodCreated && *what != Happening::PodBound => {
                lines.push(format!("new: {} {object} at {}", what.as_str(), clock(*at)));
            }
            Some((then, _)) if (at - then).unsigned_abs() > SAME.as_nanos() / 1_000 => {
                let (then, at) = (clock(*then), clock(*at));
                lines.push(format!("{} {object}: {at}, was {then}", what.as_str()));
            }
            _ => {}
        }
    }
    for ((what, object), (at, _)) in &was {
        let still = is.contains_key(&(*what, object.clone()));
        let ahead = *at > now.clock.0;
        if !still && *what != Happening::PodCreated && *what != Happening::PodBound {
            let what = what.as_str();
            let at = clock(*at);
            lines.push(match ahead {
                true => format!("no longer: {what} {object}, was {at}"),
                false => format!("past: {what} {object}, was foreseen for {at}"),
            });
        }
    }
    lines
}
