//! The table of a sweep as text.

use super::columns::{Column, Measure};
use super::heading::{Cells, Heading, Swept};
use crate::lab::Case;
use crate::report::Written;
use crate::report::charts::Unit;
use crate::report::prelude::*;
use crate::report::text::{DIM, Filled, PLAIN, Printer, YELLOW, fold, table, tables};

/// Writes heading and table; `written` says where its files are, if there are any.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(
    p: &mut Printer<'_>,
    swept: Swept<'_>,
    written: Option<&Written>,
) -> io::Result<()> {
    let Swept { heading, layout, .. } = swept;
    write_heading(p, heading)?;
    let of_all = |c: &Column, case: &Case| said(c, c.sample(case).as_ref(), layout.cells);
    write_rows(p, swept, &of_all)?;
    if let Some(from) = swept.against() {
        let space = if from.values.is_empty() { "" } else { " " };
        let name = from.values.join(" / ");
        let head = format!(
            "Differences from the row{space}{name}, seed by seed: the draws are the same, so that what differs is the setting's doing."
        );
        p.folded(&head, 0, PLAIN)?;
        let of_difference = |c: &Column, case: &Case| signed(c, c.difference(case, from).as_ref());
        write_rows(p, swept, &of_difference)?;
    }
    p.folded(&notes(swept), 0, PLAIN)?;
    written.map_or(Ok(()), |written| p.files(written))?;
    if heading.seeds == 1 {
        let text = "One seed is one sample: --seeds 20 shows how much is chance.";
        writeln!(p.out, "{}", p.painted(text, DIM))?;
    }
    Ok(())
}

/// Writes what all rows have in common.
fn write_heading(p: &mut Printer<'_>, heading: &Heading) -> io::Result<()> {
    p.title(&heading.scenario)?;
    if !heading.doc.is_empty() {
        p.indented(&heading.doc, 2, PLAIN)?;
    }
    p.indented(&heading.line, 2, PLAIN)?;
    if heading.unchecked {
        let text = "This release was not checked against recordings.";
        writeln!(p.out, "  {}", p.painted(text, YELLOW))?;
    }
    heading.notes.iter().try_for_each(|note| p.indented(note, 2, YELLOW))?;
    heading.fixed.iter().try_for_each(|fixed| writeln!(p.out, "  {fixed}"))?;
    let columns = heading.columns();
    let mut short =
        heading.axes.iter().zip(&columns).filter(|(axis, column)| axis.path != **column);
    short.try_for_each(|(a, column)| p.indented(&format!("{column} is {}", a.path), 2, PLAIN))
}

/// Writes a table with a row for each case; `cell` is what it says of a figure of the case. Columns
/// that have no room beside the others follow in a table of their own, and detection, where it is the
/// same in all rows, in a line.
fn write_rows(
    p: &mut Printer<'_>,
    swept: Swept<'_>,
    cell: &dyn Fn(&Column, &Case) -> String,
) -> io::Result<()> {
    let Swept { heading, layout, cases } = swept;
    let of_case = |c: &Column| -> Vec<String> { cases.iter().map(|case| cell(c, case)).collect() };
    let is_said = |c: &&Column| {
        let all = of_case(c);
        c.measure == Measure::Detection && all.len() > 1 && all.iter().all(|cell| *cell == all[0])
    };
    let (said, columns): (Vec<&Column>, Vec<&Column>) = layout.columns.iter().partition(is_said);
    let figures = columns.into_iter().map(|c| (head(c), of_case(c))).collect();
    let name = |(i, name): (usize, String)| {
        let values = cases.iter().map(|case| case.values[i].clone());
        (name, values.collect())
    };
    let names: Vec<Filled> = heading.columns().into_iter().enumerate().map(name).collect();
    for columns in tables(&names, figures, p.style.width) {
        writeln!(p.out, "\n{}", table(&columns, |_| false))?;
    }
    let line = |c: &Column| format!("{}: {} in all rows", c.heading(), cell(c, &cases[0]));
    said.into_iter().try_for_each(|c| writeln!(p.out, "{}", line(c)))?;
    writeln!(p.out)
}

/// What the words and signs of the table mean.
fn notes(swept: Swept<'_>) -> String {
    let Swept { heading, layout, cases } = swept;
    let mut notes = String::new();
    if heading.seeds > 1 {
        let (what, beside) = match layout.cells {
            Cells::Mean => {
                ("Mean", "; ± is its 95 % interval, in brackets where it would go below zero")
            }
            Cells::Median => ("Median", ", its 95 % interval in brackets"),
            Cells::P95 => ("95th percentile", ", its 95 % interval in brackets"),
            Cells::Range => ("Median", ", least and greatest in brackets"),
        };
        notes += &format!("{what} over {} seeds{beside}. ", grouped(heading.seeds));
    }
    let shows = |m: Measure| layout.columns.iter().any(|c| c.measure == m);
    if shows(Measure::Cost(Figure::ReplicaMinutesMissing)) {
        notes.push_str("Missing: desired pods that were not up, summed over time. ");
    }
    if [Measure::Detection, Measure::Tainting, Measure::Eviction].into_iter().any(shows) {
        notes.push_str("Detection, tainting, eviction: from the fault to Unknown, NoExecute and the deletion, the median of a run. ");
    }
    if shows(Measure::Cost(Figure::Needless)) {
        notes += &format!("Needless: the node was back within {}. ", short(heading.window));
    }
    let undecided: u64 = cases.iter().flat_map(|c| &c.runs).map(|r| r.metrics.undecided).sum();
    if undecided > 0 && shows(Measure::Cost(Figure::Needless)) {
        notes += &format!("Of {} evictions the runs ended too early to tell.", grouped(undecided));
    }
    notes
}

/// A column's heading: two words each in a line of their own, so that it is no wider than what is below.
fn head(column: &Column) -> String {
    fold(&column.heading(), 16).join("\n")
}

/// `12.1 ±0.4`, `12 (10–14)`, `12` where all are the same, `-` where it never happened.
fn said(column: &Column, sample: Option<&Sample>, cells: Cells) -> String {
    let Some(s) = sample else { return "-".to_owned() };
    let text = |v: f64| value(column.measure, v);
    let ranged = |at: f64, interval: Option<Interval>| match interval {
        Some(i) if text(i.low) != text(i.high) => {
            format!("{} ({}–{})", text(at), text(i.low), text(i.high))
        }
        _ => text(at),
    };
    match cells {
        Cells::Mean if s.min() == s.max() => text(s.mean()),
        // No figure of a run is below zero, and no mean of them.
        Cells::Mean if s.mean_interval().is_some_and(|i| i.low < 0.0) => {
            let high = s.mean_interval().map_or(0.0, |i| i.high);
            let [mean, high] = [s.mean(), high].map(|v| rounded(column.measure, v));
            format!("{mean} (0–{high})")
        }
        Cells::Mean => mean(column.measure, s),
        Cells::Median => ranged(s.quantile(50), s.quantile_interval(50)),
        Cells::P95 => ranged(s.quantile(95), s.quantile_interval(95)),
        Cells::Range => ranged(s.quantile(50), Some(Interval { low: s.min(), high: s.max() })),
    }
}

/// A difference with its interval: `+1.2 ±0.3`, `0`.
fn signed(column: &Column, sample: Option<&Sample>) -> String {
    let Some(s) = sample else { return "-".to_owned() };
    if s.min() == 0.0 && s.max() == 0.0 {
        return "0".to_owned();
    }
    let sign = if s.mean() < 0.0 { "−" } else { "+" };
    format!("{sign}{}", mean(column.measure, s))
}

/// How many digits behind the point a figure has at least and at most, and what it is multiplied by
/// to be read.
fn digits(measure: Measure) -> (usize, usize, f64) {
    match measure.unit() {
        Unit::Percent => (2, 4, 100.0),
        _ => (1, 3, 1.0),
    }
}

/// The size of a mean with half the width of its interval behind it, which says how many digits
/// there are: `1.87 ±0.02`. Half a width is rounded up, so that one that is not nothing never reads
/// as nothing.
fn mean(measure: Measure, s: &Sample) -> String {
    let half = s.mean_interval().map_or(0.0, |i| i.high - s.mean());
    // The deviation of equal values may differ from zero by the error of floating point.
    if half <= 0.0 || s.min() == s.max() {
        return value(measure, s.mean().abs());
    }
    let scale = digits(measure).2;
    let places = places(measure, half * scale);
    let whole = 10_f64.powi(places as i32);
    // A hair less, so that a width that would be round without the error of floating point is not
    // rounded up.
    let half = written(measure, (half * scale * whole - 1e-6).ceil() / whole, places, places);
    format!("{} ±{half}", written(measure, s.mean().abs() * scale, places, places))
}

/// A mean in words, with as few digits as its measure has.
fn rounded(measure: Measure, v: f64) -> String {
    let v = v * digits(measure).2;
    let places = places(measure, v);
    written(measure, v, places, places)
}

/// With how many places a value is more than nothing, as far as places go.
fn places(measure: Measure, v: f64) -> usize {
    let (least, most, _) = digits(measure);
    (least..most).find(|d| v >= 0.5 / 10_f64.powi(*d as i32)).unwrap_or(most)
}

/// A value in words: times as `1m30s`, shares in per cent, counts whole unless they are means. The
/// smaller it is, the more digits it has.
fn value(measure: Measure, v: f64) -> String {
    let (least, most, scale) = digits(measure);
    let v = v * scale;
    if measure.unit() == Unit::Count && v.fract() == 0.0 {
        return written(measure, v, 0, 0);
    }
    let places = match v {
        v if v >= 10.0 => least,
        v if v >= 1.0 && measure.unit() != Unit::Seconds => (least + 1).min(most),
        _ => most,
    };
    written(measure, v, places, least)
}

/// A number in the unit that it is read in, with `places` digits behind the point, of which no zeros
/// are left at the end but among the `least` first.
fn written(measure: Measure, v: f64, places: usize, least: usize) -> String {
    if measure.unit() == Unit::Seconds {
        let step = 10_u64.pow(3 - places.min(3) as u32);
        return short(Dur::from_millis((v * 1000.0 / step as f64).round() as u64 * step));
    }
    let text = format!("{v:.places$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest = &rest[..rest.trim_end_matches('0').len().max(least.min(rest.len()))];
    let grouped = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let number = if rest.is_empty() { grouped } else { format!("{grouped}.{rest}") };
    if measure.unit() == Unit::Percent { format!("{number} %") } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Costs, Metrics};

    const MINUTES: Measure = Measure::Cost(Figure::ReplicaMinutesMissing);
    const SHARE: Measure = Measure::Cost(Figure::RequestsLostShare);
    const COUNT: Measure = Measure::Cost(Figure::Evicted);

    fn cell(measure: Measure, values: &[f64]) -> String {
        said(&Column::of_all(measure), Sample::of(values.iter().copied()).as_ref(), Cells::Mean)
    }

    #[test]
    fn the_interval_says_how_many_digits_there_are() {
        // Of two values v ± e the deviation is e · √2, and t(1, 97.5 %) = 12.706: half the interval
        // is 12.706 · e.
        assert_eq!(cell(MINUTES, &[110.0 - 0.1, 110.0 + 0.1]), "110.0 ±1.3");
        assert_eq!(cell(MINUTES, &[1.867 - 0.001, 1.867 + 0.001]), "1.87 ±0.02");
        assert_eq!(cell(MINUTES, &[1.867 - 1e-6, 1.867 + 1e-6]), "1.867 ±0.001");
        // 2.5 ± 12.706 · 0.5: up to 8.853, and a count is not below zero.
        assert_eq!(cell(COUNT, &[2.0, 3.0]), "2.5 (0–8.9)");
        assert_eq!(cell(Measure::Detection, &[47.70, 47.72]), "47.7s ±0.2s");
        assert_eq!(cell(Measure::Detection, &[162.4995, 162.5005]), "2m42.5s ±0.01s");
        assert_eq!(cell(SHARE, &[0.0032, 0.0034]), "0.33 % ±0.13 %");
        // 12.706 · 0.000 001 % are 0.000 013 %, rounded up at the fourth digit, the last that is
        // shown.
        assert_eq!(cell(SHARE, &[0.003_299_99, 0.003_300_01]), "0.3300 % ±0.0001 %");
    }

    #[test]
    fn what_is_the_same_in_all_runs_is_told_as_it_is() {
        let same = |measure, v: f64| cell(measure, &[v, v, v]);
        assert_eq!(
            (
                same(MINUTES, 2.0),
                same(MINUTES, 0.04),
                same(MINUTES, 1.867),
                same(MINUTES, 12_345.67)
            ),
            ("2.0".into(), "0.04".into(), "1.87".into(), "12,345.7".into())
        );
        assert_eq!(
            (same(COUNT, 1_200.0), same(COUNT, 0.0), same(SHARE, 0.5), same(SHARE, 0.0)),
            ("1,200".into(), "0".into(), "50.00 %".into(), "0.00 %".into())
        );
        assert_eq!(
            (same(Measure::Detection, 47.704), same(Measure::Detection, 0.013)),
            ("47.7s".into(), "0.013s".into())
        );
        assert_eq!(cell(MINUTES, &[]), "-");
        assert_eq!(cell(MINUTES, &[1.5]), "1.5", "one run has no interval");
    }

    /// Of what was not whole yet nothing is missing that counts, but evictions count, and so does another workload.
    #[test]
    fn what_is_not_counted_is_no_nought() {
        let [web, api] =
            ["web", "api"].map(|n| (format!("Deployment/default/{n}"), Costs::default()));
        let uncounted = vec![web.0.clone()];
        let alone = Metrics { workloads: vec![web.clone()], uncounted, ..Metrics::default() };
        let of = |measure, metrics: &Metrics| Column::of_all(measure).of(metrics);
        assert_eq!(
            (of(MINUTES, &alone), of(SHARE, &alone), of(COUNT, &alone)),
            (None, None, Some(0.0))
        );
        let both = Metrics { workloads: vec![web.clone(), api.clone()], ..alone };
        let column = |(name, _): (String, _)| Column { measure: MINUTES, workload: Some(name) };
        assert_eq!(
            (of(MINUTES, &both), column(web).of(&both), column(api).of(&both)),
            (Some(0.0), None, Some(0.0))
        );
    }

    #[test]
    fn differences_have_a_sign() {
        let of = |values: &[f64]| {
            signed(&Column::of_all(MINUTES), Sample::of(values.iter().copied()).as_ref())
        };
        assert_eq!(
            (of(&[0.0, 0.0]), of(&[5.0, 5.0]), of(&[-5.0, -5.0]), of(&[])),
            ("0".into(), "+5.0".into(), "−5.0".into(), "-".into())
        );
        assert_eq!(of(&[0.1; 20]), "+0.1");
        assert_eq!(of(&[-22.0 - 0.1, -22.0 + 0.1]), "−22.0 ±1.3");
        // What may be nothing reads as what may be nothing.
        assert_eq!(of(&[-0.1, 0.1]), "+0.0 ±1.3");
    }
}
