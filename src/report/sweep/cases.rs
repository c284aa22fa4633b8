//! The table of a sweep for files: a row for each combination of values, with what each figure
//! comes to over the seeds.

use super::columns::{Column, Measure};
use super::heading::{Heading, Layout};
use crate::analysis::Sample;
use crate::lab::Case;
use crate::report::tables::{self, Cell, Each, Kind, Table, are_numbers};
use std::io;

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

/// The same of the differences from another row.
const DIFFERENCES: [&str; 3] = ["diff_mean", "diff_low", "diff_high"];

/// The columns of files: every figure of all workloads, and what else is shown.
pub(super) fn of_files(layout: &Layout) -> Vec<Column> {
    let mut all: Vec<Column> = Measure::all().map(Column::of_all).collect();
    all.extend(layout.columns.iter().filter(|c| c.workload.is_some()).cloned());
    all
}

/// The columns of the settings: numbers, where all values of one are.
pub(super) fn settings(heading: &Heading, cases: &[Case]) -> Vec<tables::Column> {
    let setting = |(i, path): (usize, &str)| {
        let values = cases.iter().filter_map(|c| c.values.get(i));
        let kind = match are_numbers(path, values.map(String::as_str)) {
            true => Kind::Number,
            false => Kind::Text,
        };
        tables::Column::new(path.to_owned(), kind)
    };
    let paths = heading.axes.iter().map(|a| a.path.as_str());
    paths.enumerate().map(setting).collect()
}

/// The rows of a sweep: the values, then of each figure how many runs had it, its mean, median and
/// 95th percentile, each with its 95 % interval, the least and the greatest value; with a row to
/// hold the others against, the mean of the differences from it, seed by seed, with its interval.
/// What did not happen in any run, or cannot be told from so few, is empty. Units are in the names.
pub(crate) struct CasesTable<'a> {
    pub(crate) heading: &'a Heading,
    pub(crate) layout: &'a Layout,
    pub(crate) cases: &'a [Case],
}

impl CasesTable<'_> {
    /// The row that the others are held against.
    fn from(&self) -> Option<&Case> {
        self.layout.against.and_then(|i| self.cases.get(i))
    }
}

impl Table for CasesTable<'_> {
    fn name(&self) -> &'static str {
        "sweep"
    }

    fn columns(&self) -> Vec<tables::Column> {
        let mut all = settings(self.heading, self.cases);
        all.push(tables::Column::new("seeds", Kind::Natural));
        let differences: &[&str] = match self.from() {
            Some(_) => &DIFFERENCES,
            None => &[],
        };
        for column in of_files(self.layout) {
            for which in STATISTICS.iter().chain(differences) {
                let kind = match *which {
                    "n" => Kind::Natural,
                    _ => Kind::Number,
                };
                let name = format!("{}_{which}", column.name());
                all.push(tables::Column::new(name, kind));
            }
        }
        all
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        let columns = of_files(self.layout);
        for case in self.cases {
            let mut row: Vec<Cell<'_>> = case.values.iter().map(|v| Cell::Given(v)).collect();
            row.push(Cell::Natural(self.heading.seeds));
            for column in &columns {
                row.extend(statistics(column.sample(case).as_ref()));
                if let Some(from) = self.from() {
                    let difference = column.difference(case, from);
                    let interval = difference.as_ref().and_then(Sample::mean_interval);
                    let values = [
                        difference.as_ref().map(Sample::mean),
                        interval.map(|i| i.low),
                        interval.map(|i| i.high),
                    ];
                    row.extend(values.map(Cell::number));
                }
            }
            each(&row)?;
        }
        Ok(())
    }
}

fn statistics(sample: Option<&Sample>) -> [Cell<'static>; STATISTICS.len()] {
    let Some(s) = sample else {
        return [const { Cell::Empty }; STATISTICS.len()];
    };
    let (mean, median, p95) =
        (s.figure_interval(), s.quantile_interval(50), s.quantile_interval(95));
    [
        Cell::Natural(s.count() as u64),
        Cell::Number(s.mean()),
        Cell::number(mean.map(|i| i.low)),
        Cell::number(mean.map(|i| i.high)),
        Cell::Number(s.quantile(50)),
        Cell::number(median.map(|i| i.low)),
        Cell::number(median.map(|i| i.high)),
        Cell::Number(s.quantile(95)),
        Cell::number(p95.map(|i| i.low)),
        Cell::number(p95.map(|i| i.high)),
        Cell::Number(s.min()),
        Cell::Number(s.max()),
    ]
}
