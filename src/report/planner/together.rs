//! What settings that were chosen each for itself do to each other, and what whole years of what is
//! recommended come to, in words.

use super::table::from_zero;
use super::told::{amount, plural, range, runs};
use crate::lab::planner::{EVICTED, Extra, Kept, MISSING, NEEDLESS, Objective};
use crate::language::{few, grouped};

/// What settings that were chosen each for itself do to each other, if that is more than nothing.
pub(crate) fn touching(kept: &Kept, objective: &Objective, confidence: f64) -> Option<String> {
    let extras = kept.extras(objective, confidence);
    let touching = extras.iter().filter(|e| e.touches);
    let worst = touching.max_by(|a, b| a.extra.abs().total_cmp(&b.extra.abs()))?;
    let worst = extra_in_words(worst, objective);
    Some(format!(
        "These settings touch each other, through limits of clients, rates of zones, or room: {worst}."
    ))
}

/// What settings do to each other, in words.
pub(crate) fn together(kept: &Kept, objective: &Objective, confidence: f64) -> Option<String> {
    let extras = kept.extras(objective, confidence);
    let most = extras.iter().max_by(|a, b| a.most().total_cmp(&b.most()))?;
    let touching = extras.iter().filter(|e| e.touches);
    let said: Vec<String> = touching.map(|e| extra_in_words(e, objective)).collect();
    if !said.is_empty() {
        let said = said.join("; ");
        return Some(format!(
            "they touch each other: {said}. Try them jointly, with fewer values and --jointly"
        ));
    }
    let tried = match kept.is_tried(&kept.chosen(objective, &[], confidence)) {
        true => "those that are recommended among them",
        false => "but not those that are recommended here",
    };
    let (tries, unit, words) = (extras.len(), &objective.unit, extra_in_words(most, objective));
    let most = amount(most.most());
    Some(format!(
        "they do not touch each other as far as they were tried, so that each is chosen for itself: at {tries} combinations of values, {tried}, they cost at most {most} {unit} a year more or less together than one by one; most at {words}"
    ))
}

fn extra_in_words(extra: &Extra, objective: &Objective) -> String {
    let (low, high) = (extra.interval.low, extra.interval.high);
    let span = if extra.extra < 0.0 { range(-high, -low) } else { range(low, high) };
    let by = |by: f64| (amount(by.abs()), if by < 0.0 { "less" } else { "more" });
    let ((sum, more), (extra_sum, than_that)) = (by(extra.sum), by(extra.extra));
    let (values, unit) = (extra.values.join(" and "), &objective.unit);
    format!(
        "{values}: {sum} {unit} a year {more} than now if one adds them up, and {extra_sum} {than_that} than that together {span}"
    )
}

/// The figures that are told: missing, below need, evicted, needless.
const TOLD: [usize; 4] = [MISSING, 1, EVICTED, NEEDLESS];

/// What they came to. Of other values than those that are recommended for these prices it says so, and
/// where no value keeps the limits none is recommended.
pub(crate) fn years(
    kept: &Kept,
    (chosen, keeps): (&[String], bool),
    confidence: f64,
) -> Option<String> {
    let (values, years) = kept.years_of()?;
    let [by_years, alone] = kept.by_years(confidence)?;
    let told = TOLD.into_iter().filter(|f| by_years[*f].0 != 0.0 || alone[*f].0 != 0.0);
    let said = told.map(|f| {
        let [years, one] = [by_years[f], alone[f]].map(|(mean, span)| from_zero(mean, &span));
        format!("{years} {} [{one}]", plural(f))
    });
    let (said, of) = (said.collect::<Vec<_>>().join(", "), values.join(" / "));
    let other = match (values == chosen, keeps) {
        (true, true) => ", what is recommended",
        (true, false) => ", what costs least",
        (false, _) => ", which is not what is recommended here but what was when they were run",
    };
    let failed = kept.whole_years.as_deref().and_then(failed);
    let failed = failed.map_or_else(String::new, |failed| format!("; {failed}"));
    (!said.is_empty()).then(|| {
        format!(
            "{years} years of {of}{other}, in which pods stay where outages put them and nobody rolls them out anew, come to {said} a year; in square brackets one outage at a time{failed}"
        )
    })
}

/// Jobs that fail in some of the runs: nobody makes the pods that they lack from then on.
pub(super) fn failed(kept: &Kept) -> Option<String> {
    let runs = runs(kept);
    let say = |(job, (how, times)): (&String, &(String, u64))| {
        format!("{} {how} in {} of {runs}", job.replacen('/', " ", 1), grouped(*times))
    };
    let all = few(3, kept.failed.iter().map(say));
    let told = || format!("{all}: what a failed Job lacks is missing to the end of its run");
    (!kept.failed.is_empty()).then(told)
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
