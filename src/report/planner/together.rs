//! What settings that were chosen each for itself do to each other, and what whole years of what is
//! recommended come to, in words.

use super::text::plural;
use super::told::{amount, range};
use crate::lab::planner::{EVICTED, Extra, Kept, MISSING, NEEDLESS, Objective};

/// What settings that were chosen each for itself do to each other, if that is more than nothing.
pub(crate) fn touching(kept: &Kept, objective: &Objective, confidence: f64) -> Option<String> {
    let extras = kept.extras(objective, confidence);
    let worst = extras
        .iter()
        .filter(|e| e.touches)
        .max_by(|a, b| a.extra.abs().total_cmp(&b.extra.abs()))?;
    Some(format!(
        "These settings touch each other, through limits of clients, rates of zones, or room: {}.",
        extra_in_words(worst, objective)
    ))
}

/// What settings do to each other, in words.
pub(crate) fn together(kept: &Kept, objective: &Objective, confidence: f64) -> Option<String> {
    let extras = kept.extras(objective, confidence);
    let most = extras.iter().max_by(|a, b| a.most().total_cmp(&b.most()))?;
    if extras.iter().any(|e| e.touches) {
        let touching = extras.iter().filter(|e| e.touches);
        let said: Vec<String> = touching.map(|e| extra_in_words(e, objective)).collect();
        let said = said.join("; ");
        return Some(format!(
            "they touch each other: {said}. Try them jointly, with fewer values and --jointly"
        ));
    }
    let tried = if kept.is_tried(&kept.best(objective, &[], confidence)) {
        "those that are recommended among them"
    } else {
        "but not those that are recommended here"
    };
    Some(format!(
        "they do not touch each other as far as they were tried, so that each is chosen for itself: at {} combinations of values, {tried}, they cost at most {} {} a year more or less together than one by one; most at {}",
        extras.len(),
        amount(most.most()),
        objective.unit,
        extra_in_words(most, objective)
    ))
}

fn extra_in_words(extra: &Extra, objective: &Objective) -> String {
    let (low, high) = (extra.interval.low, extra.interval.high);
    let span = if extra.extra < 0.0 { range(-high, -low) } else { range(low, high) };
    format!(
        "{}: {} {} a year {} than now if one adds them up, and {} {} than that together {span}",
        extra.values.join(" and "),
        amount(extra.sum.abs()),
        objective.unit,
        more(extra.sum),
        amount(extra.extra.abs()),
        more(extra.extra)
    )
}

fn more(amount: f64) -> &'static str {
    if amount < 0.0 { "less" } else { "more" }
}

/// The figures that are told: missing, below need, evicted, needless.
const TOLD: [usize; 4] = [MISSING, 1, EVICTED, NEEDLESS];

/// What they came to. Of other values than those that are recommended for these prices it says so, and
/// where no value keeps the limits none is recommended.
pub(crate) fn years(
    kept: &Kept,
    (best, keeps): (&[String], bool),
    confidence: f64,
) -> Option<String> {
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
    let other = match (values == best, keeps) {
        (true, true) => ", what is recommended",
        (true, false) => ", what costs least",
        (false, _) => ", which is not what is recommended here but what was when they were run",
    };
    (!said.is_empty()).then(|| {
        format!(
            "{years} years of {}{other}, in which pods stay where outages put them and nobody rolls them out anew, come to {} a year; in brackets one outage at a time",
            values.join(" / "),
            said.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Interval;

    #[test]
    fn what_is_saved_is_less() {
        let said = |sum: f64, extra: f64| {
            let extra = Extra {
                values: vec!["0".to_owned(), "60".to_owned()],
                sum,
                extra,
                interval: Interval { low: extra - 17.0, high: extra + 17.0 },
                touches: false,
            };
            extra_in_words(&extra, &Objective::new(None))
        };
        assert_eq!(
            said(-164.0, 10.0),
            "0 and 60: 164 replica-minutes a year less than now if one adds them up, and 10 more than that together (-7 to 27)"
        );
        assert_eq!(
            said(164.0, -20.0),
            "0 and 60: 164 replica-minutes a year more than now if one adds them up, and 20 less than that together (3 to 37)"
        );
    }
}
