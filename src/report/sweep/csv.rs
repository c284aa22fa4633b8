//! The table as CSV.

use super::columns::{Column, Measure};
use super::heading::{Heading, Layout};
use crate::analysis::Sample;
use crate::files::cell;
use crate::lab::Case;
use crate::report::tables::csv::number;
use ::csv::Writer;
use std::io::{self, Write};

/// What is written of each figure over the seeds; the names of columns end in it.
const STATISTICS: [&str; 12] = [
    "n",
    "mean",
    "mean_low",
    "mean_high",
    "median",
    "median_low",
    "median_high",
    "p95",
    "p95_low",
    "p95_high",
    "min",
    "max",
];

/// The columns of files: every figure of all workloads, and what else is shown.
pub(super) fn of_files(layout: &Layout) -> Vec<Column> {
    let mut all: Vec<Column> = Measure::all().map(Column::of_all).collect();
    all.extend(
        layout
            .columns
            .iter()
            .filter(|c| c.workload.is_some())
            .cloned(),
    );
    all
}

/// Writes a line per row of the table: the values, then of each figure how many runs had it, its
/// mean, median and 95th percentile, each with its 95 % interval, the least and the greatest value;
/// with a row to hold the others against, the mean of the differences from it, seed by seed, with
/// its interval. What did not happen in any run, or cannot be told from so few, is empty. Units are
/// in the names.
///
/// # Errors
/// Those of `out`.
pub(crate) fn cases(
    out: &mut dyn Write,
    heading: &Heading,
    layout: &Layout,
    cases: &[Case],
) -> io::Result<()> {
    let columns = of_files(layout);
    let from = layout.against.and_then(|i| cases.get(i));
    let mut csv = Writer::from_writer(out);
    let mut names: Vec<String> = heading.axes.iter().map(|a| a.path.clone()).collect();
    names.push("seeds".to_owned());
    for column in &columns {
        names.extend(STATISTICS.map(|which| format!("{}_{which}", column.name())));
        if from.is_some() {
            names.extend(
                ["diff_mean", "diff_low", "diff_high"]
                    .map(|which| format!("{}_{which}", column.name())),
            );
        }
    }
    csv.write_record(names.iter().map(|n| cell(n).into_owned()))?;
    for case in cases {
        let mut cells = values(case);
        cells.push(heading.seeds.to_string());
        for column in &columns {
            cells.extend(statistics(column.sample(case).as_ref()));
            if let Some(from) = from {
                let difference = column.difference(case, from);
                let interval = difference.as_ref().and_then(Sample::mean_interval);
                let values = [
                    difference.as_ref().map(Sample::mean),
                    interval.map(|i| i.low),
                    interval.map(|i| i.high),
                ];
                cells.extend(values.map(|v| v.map_or_else(String::new, number)));
            }
        }
        csv.write_record(&cells)?;
    }
    csv.flush()
}

/// The values of a case: numbers as they are, other texts as no formulas.
fn values(case: &Case) -> Vec<String> {
    let is_number = |v: &str| v.parse::<f64>().is_ok_and(f64::is_finite);
    case.values
        .iter()
        .map(|v| {
            if is_number(v) {
                v.clone()
            } else {
                cell(v).into_owned()
            }
        })
        .collect()
}

fn statistics(sample: Option<&Sample>) -> [String; STATISTICS.len()] {
    let Some(s) = sample else {
        return Default::default();
    };
    let (mean, median, p95) = (
        s.figure_interval(),
        s.quantile_interval(50),
        s.quantile_interval(95),
    );
    let values = [
        Some(s.mean()),
        mean.map(|i| i.low),
        mean.map(|i| i.high),
        Some(s.quantile(50)),
        median.map(|i| i.low),
        median.map(|i| i.high),
        Some(s.quantile(95)),
        p95.map(|i| i.low),
        p95.map(|i| i.high),
        Some(s.min()),
        Some(s.max()),
    ];
    let mut cells: [String; STATISTICS.len()] = Default::default();
    cells[0] = s.count().to_string();
    for (cell, value) in cells[1..].iter_mut().zip(values) {
        *cell = value.map_or_else(String::new, number);
    }
    cells
}
