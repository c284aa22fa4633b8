//! When something is expected: single times, windows, how far apart.

use super::reader::{Reader, from_start};
use crate::kernel::{Dur, Time};
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::values;
use crate::language::{self, Common, Window};
use crate::scenario::expectations::{Stretch, Times};
use crate::scenario::resolve::select::said;

impl Reader<'_> {
    pub(super) fn times(
        &self,
        c: &Common<'_>,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Times> {
        let one = |text: Option<&language::TimeText>, field: &str, complaints: &mut Complaints| {
            match text {
                None => Some(None),
                Some(text) => self.moment(text.as_str(), &with(place, field), complaints).map(Some),
            }
        };
        let window = |w: Option<&Window>, field: &str, complaints: &mut Complaints| match w {
            None => Some(None),
            Some(w) => self.window(w, &with(place, field), complaints).map(Some),
        };
        let mut at = Some(Vec::new());
        for text in c.at.iter().flat_map(|t| t.texts()) {
            let (times, rest) = repeated(text);
            let time = self.moment(rest, &with(place, "at"), complaints);
            at = at.zip(time).map(|(mut all, t)| {
                all.push((times, t));
                all
            });
        }
        let (after, before) =
            (one(c.after, "after", complaints), one(c.before, "before", complaints));
        let (between, first) =
            (window(c.between, "between", complaints), window(c.first, "first", complaints));
        let during = window(c.during, "during", complaints);
        let spread = match c.spread {
            None => Some(None),
            Some(text) => complaints.take(with(place, "spread"), spread(text)).map(Some),
        };
        let (mut after, mut before, between) = (after?, before?, between?);
        if between.is_some() && (after.is_some() || before.is_some()) {
            complaints.say(
                with(place, "between"),
                "`between` is `after` and `before` in one; give it alone",
            );
            return None;
        }
        if let (Some(a), Some(b)) = (after, before) {
            not_empty((a, b), with(place, "before"), complaints)?;
        }
        if let Some((a, b)) = between {
            (after, before) = (Some(a), Some(b));
        }
        Some(Times {
            at: at?,
            after,
            before,
            first: first?,
            spread: spread?,
            during: during?.unwrap_or((Time::ZERO, self.horizon)),
        })
    }

    /// A time that lies in the run.
    pub(super) fn moment(
        &self,
        text: &str,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Time> {
        let time = said(self.moments.moment(text), place.clone(), complaints)?;
        if time > self.horizon {
            self.beyond(place.clone(), time, complaints);
            return None;
        }
        Some(time)
    }

    pub(super) fn beyond(&self, place: Place, time: Time, complaints: &mut Complaints) {
        let message = format!(
            "{} is beyond the end of the run, {}",
            from_start(time),
            from_start(self.horizon)
        );
        complaints.add(place, Problem::new(message).help("make `horizon` longer"));
    }

    pub(super) fn window(
        &self,
        (from, to): &Window,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Stretch> {
        let (a, b) = (
            self.moment(from.as_str(), &with(place, 0), complaints),
            self.moment(to.as_str(), &with(place, 1), complaints),
        );
        not_empty((a?, b?), place.clone(), complaints)
    }
}

/// A stretch that does not end before it begins.
fn not_empty((a, b): Stretch, place: Place, complaints: &mut Complaints) -> Option<Stretch> {
    if a > b {
        let (a, b) = (from_start(a), from_start(b));
        let problem = format!("this window is empty: it begins at {a} and ends at {b}");
        complaints.say(place, problem);
        return None;
    }
    Some((a, b))
}

/// `3x 10m` is three times `10m`.
fn repeated(text: &str) -> (u64, &str) {
    let number = text
        .split_once('x')
        .and_then(|(n, rest)| Some((n.trim().parse().ok()?, rest.trim_start())));
    number.filter(|(n, _)| *n > 0).unwrap_or((1, text))
}

fn spread(text: &str) -> Result<(Dur, Dur), Problem> {
    let bound = |text: &str, open: Dur| {
        if text.trim().is_empty() { Ok(open) } else { values::span(text.trim()) }
    };
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (bound(least, Dur::ZERO)?, bound(most, Dur::from_nanos(u64::MAX))?),
        None => (values::span(text)?, values::span(text)?),
    };
    if least > most {
        Err(Problem::new(format!("{text} runs backwards")))
    } else {
        Ok((least, most))
    }
}
