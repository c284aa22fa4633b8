//! The chart of a sweep: a row per combination of values as in the table, a panel for each of the
//! first figures.

use super::columns::Column;
use super::heading::{Layout, Swept};
use crate::lab::Case;
use crate::report::charts::{Beside, Figures, Panel, Range, Unit};

/// More rows are left to the table.
const ROWS_MAX: usize = 100;
/// More figures are left to the table.
const PANELS_MAX: usize = 4;

/// What the chart shows: the first rows and the first figures of the table.
pub(super) fn figures(swept: Swept<'_>) -> Figures {
    let Swept { heading, layout, cases } = swept;
    let rows = &cases[..cases.len().min(ROWS_MAX)];
    let panel = |column: &Column| Panel {
        name: column.heading(),
        unit: column.measure.unit(),
        ranges: rows.iter().map(|r| range(column, r)).collect(),
    };
    Figures {
        heading: crate::report::Heading {
            title: heading.name.clone(),
            subtitle: subtitle(&heading.line, layout, cases.len()),
            doc: String::new(),
        },
        title: heading.columns().join(" / "),
        rows: rows.iter().map(|r| r.values.join(" / ")).collect(),
        legend: ["mean over the seeds", "its 95 % interval", "least to greatest"],
        beside: Beside::Mean,
        panels: layout.columns.iter().take(PANELS_MAX).map(panel).collect(),
    }
}

/// The line of the heading, and what is left to the table.
fn subtitle(line: &str, layout: &Layout, rows: usize) -> String {
    let left_out = rows.saturating_sub(ROWS_MAX);
    let mut subtitle = line.to_owned();
    if left_out > 0 {
        subtitle.push_str(&format!("; {left_out} more rows are in the table"));
    }
    let undrawn: Vec<String> =
        layout.columns.iter().skip(PANELS_MAX).map(Column::heading).collect();
    if !undrawn.is_empty() {
        subtitle.push_str(&format!("; in the table: {}", undrawn.join(", ")));
    }
    subtitle
}

/// A figure over the seeds of a row, as it is drawn; none where it did not happen.
fn range(column: &Column, case: &Case) -> Option<Range> {
    let sample = column.sample(case)?;
    let scale = if column.measure.unit() == Unit::Percent { 100_000.0 } else { 1_000.0 };
    let of = |v: f64| (v.max(0.0) * scale).round() as u128;
    let (least, greatest) = (sample.min(), sample.max());
    // A mean's interval may reach beyond what can be.
    let interval = sample
        .mean_interval()
        .map_or((sample.mean(), sample.mean()), |i| (i.low.max(least), i.high.min(greatest)));
    Some(Range {
        least: of(least),
        low: of(interval.0),
        mean: of(sample.mean()),
        high: of(interval.1),
        greatest: of(greatest),
    })
}
