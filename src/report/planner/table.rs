//! The table of a plan as text: a row for each value, with the columns that have room.

use super::told::{Told, amount, decimals, shown};
use crate::analysis::Interval;
use crate::lab::planner::{FIGURES, OWN, Row};
use crate::report::text::{self, Filled, fold, width};

/// The table is no wider than this.
const WIDE: usize = 80;

/// The heading of what a year costs by the closed form.
const BY_FORMULA: &str = "by formula";

/// A value with how far it may be off: neither is finer than the other, and what is off at all is so by one of the last digit.
fn with_span(value: f64, span: &Interval) -> String {
    let half = (span.high - value).max(value - span.low);
    let whole = [1.0, 10.0, 100.0][decimals(value).min(decimals(half))];
    let round = |v: f64| (v * whole).round() / whole;
    let half = if half > 0.0 { round(half).max(1.0 / whole) } else { 0.0 };
    format!("{} ±{}", amount(round(value)), amount(half))
}

/// The same of a figure, which is never below zero.
pub(super) fn from_zero(value: f64, span: &Interval) -> String {
    match span.high - value > value {
        true => format!("{} ({}–{})", amount(value), amount(span.low.max(0.0)), amount(span.high)),
        false => with_span(value, span),
    }
}

/// The columns that stand as far as there is room: first the figures by which a limit is broken, then
/// what a year costs by formula, the figures by which values differ, of the workload's own, and those that
/// have a price or occur.
fn columns(told: &Told) -> Vec<Filled> {
    let rows = &told.answer.rows;
    let limited = &told.answer.limited;
    let figure = |f: usize| {
        let of = |r: &Row| from_zero(r.figures[f], &r.spans[f]);
        (FIGURES[f].heading().to_owned(), rows.iter().map(of).collect())
    };
    let mut all: Vec<Filled> = limited.iter().map(|&f| figure(f)).collect();
    if rows.iter().any(|r| r.closed.is_some()) {
        let of = |r: &Row| r.closed.map(amount).unwrap_or_default();
        all.push((BY_FORMULA.to_owned(), rows.iter().map(of).collect()));
    }
    for (i, workload) in told.kept.own.iter().enumerate() {
        // Evictions first: by them a value costs what it saves.
        for (f, figure) in OWN.iter().enumerate().cycle().skip(1).take(OWN.len()) {
            let of = |r: &Row| from_zero(r.own[i][f].0, &r.own[i][f].1);
            let heading = format!("{workload}: {}", figure.heading());
            all.push((heading, rows.iter().map(of).collect()));
        }
    }
    all.extend(shown(told).into_iter().filter(|f| !limited.contains(f)).map(figure));
    all
}

/// The marks of each row.
fn marks(told: &Told) -> Vec<String> {
    let a = told.answer;
    let of = |(i, row): (usize, &Row)| {
        let mut marks = Vec::new();
        match i == a.best {
            true => marks.push(told.least().to_owned()),
            _ if a.wanted.is_some() => {}
            _ if a.good.contains(&i) => marks.push("as good".to_owned()),
            _ if a.same.contains(&i) => marks.push("open".to_owned()),
            false => {}
        }
        if i == a.now {
            marks.push("now".to_owned());
        }
        marks.extend(row.breaks.iter().map(|b| format!("breaks {b}")));
        // Limits that are broken may be several: each begins a line.
        marks.join(if row.breaks.len() > 1 { ",\n" } else { ", " })
    };
    a.rows.iter().enumerate().map(of).collect()
}

/// The table in so much room, if not more than a terminal has, and the columns that have none in it.
pub(super) fn table(told: &Told, room: usize) -> (String, Vec<String>) {
    let a = told.answer;
    let more = |(i, r): (usize, &Row)| match i == a.best {
        true => "-".to_owned(),
        false => with_span(r.more, &r.more_interval),
    };
    let cost = a.rows.iter().map(|r| from_zero(r.cost, &r.interval));
    let mut all: Vec<Filled> = vec![
        ("value".to_owned(), (0..a.rows.len()).map(|r| told.name(r)).collect()),
        ("cost".to_owned(), cost.collect()),
        ("more".to_owned(), a.rows.iter().enumerate().map(more).collect()),
    ];
    let marks = (String::new(), marks(told));
    let mut left = WIDE.min(room).saturating_sub(all.iter().chain([&marks]).map(width).sum());
    let mut left_out = Vec::new();
    for (heading, cells) in columns(told) {
        let column = (fold(&heading, 12).join("\n"), cells);
        // Without a limit the formula always stands.
        let stands = heading == BY_FORMULA && a.rows.iter().all(|r| r.breaks.is_empty());
        match left.checked_sub(width(&column)) {
            None if !stands => left_out.push(heading),
            room => {
                left = room.unwrap_or(0);
                all.push(column);
            }
        }
    }
    all.push(marks);
    let last = all.len() - 1;
    (text::table(&all, |i| i == last), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_and_how_far_it_is_off_end_at_one_place() {
        let of = |value: f64, half: f64| {
            with_span(value, &Interval { low: value - half, high: value + half })
        };
        assert_eq!(of(119.2, 3.44), "119 ±3");
        assert_eq!(of(13_303.0, 15.1), "13,303 ±15");
        assert_eq!(of(4.23, 12.3), "4.2 ±12.3");
        assert_eq!(of(60.1, 9.1), "60.1 ±9.1");
        assert_eq!(of(13_303.0, 0.2), "13,303 ±1");
        assert_eq!(of(0.0, 0.0), "0 ±0");
    }
}
