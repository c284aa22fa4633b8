//! What whole years of what is recommended come to, in words.

use super::text::plural;
use super::told::amount;
use crate::lab::planner::{EVICTED, Kept, MISSING, NEEDLESS};

/// The figures that are told: missing, below need, evicted, needless.
const TOLD: [usize; 4] = [MISSING, 1, EVICTED, NEEDLESS];

/// What they came to. Of other values than those that are recommended for these prices it says so.
pub(crate) fn years(kept: &Kept, best: &[String], confidence: f64) -> Option<String> {
    let (values, years) = kept.years_of()?;
    let all = kept.by_years(confidence)?;
    let said: Vec<String> = TOLD
        .iter()
        .filter_map(|f| all.get(*f))
        .filter(|y| y.mean != 0.0 || y.alone != 0.0)
        .map(|y| {
            let half = (y.interval.high - y.interval.low) / 2.0;
            format!(
                "{} ±{} {} ({})",
                amount(y.mean),
                amount(half),
                plural(y.figure),
                amount(y.alone)
            )
        })
        .collect();
    let other = match values == best {
        true => ", what is recommended",
        false => ", which is not what is recommended here but what was when they were run",
    };
    (!said.is_empty()).then(|| {
        format!(
            "{years} years of {}{other}, in which pods stay where outages put them and nobody rolls them out anew, come to {} a year; in brackets one outage at a time",
            values.join(" / "),
            said.join(", ")
        )
    })
}
