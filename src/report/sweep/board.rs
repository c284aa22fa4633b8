//! A sweep as a page: a curve for each of the first figures, the table, and a run of each row.

use super::columns::{Column, Measure};
use super::heading::{Heading, Layout};
use crate::analysis::Sample;
use crate::lab::Case;
use crate::report::html::board::{Board, Curve, Line, Part, Runs, Table};
use serde_json::Value;

/// More figures are left to the table.
const CURVES: usize = 6;

/// The page of a sweep; `runs` are those of it that the page holds, each with the name of its row.
pub(crate) fn board(
    heading: &Heading,
    layout: &Layout,
    cases: &[Case],
    runs: Vec<(String, String)>,
) -> Board {
    let mut notes = heading.notes.clone();
    notes.extend(heading.fixed.iter().map(|f| format!("In every run: {f}")));
    let of = heading.columns().join(" / ");
    let mut parts: Vec<Part> = layout
        .columns
        .iter()
        .take(CURVES)
        .map(|c| Part::Curve(curve(c, &of, cases)))
        .collect();
    if !runs.is_empty() {
        let runs = Runs {
            title: "A run of each row".to_owned(),
            of,
            runs,
            beside: false,
        };
        parts.push(Part::Runs(runs));
    }
    parts.push(Part::Table(table(heading, layout, cases)));
    Board {
        title: heading.name.clone(),
        doc: heading.doc.clone(),
        subtitle: heading.line.clone(),
        notes,
        parts,
    }
}

/// What a figure is counted in, for its title.
fn unit(measure: Measure) -> &'static str {
    if measure.is_time() {
        ", in seconds"
    } else {
        ""
    }
}

fn curve(column: &Column, across: &str, cases: &[Case]) -> Curve {
    let samples: Vec<Option<Sample>> = cases.iter().map(|c| column.sample(c)).collect();
    let of = |f: &dyn Fn(&Sample) -> Option<f64>| samples.iter().map(|s| f(s.as_ref()?)).collect();
    // A mean's interval may reach beyond what can be.
    let low = |s: &Sample| s.mean_interval().map(|i| i.low.max(s.min()));
    let high = |s: &Sample| s.mean_interval().map(|i| i.high.min(s.max()));
    Curve {
        title: format!("{}{}", column.heading(), unit(column.measure)),
        across: across.to_owned(),
        ticks: cases.iter().map(|c| c.values.join(" / ")).collect(),
        at: None,
        lines: vec![Line {
            name: "mean over the seeds, and its 95 % interval".to_owned(),
            values: of(&|s| Some(s.mean())),
            low: of(&low),
            high: of(&high),
        }],
        flat: None,
        marks: Vec::new(),
    }
}

fn table(heading: &Heading, layout: &Layout, cases: &[Case]) -> Table {
    let mut columns = heading.columns();
    for c in &layout.columns {
        columns.push(format!("{}{}", c.heading(), unit(c.measure)));
        columns.push("least to greatest".to_owned());
    }
    let row = |case: &Case| {
        let mut cells: Vec<Value> = case.values.iter().map(|v| v.as_str().into()).collect();
        for c in &layout.columns {
            let sample = c.sample(case);
            let range = sample
                .as_ref()
                .map(|s| format!("{:.4} to {:.4}", s.min(), s.max()));
            cells.push(sample.map(|s| s.mean()).into());
            cells.push(range.map(|r| plain(&r)).into());
        }
        cells
    };
    Table {
        title: "All rows: means over the seeds".to_owned(),
        columns,
        rows: cases.iter().map(row).collect(),
        runs: vec![None; cases.len()],
    }
}

/// Decimals without needless zeros.
fn plain(range: &str) -> String {
    let short = |n: &str| {
        let n = n.trim_end_matches('0').trim_end_matches('.');
        n.to_owned()
    };
    let parts: Vec<String> = range.split(" to ").map(short).collect();
    parts.join(" to ")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn decimals_end_where_they_say_nothing_more() {
        assert_eq!(plain("10.0000 to 12.5000"), "10 to 12.5");
    }
}
