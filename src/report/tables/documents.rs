//! The rows of commands' documents as tables: what `-o csv` and
//! `-o parquet` print, and what Python hands on as
//! Arrow. What a document holds, and in which units, is said where it is made; its fields keep their
//! names and meanings, and so do the columns here.

use super::table::{Cell, Column, Kind, Rows, are_numbers};
use serde_json::Value;

/// A plan: a row for each combination of values, the figures of a year. Of settings that are chosen
/// each for itself there are the rows of one after the other; what is no setting of a row is empty.
pub(crate) fn plan(document: &Value) -> Rows {
    let plans: Vec<&Value> = match document["plans"].as_array() {
        Some(plans) => plans.iter().collect(),
        None => vec![document],
    };
    let paths = distinct(plans.iter().flat_map(|p| list(&p["paths"])));
    let all = || plans.iter().flat_map(|plan| list(&plan["rows"]));
    let figures = names_in(all().map(|row| &row["figures"]));
    let own = own_figures(all());
    let mut columns: Vec<Column> = paths
        .iter()
        .map(|path| {
            let values = plans.iter().flat_map(|plan| values_of(plan, path));
            setting(path, values)
        })
        .collect();
    columns.extend(Column::all(&[
        ("cost", Kind::Number),
        ("cost_low", Kind::Number),
        ("cost_high", Kind::Number),
        ("more", Kind::Number),
        ("more_low", Kind::Number),
        ("more_high", Kind::Number),
        ("breaks", Kind::Texts),
        ("closed_form", Kind::Number),
    ]));
    columns.extend(figures.iter().map(|f| Column::new(f.clone(), Kind::Number)));
    columns.extend(Column::all(&[
        ("unit", Kind::Text),
        ("best", Kind::Truth),
        ("now", Kind::Truth),
        ("cannot_be_told_apart", Kind::Truth),
    ]));
    let of_one = |(workload, figure): &(String, String)| {
        Column::new(format!("{workload}:{figure}"), Kind::Number)
    };
    columns.extend(own.iter().map(of_one));
    let mut rows = Vec::new();
    for plan in plans {
        for row in list(&plan["rows"]) {
            rows.push(row_of_plan((plan, row), &paths, &figures, &own));
        }
    }
    Rows { name: "plan", columns, rows }
}

fn row_of_plan(
    (plan, row): (&Value, &Value),
    paths: &[String],
    figures: &[String],
    own: &[(String, String)],
) -> Vec<Cell<'static>> {
    let values = &row["values"];
    let is_named = |name: &str| list(&plan[name]).any(|other| other == values);
    let mut cells: Vec<Cell<'static>> = paths
        .iter()
        .map(|path| place(plan, path).map_or(Cell::Empty, |i| given(&values[i])))
        .collect();
    cells.push(number(&row["cost"]));
    cells.extend(ends(&row["interval"]));
    cells.push(number(&row["more"]));
    cells.extend(ends(&row["more_interval"]));
    cells.extend([texts(&row["breaks"]), number(&row["closed_form"])]);
    cells.extend(figures.iter().map(|f| number(&row["figures"][f])));
    cells.extend([
        text(&plan["unit"]),
        Cell::Truth(plan["best"] == *values),
        Cell::Truth(plan["now"] == *values),
        Cell::Truth(is_named("cannot_be_told_apart")),
    ]);
    let of_one = |(workload, figure): &(String, String)| number(&row["own"][workload][figure]);
    cells.extend(own.iter().map(of_one));
    cells
}

/// The figures of single workloads that rows of a plan have.
fn own_figures<'a>(rows: impl Iterator<Item = &'a Value>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for row in rows {
        for (workload, figures) in row["own"].as_object().into_iter().flatten() {
            for (figure, _) in figures.as_object().into_iter().flatten() {
                let one = (workload.clone(), figure.clone());
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    all
}

/// The place of a setting among those of a plan.
fn place(plan: &Value, path: &str) -> Option<usize> {
    list(&plan["paths"]).position(|own| own == path)
}

/// The values that a plan has for a setting.
fn values_of<'a>(plan: &'a Value, path: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let place = place(plan, path);
    list(&plan["rows"]).filter_map(move |row| place.map(|i| &row["values"][i]))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Texts in the order in which they first come.
fn distinct<'a>(texts: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts.filter_map(Value::as_str) {
        if !all.iter().any(|t| t == text) {
            all.push(text.to_owned());
        }
    }
    all
}

/// The names of the fields of the first of these, which have all the same.
fn names_in<'a>(mut objects: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let first = objects.next().and_then(Value::as_object);
    first.into_iter().flatten().map(|f| f.0.clone()).collect()
}

/// The column of a setting: numbers, where all of its values are.
fn setting<'a>(path: &str, values: impl Iterator<Item = &'a Value>) -> Column {
    let values = values.map(|v| v.as_str().unwrap_or_default());
    let kind = match are_numbers(path, values) {
        true => Kind::Number,
        false => Kind::Text,
    };
    Column::new(path.to_owned(), kind)
}

/// Both ends of an interval.
fn ends(value: &Value) -> [Cell<'static>; 2] {
    [number(&value[0]), number(&value[1])]
}

fn given(value: &Value) -> Cell<'static> {
    value.as_str().map_or(Cell::Empty, |text| Cell::Given(text.to_owned().into()))
}

fn text(value: &Value) -> Cell<'static> {
    Cell::text(value.as_str().map(str::to_owned))
}

/// A list, also one without items.
fn texts(value: &Value) -> Cell<'static> {
    let items = list(value).filter_map(Value::as_str);
    Cell::Texts(items.map(str::to_owned).collect())
}

fn number(value: &Value) -> Cell<'static> {
    Cell::number(value.as_f64())
}
