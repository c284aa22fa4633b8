//! A forecast with what it was made from, and what sets it apart from the one before.

use crate::analysis::course::Happening;
use crate::lab::forecast::{ByWhen, Forecast, Foreseen};
use crate::report::model::WallClock;
use crate::report::prelude::*;

/// Medians that are apart by no more than this are the same.
const SAME: Dur = Dur::from_secs(2);

/// What pods are called that belong to no workload.
pub(super) const ALONE: &str = "without a workload";

/// What forecasts are made from.
#[derive(Debug)]
pub(crate) struct Basis {
    /// When the export was made.
    pub(crate) clock: WallClock,
    /// Nodes that are silent from the start, and what is taken to become of them.
    pub(crate) silent: Vec<String>,
    pub(crate) course: String,
    /// `39 nodes, 85 pods`, the release, the horizon and such.
    pub(crate) head: String,
    /// What a person should know before the figures are believed: what is asked for to happen, and
    /// the plan's notes.
    pub(crate) notes: Vec<String>,
    /// How long it looks ahead.
    pub(crate) horizon: Time,
    /// What had not happened yet to the nodes and pods of the export; nothing else tells what has
    /// come since an earlier forecast.
    pub(crate) open: Option<BTreeSet<(Happening, String)>>,
}

/// A forecast with what it was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook<'a> {
    pub(crate) basis: &'a Basis,
    /// What the course is called.
    pub(crate) name: &'a str,
    pub(crate) forecast: &'a Forecast,
}

/// All of a kind, or what happens to the pods of a workload: who is first and who is last differs from
/// seed to seed, so that no object's own times tell when these come.
pub(super) fn span<'f>(
    outlook: &'f Outlook<'_>,
    what: Happening,
    workload: Option<&str>,
) -> Option<&'f ByWhen> {
    let workload = workload.map(|of| if of == ALONE { "" } else { of });
    let mut all = outlook.forecast.by_when.iter();
    all.find(|b| b.what == what && b.workload.as_deref() == workload)
}

/// What has changed since an earlier forecast, a sentence each, by clock times.
pub(crate) fn changes(before: &Outlook<'_>, now: &Outlook<'_>) -> Vec<String> {
    let of = |o: &Outlook<'_>| -> BTreeMap<(Happening, String), (i64, f64)> {
        let of_one = |f: &Foreseen| {
            let at = o.basis.clock.0 + (f.when.median.as_nanos() / 1_000) as i64;
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
    for (key, (at, _)) in &was {
        let (what, object) = key;
        if is.contains_key(key) || matches!(what, Happening::PodCreated | Happening::PodBound) {
            continue;
        }
        let may_come = match &now.basis.open {
            Some(open) => open.contains(key),
            None => *at > now.basis.clock.0,
        };
        let (what, at) = (what.as_str(), clock(*at));
        lines.push(match may_come {
            true => format!("no longer: {what} {object}, was {at}"),
            false => format!("past: {what} {object}, was foreseen for {at}"),
        });
    }
    lines
}
