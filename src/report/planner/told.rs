//! A plan as it is told: what is known, and how its numbers are written.

use crate::lab::planner::{Answer, FIGURES, Kept, Objective, Row};

/// A plan as it is told.
#[derive(Clone, Debug)]
pub(crate) struct Told<'a> {
    /// What is kept of the runs.
    pub kept: &'a Kept,
    /// What follows.
    pub answer: &'a Answer,
    /// What counts.
    pub objective: &'a Objective,
    /// Where the faults come from: a preset, or the scenario.
    pub faults: String,
    /// Release, timing, seed.
    pub line: String,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// What settings that are chosen each for itself do to each other.
    pub together: Option<String>,
    /// The runs were ended before enough was known.
    pub interrupted: bool,
}

impl Told<'_> {
    /// The best row.
    pub(super) fn best(&self) -> &Row {
        &self.answer.rows[self.answer.best]
    }

    /// The row of what is set now.
    pub(super) fn now(&self) -> &Row {
        &self.answer.rows[self.answer.now]
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

/// A cost or figure with three digits that mean something.
pub(crate) fn amount(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    let Some((whole, rest)) = text.split_once('.') else {
        return grouped(&text);
    };
    let rest = rest.trim_end_matches('0');
    if rest.is_empty() {
        grouped(whole)
    } else {
        format!("{}.{rest}", grouped(whole))
    }
}

fn grouped(whole: &str) -> String {
    let (sign, digits) = match whole.strip_prefix('-') {
        Some("0") => ("", "0"),
        Some(digits) => ("-", digits),
        None => ("", whole),
    };
    let number = digits.parse().unwrap_or(0);
    format!("{sign}{}", crate::analysis::grouped(number))
}

/// The figures that a table shows: those that have a price or occur.
pub(super) fn shown(told: &Told<'_>) -> Vec<usize> {
    let occurs = |f: usize| told.answer.rows.iter().any(|r| r.figures[f].abs() > 1e-9);
    (0..FIGURES.len())
        .filter(|&f| told.objective.prices[f] > 0.0 || occurs(f))
        .collect()
}
