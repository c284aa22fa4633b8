//! The table of a sweep for files: a row for each combination of values, with what each figure
//! comes to over the seeds.

use super::heading::{Heading, Swept};
use crate::analysis::Sample;
use crate::lab::Case;
use crate::report::tables::{self, Cell, Kind, Rows};

/// The end of a column's name, and what stands in the column, where it can be told.
type Statistic = (&'static str, fn(&Sample) -> Option<f64>);

/// What is written of each figure over the seeds.
const STATISTICS: [Statistic; 11] = [
    ("mean", |s| Some(s.mean())),
    ("mean_low", |s| Some(s.figure_interval()?.low)),
    ("mean_high", |s| Some(s.figure_interval()?.high)),
    ("median", |s| Some(s.quantile(50))),
    ("median_low", |s| Some(s.quantile_interval(50)?.low)),
    ("median_high", |s| Some(s.quantile_interval(50)?.high)),
    ("p95", |s| Some(s.quantile(95))),
    ("p95_low", |s| Some(s.quantile_interval(95)?.low)),
    ("p95_high", |s| Some(s.quantile_interval(95)?.high)),
    ("min", |s| Some(s.min())),
    ("max", |s| Some(s.max())),
];

/// The same of the differences from another row.
const DIFFERENCES: [&str; 3] = ["diff_mean", "diff_low", "diff_high"];

/// The columns of the settings: numbers, where all values of one are.
pub(super) fn settings(heading: &Heading, cases: &[Case]) -> Vec<tables::Column> {
    let setting = |(i, path): (usize, &str)| {
        let values = cases.iter().filter_map(|c| c.values.get(i));
        tables::Column::given(path, values.map(String::as_str))
    };
    let paths = heading.axes.iter().map(|a| a.path.as_str());
    paths.enumerate().map(setting).collect()
}

/// The rows of a sweep: the values, then of each figure how many runs had it, its mean, median and
/// 95th percentile, each with its 95 % interval, the least and the greatest value; with a row to
/// hold the others against, the mean of the differences from it, seed by seed, with its interval.
/// What did not happen in any run, or cannot be told from so few, is empty. Units are in the names.
pub(crate) fn table(swept: Swept<'_>) -> Rows {
    let (figures, against) = (swept.columns_of_files(), swept.against());
    let differences = if against.is_some() { &DIFFERENCES[..] } else { &[] };
    let mut columns = settings(swept.heading, swept.cases);
    columns.push(tables::Column::new("seeds", Kind::Natural));
    for figure in &figures {
        let name = figure.name();
        columns.push(tables::Column::new(format!("{name}_n"), Kind::Natural));
        let numbers = STATISTICS.iter().map(|s| &s.0).chain(differences);
        let number = |which: &&str| tables::Column::new(format!("{name}_{which}"), Kind::Number);
        columns.extend(numbers.map(number));
    }
    let row = |case: &Case| {
        let mut row = values(case);
        row.push(Cell::Natural(swept.heading.seeds));
        for figure in &figures {
            let sample = figure.sample(case);
            let n = sample.as_ref().map(|s| s.count() as u64);
            row.push(n.map_or(Cell::Empty, Cell::Natural));
            row.extend(statistics(sample.as_ref()));
            if let Some(from) = against {
                let difference = figure.difference(case, from);
                let mean = difference.as_ref().map(Sample::mean);
                let i = difference.and_then(|d| d.mean_interval());
                row.extend([mean, i.map(|i| i.low), i.map(|i| i.high)].map(Cell::number));
            }
        }
        row
    };
    Rows { name: "sweep", columns, rows: swept.cases.iter().map(row).collect() }
}

/// The same, a row for each combination of values and each figure.
pub(crate) fn tidy(swept: Swept<'_>) -> Rows {
    let mut columns = settings(swept.heading, swept.cases);
    columns.extend(tables::Column::all(&[("figure", Kind::Text), ("n", Kind::Whole)]));
    columns.extend(STATISTICS.iter().map(|(name, _)| tables::Column::new(*name, Kind::Number)));
    let mut rows = Vec::new();
    for case in swept.cases {
        for figure in swept.columns_of_files() {
            let sample = figure.sample(case);
            let mut row = values(case);
            row.push(Cell::Text(figure.name().into()));
            row.push(Cell::whole(sample.as_ref().map(|s| s.count() as i64)));
            row.extend(statistics(sample.as_ref()));
            rows.push(row);
        }
    }
    Rows { name: "sweep", columns, rows }
}

/// The values of the settings of a row.
pub(super) fn values(case: &Case) -> Vec<Cell<'static>> {
    case.values.iter().map(|v| Cell::Given(v.clone().into())).collect()
}

/// What a figure comes to over the seeds; nothing where it never happened.
fn statistics(sample: Option<&Sample>) -> impl Iterator<Item = Cell<'static>> {
    STATISTICS.iter().map(move |(_, of)| Cell::number(sample.and_then(of)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Costs, Metrics};
    use crate::kernel::Dur;
    use crate::lab::Axis;
    use crate::report::sweep::{Cells, Layout};
    use crate::report::tables::tests::csv_of_both;
    use serde_json::json;

    #[test]
    fn a_sweep_is_tidy() {
        let costs = Costs { evicted: 2, ..Costs::default() };
        let metrics = Metrics { costs, ..Metrics::default() };
        let run =
            |seed: u64| json!({ "seed": seed, "metrics": metrics, "digest": seed, "used_up": [] });
        let runs = json!([run(1), run(2)]);
        let runs = serde_json::from_value(runs).unwrap();
        let values = vec!["1.30".to_owned()];
        let heading = Heading {
            name: String::new(),
            scenario: String::new(),
            doc: String::new(),
            line: String::new(),
            unchecked: false,
            notes: Vec::new(),
            axes: vec![Axis { path: "kubernetes".to_owned(), values: values.clone() }],
            fixed: Vec::new(),
            files: Vec::new(),
            seeds: 2,
            window: Dur::ZERO,
        };
        let layout = Layout { columns: Vec::new(), cells: Cells::Mean, against: None };
        let cases = [Case { values, runs }];
        let text = csv_of_both(&tidy(Swept { heading: &heading, layout: &layout, cases: &cases }));
        let heading = "kubernetes,figure,n,mean,mean_low,mean_high,median,median_low,median_high,p95,p95_low,p95_high,min,max";
        assert_eq!(text.lines().next(), Some(heading));
        // Of two runs no interval of a quantile is known, and what did not happen is empty.
        assert!(text.contains("\n1.30,evicted,2,2,2,2,2,,,2,,,2,2\n"), "{text}");
        assert!(text.contains("\n1.30,detection_s,,,,,,,,,,,,\n"), "{text}");
    }
}
