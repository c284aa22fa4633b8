//! A plan as it is told: what is known, and how its numbers are written.

use crate::lab::planner::{Answer, Counting, FIGURES, Kept, Objective, Row};
use crate::language::{counted, grouped};
use crate::report::text::joined;
use serde::Deserialize;
use serde_json::Value;

/// A plan as it is told.
pub(crate) struct Told<'a> {
    /// What is kept of the runs.
    pub(crate) kept: &'a Kept,
    /// What follows.
    pub(crate) answer: &'a Answer,
    /// What counts.
    pub(crate) objective: &'a Objective,
    /// Where the figures come from.
    pub(crate) source: &'a Source,
    /// What settings that are chosen each for itself do to each other.
    pub(crate) together: Option<String>,
    /// What whole years of what is recommended come to, beside one outage at a time.
    pub(crate) years: Option<String>,
}

/// Where the figures of a plan come from; what of it is read again with what was kept is in its
/// document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Source {
    /// Where the faults come from: a preset, or the scenario.
    pub(crate) faults: String,
    /// Release, timing, seed.
    #[serde(rename = "run")]
    pub(crate) line: String,
    /// What the runs rest on ([`manifest::basis`](crate::report::manifest)), and what was chosen among.
    pub(crate) basis: Value,
    /// What else a person should know.
    pub(crate) notes: Vec<String>,
    /// How long they took, where time was up before enough was known.
    #[serde(skip)]
    pub(crate) seconds: Option<f64>,
}

impl Told<'_> {
    pub(super) fn best(&self) -> &Row {
        &self.answer.rows[self.answer.best]
    }

    /// How sure it is, as it was asked for: 57 and not 56.99999999999999.
    pub(super) fn percent(&self) -> f64 {
        (self.answer.confidence * 1e8).round() / 1e6
    }

    /// What is said of the row that costs least, whether or not it is recommended.
    pub(super) fn least(&self) -> &'static str {
        match (self.answer.wanted, self.answer.keeps) {
            (Some(_), _) => "costs least so far",
            (None, true) => "best",
            (None, false) => "costs least",
        }
    }

    /// The row of what is set now.
    pub(super) fn now(&self) -> &Row {
        &self.answer.rows[self.answer.now]
    }

    /// How much longer it takes until there are so many replications, in words.
    pub(super) fn longer(&self, wanted: u64) -> Option<String> {
        let n = self.answer.n as f64;
        let seconds = self.source.seconds? * (wanted as f64 - n) / n.max(1.0);
        let told = match seconds {
            s if s <= 0.0 => return None,
            s if s < 90.0 => format!("{:.0} s", s.max(1.0).ceil()),
            s if s < 5_400.0 => format!("{:.0} min", (s / 60.0).ceil()),
            s if s < 1e6 => format!("{:.0} h", (s / 3_600.0).ceil()),
            _ => return Some("more than days more".to_owned()),
        };
        Some(format!("about {told} more"))
    }

    /// Where the figures come from.
    pub(super) fn subtitle(&self) -> String {
        format!("{}; {}; {} replications", self.source.faults, self.source.line, self.answer.n)
    }

    /// What replications are.
    pub(super) fn what_is_counted(&self) -> &'static str {
        match self.kept.counting.0 {
            Counting::Outages => "outages of each model",
            Counting::Years => "years",
        }
    }

    /// With which values something came to be, and how often: `with 30 in 43 of 129 outages`.
    pub(super) fn often(&self, by_row: &[u64]) -> Option<String> {
        let runs = runs(self.kept);
        let say = |(row, n): (usize, &u64)| {
            format!("with {} in {} of {runs}", self.name(row), grouped(*n))
        };
        let some = by_row.iter().take(self.answer.rows.len()).enumerate();
        joined(some.filter(|(_, n)| **n > 0).map(say), ", ")
    }

    /// A row in words: `300`, `300 / 50s`.
    pub(crate) fn name(&self, row: usize) -> String {
        self.answer.rows[row].values.join(" / ")
    }

    /// The settings without what stands before their last names.
    pub(crate) fn settings(&self) -> String {
        let short = |path: &String| path.rsplit('.').next().unwrap_or(path).to_owned();
        let all: Vec<String> = self.kept.paths.iter().map(short).collect();
        all.join(" / ")
    }
}

/// The models that come too seldom for whole years, and were run one outage at a time beside them.
pub(super) fn seldom(kept: &Kept) -> Option<String> {
    let is_year = matches!(kept.counting.0, Counting::Years);
    let names = kept.models.iter().zip(&kept.weights).filter(|(_, most)| is_year && **most > 0.0);
    joined(names.map(|((name, _), _)| name.clone()), ", ")
}

/// How many outages were run with each value, or years: `129 outages`, `8 years and 40 outages`.
pub(super) fn runs(kept: &Kept) -> String {
    let n = kept.moments.n();
    let years = matches!(kept.counting.0, Counting::Years).then(|| counted(n, "year"));
    let alone = n * kept.alone().len() as u64;
    let alone = (alone > 0).then(|| counted(alone, "outage"));
    joined(years.into_iter().chain(alone), " and ").unwrap_or_default()
}

/// A cost or figure with three digits that mean something.
pub(crate) fn amount(value: f64) -> String {
    let digits = decimals(value);
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest = rest.trim_end_matches('0');
    let number = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    // What is nothing with these digits has no sign.
    let sign =
        if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "-" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{number}{point}{rest}")
}

/// How many decimals three digits leave a number.
pub(super) fn decimals(value: f64) -> usize {
    match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    }
}

/// The figure as something that is counted.
pub(super) fn plural(figure: usize) -> &'static str {
    match figure {
        0 => "replica-minutes missing",
        1 => "minutes below need",
        3 => "evictions",
        4 => "needless ones",
        other => FIGURES[other].heading(),
    }
}

/// Where an amount lies, from the lower end to the higher one.
pub(super) fn range(low: f64, high: f64) -> String {
    format!("({} to {})", amount(low), amount(high))
}

/// The figures that a table shows: those that have a price or occur.
pub(super) fn shown(told: &Told<'_>) -> Vec<usize> {
    let occurs = |f: usize| told.answer.rows.iter().any(|r| r.figures[f].abs() > 1e-9);
    (0..FIGURES.len()).filter(|&f| told.objective.prices[f] > 0.0 || occurs(f)).collect()
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn an_amount_keeps_its_sign() {
        let all = [
            (-0.06, "-0.06"),
            (-0.73, "-0.73"),
            (-0.001, "0"),
            (0.0, "0"),
            (0.5, "0.5"),
            (-9.999, "-10"),
            (-12.34, "-12.3"),
            (1_234.5, "1,234"),
            (-1_234_567.0, "-1,234,567"),
            (1e20, "100000000000000000000"),
        ];
        for (value, text) in all {
            assert_eq!(amount(value), text, "{value}");
        }
    }
}
