//! Whole years of what `taintsim plan` recommends, where it counts one outage at a time.

use crate::lab::planner::{Bound, Kept, Objective, Planner, answer};
use crate::report::planner::{amount, plural};

/// The figures that are told: missing, below need, evicted, needless.
const TOLD: [usize; 4] = [0, 1, 3, 4];

/// A plan of whole years of what is recommended; none where these are counted already.
pub(super) fn years<'a>(
    planner: &Planner<'a>,
    kept: &Kept,
    (objective, within, confidence): (&Objective, &[Bound], f64),
) -> Option<Planner<'a>> {
    let best = |part: &Kept| part.rows[answer(part, objective, within, confidence).best].clone();
    let values: Vec<String> = kept.each_apart().iter().flat_map(best).collect();
    planner.whole_years(kept, &values)
}

/// What they came to, in words.
/// Of other values than those that are recommended for these prices it says so.
pub(super) fn in_words(kept: &Kept, best: &[String], confidence: f64) -> Option<String> {
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
