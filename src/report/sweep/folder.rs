//! The folder of a sweep, written as a whole.
//!
//! The table of a sweep as JSON: `sweep.json`, and `sweep -o json`.
//!
//! Fields may be added; those that are there keep their names and meanings.
//!
//! The chart of a sweep: a row per combination of values as in the table, a panel for each of the
//! first figures.
//!
//! Every run of a sweep: a row for each, with the values of its settings, its seed, every figure of
//! all workloads, then every figure of each workload under its name.

use super::cases::{settings, table, values};
use super::columns::{Column, Measure};
use super::heading::{Heading, Swept};
use crate::files::Fingerprint;
use crate::lab::Case;
use crate::language::few;
use crate::report::charts::{Beside, Figures, Panel, Range, Unit, draw_figures};
use crate::report::output::write_drawing;
use crate::report::prelude::*;
use crate::report::tables::{self, Cell, Each, Kind, Streamed, Table};
use crate::report::{FileError, Folder, TableForms, Written, html, json, manifest, write_tables};
use std::borrow::Cow;

/// Writes the folder `parent/NAME` of a sweep; an earlier one of that name is replaced as a whole;
/// a `page` is part of it where one is given, and its runs in those forms.
///
/// # Errors
/// [`FileError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(crate) fn write_folder(
    swept: Swept<'_>,
    parent: &Path,
    (page, forms): (Option<&html::Page>, TableForms),
) -> Result<Written, FileError> {
    let Swept { heading, cases, .. } = swept;
    let mut folder = Folder::create(parent, &heading.name)?;
    let table = table(swept);
    folder.write("sweep.csv", |out| tables::csv::write(out, &table))?;
    folder.write("sweep.json", |out| json::write(out, &document(swept)))?;
    let runs = runs_table(heading, Cow::Borrowed(cases));
    folder.write_large("runs.csv", forms.packing, |out| tables::csv::write(out, &runs))?;
    let about = [("scenario", heading.scenario.clone())];
    write_tables(&mut folder, forms, &[&table, &runs], &about)?;
    write_drawing(&mut folder, "sweep", &draw_figures(&figures(swept)))?;
    page.map_or(Ok(()), |page| folder.write(html::FILE, |out| html::write(out, page)))?;
    folder.finish_with(came_from(heading, cases))
}

fn came_from(heading: &Heading, cases: &[Case]) -> Value {
    let of = |(file, of): &(String, Fingerprint)| {
        manifest::scenario(&heading.scenario, file, of, &heading.fixed)
    };
    let scenarios: Vec<Value> = heading.files.iter().map(of).collect();
    json!({
        "scenario": scenarios.first(),
        "more_scenarios": scenarios.get(1..).unwrap_or_default(),
        "sweep": heading.axes,
        "first_seed": cases.first().and_then(|c| c.runs.first()).map(|r| r.seed),
        "seeds": heading.seeds,
        "needless_window_s": heading.window.as_secs_f64(),
        "runs": cases.iter().map(|c| c.runs.len()).sum::<usize>(),
    })
}

/// The whole table: what was run, and for each row its values and, under the name of each figure,
/// the results of its runs; with `against` also the differences from that row, seed by seed.
pub(crate) fn document(swept: Swept<'_>) -> Value {
    let (heading, columns, from) = (swept.heading, swept.columns_of_files(), swept.against());
    let row = |case: &Case| {
        let values = heading.axes.iter().zip(&case.values);
        let values: Map<String, Value> =
            values.map(|(axis, value)| (axis.path.clone(), value.clone().into())).collect();
        let figure = |column: &Column| {
            let mut said = column.sample(case).as_ref().map_or(Value::Null, statistics);
            if let (Value::Object(said), Some(from)) = (&mut said, from) {
                let difference = column.difference(case, from).as_ref().map(mean);
                said.insert("difference".to_owned(), difference.into());
            }
            (column.name(), said)
        };
        let figures: Map<String, Value> = columns.iter().map(figure).collect();
        json!({ "values": values, "figures": figures })
    };
    json!({
        "scenario": heading.scenario,
        "doc": heading.doc,
        "fixed": heading.fixed,
        "notes": heading.notes,
        "axes": heading.axes,
        "first_seed": swept.cases.first().and_then(|c| c.runs.first()).map(|r| r.seed),
        "seeds": heading.seeds,
        "needless_window_s": heading.window.as_secs_f64(),
        "confidence": 0.95,
        "against": swept.layout.against,
        "rows": swept.cases.iter().map(row).collect::<Vec<_>>(),
    })
}

fn interval(i: Option<Interval>) -> Option<[f64; 2]> {
    i.map(|i| [i.low, i.high])
}

fn mean(s: &Sample) -> Value {
    json!({ "n": s.count(), "mean": s.mean(), "interval": interval(s.mean_interval()) })
}

fn statistics(s: &Sample) -> Value {
    json!({
        "n": s.count(),
        "mean": s.mean(),
        "mean_interval": interval(s.figure_interval()),
        "median": s.quantile(50),
        "median_interval": interval(s.quantile_interval(50)),
        "p95": s.quantile(95),
        "p95_interval": interval(s.quantile_interval(95)),
        "min": s.min(),
        "max": s.max(),
    })
}

/// More rows are left to the table.
const ROWS_MAX: usize = 100;
/// More figures are left to the table.
const PANELS_MAX: usize = 4;
/// So many of these are named.
const UNDRAWN: usize = 5;

/// What the chart shows: the first rows, and the first figures of the table by which these differ.
fn figures(swept: Swept<'_>) -> Figures {
    let Swept { heading, layout, cases } = swept;
    let rows = &cases[..cases.len().min(ROWS_MAX)];
    let panel = |column: &Column| Panel {
        name: column.heading(),
        unit: column.measure.unit(),
        ranges: rows.iter().map(|r| range(column, r)).collect(),
    };
    let mut panels: Vec<Panel> = layout.columns.iter().map(panel).collect();
    if panels.len() > PANELS_MAX {
        telling_first(&mut panels, |panel| &panel.ranges);
    }
    let undrawn = panels.split_off(panels.len().min(PANELS_MAX));
    let (title, subtitle) = (heading.name.clone(), subtitle(&heading.line, &undrawn, cases.len()));
    Figures {
        heading: crate::report::Heading { title, subtitle, doc: String::new() },
        title: heading.columns().join(" / "),
        rows: rows.iter().map(|r| r.values.join(" / ")).collect(),
        legend: ["mean over the seeds", "its 95 % interval", "least to greatest"],
        beside: Beside::Mean,
        panels,
    }
}

/// In their order, but those first of which not all rows have the same.
fn telling_first<T, V: PartialEq>(all: &mut [T], rows: impl Fn(&T) -> &[V]) {
    all.sort_by_key(|one| rows(one).windows(2).all(|pair| pair[0] == pair[1]));
}

/// The line of the heading, and what is left to the table.
fn subtitle(line: &str, undrawn: &[Panel], rows: usize) -> String {
    let mut subtitle = line.to_owned();
    if rows > ROWS_MAX {
        subtitle += &format!("; {} in the table", counted(rows - ROWS_MAX, "more row"));
    }
    if !undrawn.is_empty() {
        let undrawn = undrawn.iter().map(|panel| panel.name.as_str());
        subtitle += &format!("; in the table: {}", few(UNDRAWN, undrawn));
    }
    subtitle
}

/// A figure over the seeds of a row, as it is drawn; none where it did not happen.
fn range(column: &Column, case: &Case) -> Option<Range> {
    let sample = column.sample(case)?;
    let scale = if column.measure.unit() == Unit::Percent { 100_000.0 } else { 1_000.0 };
    // As in the table: with few seeds it reaches beyond the least and the greatest run.
    let mean = sample.mean();
    let Interval { low, high } =
        sample.figure_interval().unwrap_or(Interval { low: mean, high: mean });
    let [least, low, mean, high, greatest] =
        [sample.min(), low, mean, high, sample.max()].map(|v| (v.max(0.0) * scale).round() as u128);
    Some(Range { least, low, mean, high, greatest })
}

/// The runs of a sweep.
pub(crate) fn runs_table<'a>(heading: &Heading, cases: Cow<'a, [Case]>) -> impl Table + use<'a> {
    let runs = cases.iter().flat_map(|c| &c.runs);
    let workloads: BTreeSet<&str> =
        runs.flat_map(|r| r.metrics.workloads.iter().map(|w| w.0.as_str())).collect();
    let of_one = |name: &&str| {
        let workload = Some((*name).to_owned());
        let costs = Measure::all().filter(|m| matches!(m, Measure::Cost(_)));
        costs.map(|measure| Column { measure, workload: workload.clone() }).collect::<Vec<_>>()
    };
    let of_one = workloads.iter().flat_map(of_one);
    let figures: Vec<Column> = Measure::all().map(Column::of_all).chain(of_one).collect();
    let mut columns = settings(heading, &cases);
    columns.push(tables::Column::new("seed", Kind::Natural));
    columns.extend(figures.iter().map(|c| tables::Column::new(c.name(), Kind::Number)));
    let rows = move |each: &mut Each<'_>| -> io::Result<()> {
        for case in cases.iter() {
            for run in &case.runs {
                let mut row = values(case);
                row.push(Cell::Natural(run.seed));
                row.extend(figures.iter().map(|c| Cell::number(c.of(&run.metrics))));
                each(&row)?;
            }
        }
        Ok(())
    };
    Streamed { name: "runs", columns, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_which_rows_differ_come_first() {
        let mut all =
            vec![("none", [0, 0]), ("missing", [7, 9]), ("below", [0, 0]), ("evicted", [3, 1])];
        telling_first(&mut all, |one| &one.1);
        let names: Vec<&str> = all.iter().map(|one| one.0).collect();
        assert_eq!(names, ["missing", "evicted", "none", "below"]);
    }
}
