//! A sweep as a page: a curve for each of the first figures, the table, and a run of each row.

use super::columns::{Column, Measure};
use super::heading::{Heading, Swept};
use crate::lab::Case;
use crate::language::duration;
use crate::report::charts::Unit;
use crate::report::html::board::{Board, Curve, Line, Part, Runs, Table};
use crate::report::prelude::*;
use crate::report::tables::distinct;
use std::cmp::Ordering;

/// More figures are left to the table.
const CURVES: usize = 6;
/// More lines would not be told apart; they are left to the table, too.
const LINES: usize = 16;

/// The page of a sweep; `runs` are those of it that the page holds, each with the name of its row.
pub(crate) fn board(swept: Swept<'_>, runs: Vec<(String, String)>) -> Board {
    let Swept { heading, layout, cases } = swept;
    let Heading { name: title, doc, line: subtitle, mut notes, fixed, .. } = heading.clone();
    notes.extend(fixed.iter().map(|f| format!("In every run: {f}")));
    let of = heading.columns().join(" / ");
    let lines = Lines::new(&heading.columns(), cases);
    let curve = |c: &Column| Part::Curve(lines.curve(c, &heading.columns()));
    let mut parts: Vec<Part> = layout.columns.iter().take(CURVES).map(curve).collect();
    if !runs.is_empty() {
        let runs = Runs { title: "A run of each row".to_owned(), of, runs, beside: false };
        parts.push(Part::Runs(runs));
    }
    parts.push(Part::Table(table(swept)));
    Board { title, doc, subtitle, notes, parts }
}

/// What a figure is counted in, for its title, and by how much its values are multiplied for that.
fn unit(measure: Measure) -> (&'static str, f64) {
    match measure.unit() {
        Unit::Seconds => (", in seconds", 1.0),
        Unit::Percent => (", in %", 100.0),
        Unit::Count | Unit::Minutes => ("", 1.0),
    }
}

/// Which rows are points of one line: those that differ in one setting only, which stands on the
/// axis across.
struct Lines<'a> {
    /// The setting of the axis.
    across: usize,
    /// Its values, as far as all are numbers in the order of the axis.
    ticks: Vec<&'a str>,
    at: Option<Vec<f64>>,
    /// The values of all other settings, each with the row of each value of the axis.
    rows: Vec<(Vec<&'a str>, Vec<Option<&'a Case>>)>,
}

impl<'a> Lines<'a> {
    fn new(settings: &[String], cases: &'a [Case]) -> Self {
        let value = |case: &'a Case, setting: usize| case.values.get(setting).map(String::as_str);
        let values = |setting| distinct(cases.iter().filter_map(|case| value(case, setting)));
        // A release is written like a number and is none.
        let numbers = |setting: usize| -> Option<Vec<f64>> {
            let is = settings.get(setting).is_some_and(|s| s != "kubernetes");
            values(setting).into_iter().map(|v| number(v).filter(|_| is)).collect()
        };
        let across = (0..settings.len()).find(|s| numbers(*s).is_some()).unwrap_or(0);
        let mut ticks = values(across);
        let mut at = numbers(across);
        if let Some(at) = &mut at {
            ticks.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal));
            at.sort_by(f64::total_cmp);
        }
        let mut rows: Vec<(Vec<&str>, Vec<Option<&Case>>)> = Vec::new();
        for case in cases {
            let others = case.values.iter().enumerate().filter(|v| v.0 != across);
            let others: Vec<&str> = others.map(|v| v.1.as_str()).collect();
            let tick = value(case, across);
            let Some(place) = ticks.iter().position(|t| Some(*t) == tick) else { continue };
            let line = rows.iter().position(|r| r.0 == others).unwrap_or_else(|| {
                rows.push((others, vec![None; ticks.len()]));
                rows.len() - 1
            });
            rows[line].1[place] = Some(case);
        }
        Lines { across, ticks, at, rows }
    }

    /// The settings and values that a line has in common.
    fn name(&self, settings: &[String], values: &[&str]) -> String {
        let others = settings.iter().enumerate().filter(|s| s.0 != self.across);
        let said = others.zip(values).map(|((_, s), v)| format!("{s} {v}"));
        said.collect::<Vec<_>>().join(", ")
    }

    fn curve(&self, column: &Column, settings: &[String]) -> Curve {
        let (unit, times) = unit(column.measure);
        let left = self.rows.len().saturating_sub(LINES);
        let more = match left {
            0 => String::new(),
            n => format!("; {} in the table", counted(n, "more line")),
        };
        // A single line says so itself.
        let cases = || self.rows.iter().flat_map(|row| row.1.iter().flatten());
        let interval = |case: &&Case| column.sample(case)?.figure_interval();
        let spread = match self.rows.len() > 1 && cases().any(|c| interval(c).is_some()) {
            true => ", with its 95 % interval",
            false => "",
        };
        let lines = self.rows.iter().take(LINES).map(|(values, cases)| {
            let samples: Vec<Option<Sample>> = cases.iter().map(|c| column.sample((*c)?)).collect();
            let of = |f: &dyn Fn(&Sample) -> Option<f64>| {
                let all = samples.iter();
                all.map(|s| Some(f(s.as_ref()?)? * times)).collect()
            };
            let name = match self.name(settings, values) {
                none if none.is_empty() => "mean over the seeds, and its 95 % interval".to_owned(),
                name => name,
            };
            Line {
                name,
                values: of(&|s| Some(s.mean())),
                // As in the table: with few seeds it reaches beyond the least and the greatest run.
                low: of(&|s| Some(s.figure_interval()?.low)),
                high: of(&|s| Some(s.figure_interval()?.high)),
            }
        });
        Curve {
            title: format!("{}{unit}{spread}{more}", column.heading()),
            across: settings.get(self.across).cloned().unwrap_or_default(),
            ticks: self.ticks.iter().map(|t| (*t).to_owned()).collect(),
            at: self.at.clone(),
            lines: lines.collect(),
            ..Curve::default()
        }
    }
}

/// A value as a number: a duration in seconds.
fn number(value: &str) -> Option<f64> {
    let plain = value.parse::<f64>().ok().filter(|n| n.is_finite());
    plain.or_else(|| Some(duration::parse(value).ok()?.as_secs_f64()))
}

fn table(swept: Swept<'_>) -> Table {
    let Swept { heading, layout, cases } = swept;
    let mut columns = heading.columns();
    for c in &layout.columns {
        columns.push(format!("{}{}", c.heading(), unit(c.measure).0));
        columns.push("least to greatest".to_owned());
    }
    let row = |case: &Case| {
        let mut cells: Vec<Value> = case.values.iter().map(|v| v.as_str().into()).collect();
        for c in &layout.columns {
            let sample = c.sample(case);
            let times = unit(c.measure).1;
            let range =
                sample.as_ref().map(|s| [s.min(), s.max()].map(|v| plain(v * times)).join(" to "));
            cells.push(sample.map(|s| s.mean() * times).into());
            cells.push(range.into());
        }
        cells
    };
    Table::new("All rows: means over the seeds", columns, cases.iter().map(row))
}

/// Decimals without needless zeros.
fn plain(value: f64) -> String {
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(values: &[&str]) -> Case {
        Case { values: values.iter().map(|v| (*v).to_owned()).collect(), runs: Vec::new() }
    }

    #[test]
    fn two_settings_are_a_line_for_each_value_of_the_second() {
        let cases = [
            case(&["60", "1.31"]),
            case(&["60", "1.34"]),
            case(&["30", "1.31"]),
            case(&["5m", "1.34"]),
        ];
        let settings = ["tolerationSeconds".to_owned(), "kubernetes".to_owned()];
        let lines = Lines::new(&settings, &cases);
        // The axis is to scale, in order, and five minutes are 300 s.
        assert_eq!(lines.ticks, ["30", "60", "5m"]);
        assert_eq!(lines.at, Some(vec![30.0, 60.0, 300.0]));
        let there: Vec<(&str, Vec<bool>)> = lines
            .rows
            .iter()
            .map(|(v, c)| (v[0], c.iter().map(Option::is_some).collect()))
            .collect();
        assert_eq!(there, [("1.31", vec![true, true, false]), ("1.34", vec![false, true, true])]);
        assert_eq!(lines.name(&settings, &["1.34"]), "kubernetes 1.34");
    }

    #[test]
    fn what_is_no_number_stands_in_its_order() {
        let cases = [case(&["none", "0"]), case(&["300", "0"])];
        let settings = ["seconds".to_owned(), "count".to_owned()];
        let lines = Lines::new(&settings, &cases);
        // The second setting is all numbers, and so it is the axis.
        assert_eq!((lines.across, lines.rows.len()), (1, 2));
        let cases = [case(&["none"]), case(&["300"])];
        let lines = Lines::new(&settings[..1], &cases);
        assert_eq!((lines.ticks, lines.at), (vec!["none", "300"], None));
    }

    #[test]
    fn decimals_end_where_they_say_nothing_more() {
        assert_eq!([10.0, 12.5].map(plain), ["10", "12.5"]);
    }
}
