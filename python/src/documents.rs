//! The rows of a command's document as tables. What a document holds, and in which units, is said
//! where it is made: its fields keep their names and meanings.

use crate::table::{Column, Table};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use chrono::DateTime;
use pyo3::PyResult;
use serde_json::Value;
use std::sync::Arc;
use taintsim::report::tables::are_numbers;

/// What a figure of a sweep comes to over the seeds, by its names in the document; an interval is
/// two columns.
const STATISTICS: [&str; 8] = [
    "mean",
    "mean_interval",
    "median",
    "median_interval",
    "p95",
    "p95_interval",
    "min",
    "max",
];

/// A sweep: a row for each combination of values and each figure.
pub(crate) fn sweep(document: &Value) -> PyResult<Table> {
    let mut rows: Vec<(&Value, &str, &Value)> = Vec::new();
    for row in list(&document["rows"]) {
        let figures = row["figures"].as_object().into_iter().flatten();
        rows.extend(figures.map(|(name, said)| (&row["values"], name.as_str(), said)));
    }
    let paths = list(&document["axes"]).filter_map(|axis| axis["path"].as_str());
    let mut columns: Vec<Column> = paths
        .map(|path| {
            (
                path.to_owned(),
                given(path, rows.iter().map(|r| &r.0[path])),
            )
        })
        .collect();
    let names: StringArray = rows.iter().map(|r| Some(r.1)).collect();
    columns.push(("figure".to_owned(), Arc::new(names)));
    columns.push(("n".to_owned(), wholes(rows.iter().map(|r| &r.2["n"]))));
    for name in STATISTICS {
        match name.strip_suffix("_interval") {
            Some(of) => columns.extend(interval(of, rows.iter().map(|r| &r.2[name]))),
            None => columns.push((name.to_owned(), numbers(rows.iter().map(|r| &r.2[name])))),
        }
    }
    Table::new("sweep", columns)
}

/// A survey: a row for each loss, worst first.
pub(crate) fn survey(document: &Value) -> PyResult<Table> {
    let rows: Vec<&Value> = list(&document["rows"]).collect();
    let mut columns = vec![
        ("lost".to_owned(), texts(rows.iter().map(|r| &r["lost"]))),
        ("like".to_owned(), lists(rows.iter().map(|r| &r["like"]))),
        ("nodes".to_owned(), wholes(rows.iter().map(|r| &r["nodes"]))),
        ("pods".to_owned(), wholes(rows.iter().map(|r| &r["pods"]))),
    ];
    columns.extend(figures(&rows));
    Table::new("survey", columns)
}

/// A survey: a row for each workload that a loss touches.
pub(crate) fn workloads(document: &Value) -> PyResult<Table> {
    let mut hits: Vec<(&Value, &Value)> = Vec::new();
    for row in list(&document["rows"]) {
        hits.extend(list(&row["workloads"]).map(|hit| (&row["lost"], hit)));
    }
    let of = |name: &'static str| hits.iter().map(move |hit| &hit.1[name]);
    let whole = |name| (String::from(name), wholes(of(name)));
    let number = |name| (String::from(name), numbers(of(name)));
    let text = |name| (String::from(name), texts(of(name)));
    let columns = vec![
        ("lost".to_owned(), texts(hits.iter().map(|hit| hit.0))),
        text("workload"),
        whole("desired"),
        whole("spared"),
        number("down_minutes"),
        number("missing_minutes"),
        whole("pending"),
        text("why_pending"),
        number("cores_missing"),
        number("gibibytes_missing"),
        whole("stuck"),
        whole("left"),
        (
            "still_below_need".to_owned(),
            truths(of("still_below_need")),
        ),
    ];
    Table::new("workloads", columns)
}

/// A plan: a row for each combination of values, the figures of a year.
pub(crate) fn plan(document: &Value) -> PyResult<Table> {
    let rows: Vec<&Value> = list(&document["rows"]).collect();
    let of = |name: &'static str| rows.iter().map(move |row| &row[name]);
    let mut columns: Vec<Column> = Vec::new();
    for (i, path) in list(&document["paths"]).enumerate() {
        let path = path.as_str().unwrap_or_default();
        let cells = given(path, rows.iter().map(|row| &row["values"][i]));
        columns.push((path.to_owned(), cells));
    }
    columns.push(("cost".to_owned(), numbers(of("cost"))));
    columns.extend(interval("cost", of("interval")));
    columns.push(("more".to_owned(), numbers(of("more"))));
    columns.extend(interval("more", of("more_interval")));
    columns.push(("breaks".to_owned(), lists(of("breaks"))));
    columns.push(("closed_form".to_owned(), numbers(of("closed_form"))));
    columns.extend(figures(&rows));
    Table::new("plan", columns)
}

/// A forecast: a row for each thing that may happen on each course.
pub(crate) fn forecast(document: &Value) -> PyResult<Table> {
    let mut rows: Vec<(&str, &Value)> = Vec::new();
    rows.extend(list(&document["events"]).map(|event| ("as it is", event)));
    for other in list(&document["what_if"]) {
        let course = other["course"].as_str().unwrap_or_default();
        rows.extend(list(&other["events"]).map(|event| (course, event)));
    }
    let of = |name: &'static str| rows.iter().map(move |row| &row.1[name]);
    let courses: StringArray = rows.iter().map(|row| Some(row.0)).collect();
    let columns = vec![
        ("course".to_owned(), Arc::new(courses) as ArrayRef),
        ("what".to_owned(), texts(of("what"))),
        ("object".to_owned(), texts(of("object"))),
        ("low".to_owned(), times(of("low"))),
        ("median".to_owned(), times(of("median"))),
        ("high".to_owned(), times(of("high"))),
        ("share".to_owned(), numbers(of("share"))),
    ];
    Table::new("forecast", columns)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The figures of all rows, which have the same ones.
fn figures(rows: &[&Value]) -> Vec<Column> {
    let first = rows.first().and_then(|row| row["figures"].as_object());
    let names = first.into_iter().flatten().map(|(name, _)| name);
    let column = |name: &String| {
        let cells = numbers(rows.iter().map(|row| &row["figures"][name.as_str()]));
        (name.clone(), cells)
    };
    names.map(column).collect()
}

/// Both ends of intervals.
fn interval<'a>(of: &str, cells: impl Iterator<Item = &'a Value> + Clone) -> [Column; 2] {
    let end = |i: usize| numbers(cells.clone().map(|cell| &cell[i]));
    [
        (format!("{of}_low"), end(0)),
        (format!("{of}_high"), end(1)),
    ]
}

/// Values as they were given: numbers, where all of them are.
fn given<'a>(path: &str, cells: impl Iterator<Item = &'a Value> + Clone) -> ArrayRef {
    let written = |cell: &'a Value| cell.as_str().unwrap_or_default();
    if are_numbers(path, cells.clone().map(written)) {
        let number = |cell: &'a Value| written(cell).parse().ok();
        Arc::new(cells.map(number).collect::<Float64Array>())
    } else {
        texts(cells)
    }
}

fn texts<'a>(cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    Arc::new(cells.map(Value::as_str).collect::<StringArray>())
}

fn numbers<'a>(cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    Arc::new(cells.map(Value::as_f64).collect::<Float64Array>())
}

fn wholes<'a>(cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    Arc::new(cells.map(Value::as_i64).collect::<Int64Array>())
}

fn truths<'a>(cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    Arc::new(cells.map(Value::as_bool).collect::<BooleanArray>())
}

fn lists<'a>(cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for cell in cells {
        lists.append_value(list(cell).map(Value::as_str));
    }
    Arc::new(lists.finish())
}

/// Times of the clock on the wall.
fn times<'a>(cells: impl Iterator<Item = &'a Value>) -> ArrayRef {
    let micros = |cell: &Value| {
        let time = DateTime::parse_from_rfc3339(cell.as_str()?).ok()?;
        Some(time.timestamp_micros())
    };
    let times: TimestampMicrosecondArray = cells.map(micros).collect();
    Arc::new(times.with_timezone("UTC"))
}
