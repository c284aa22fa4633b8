//! The rows of commands' documents as tables: what `-o csv` and
//! `-o parquet` print, and what Python hands on as
//! Arrow. What a document holds, and in which units, is said where it is made; its fields keep their
//! names and meanings, and so do the columns here.

use super::cells::{Cell, Column, Kind, are_numbers};
use super::table::Rows;
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

/// A row of a plan.
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

/// What two sides cost: a row for each figure of all workloads together, then of each that differs.
/// What is only known of one seed, or of several, is empty where it is the other.
pub(crate) fn diff(document: &Value) -> Rows {
    const OF_A_FIGURE: [(&str, Kind); 8] = [
        ("a", Kind::Number),
        ("b", Kind::Number),
        ("difference", Kind::Number),
        ("same", Kind::Truth),
        ("least", Kind::Number),
        ("greatest", Kind::Number),
        ("seeds_less", Kind::Whole),
        ("seeds_more", Kind::Whole),
    ];
    let mut columns = Column::all(&[("workload", Kind::Text), ("figure", Kind::Text)]);
    columns.extend(Column::all(&OF_A_FIGURE));
    let all = std::iter::once((&Value::Null, &document["costs"]));
    let mut rows = Vec::new();
    for (name, costs) in all.chain(list(&document["workloads"]).map(|w| (&w["name"], &w["costs"])))
    {
        // As every other table calls it; people read `Deployment shop/web`.
        let name = name.as_str().map(|name| name.replacen(' ', "/", 1));
        for (figure, said) in costs.as_object().into_iter().flatten() {
            let mut row = vec![Cell::text(name.clone()), Cell::Text(figure.clone().into())];
            row.extend(OF_A_FIGURE.map(|(field, kind)| of_kind(kind, &said[field])));
            rows.push(row);
        }
    }
    Rows { name: "diff", columns, rows }
}

/// A search: a row for each property under each release, and where it does not hold one for each
/// outcome that violates it, with a run that leads there.
pub(crate) fn explore(document: &Value) -> Rows {
    const OF_A_VIOLATION: [(&str, Kind); 5] = [
        ("text", Kind::Text),
        ("runs", Kind::Natural),
        ("deviations", Kind::Whole),
        ("small", Kind::Truth),
        ("tape", Kind::Text),
    ];
    let mut columns =
        Column::all(&[("kubernetes", Kind::Text), ("property", Kind::Text), ("found", Kind::Text)]);
    columns.extend(Column::all(&OF_A_VIOLATION));
    let mut rows = Vec::new();
    for search in list(&document["searches"]) {
        for (property, says) in search["properties"].as_object().into_iter().flatten() {
            let violates = |v: &&Value| v["property"] == property.as_str();
            let found: Vec<&Value> = list(&search["violations"]).filter(violates).collect();
            let none = [&Value::Null];
            let those = if found.is_empty() { &none[..] } else { &found };
            for violation in those {
                let of_search = text(&search["kubernetes"]);
                let mut row = vec![of_search, Cell::Text(property.clone().into()), text(says)];
                row.extend(OF_A_VIOLATION.map(|(name, kind)| of_kind(kind, &violation[name])));
                rows.push(row);
            }
        }
    }
    Rows { name: "explore", columns, rows }
}

/// The settings of a scenario: a row for each.
pub(crate) fn settings(document: &Value) -> Rows {
    const OF_A_SETTING: [(&str, Kind); 4] = [
        ("path", Kind::Text),
        ("value", Kind::Text),
        ("default", Kind::Text),
        ("is_default", Kind::Truth),
    ];
    of_objects("settings", &OF_A_SETTING, list(&document["settings"]))
}

/// A row for each object, with these of its fields.
fn of_objects<'a>(
    name: &'static str,
    fields: &[(&'static str, Kind)],
    objects: impl Iterator<Item = &'a Value>,
) -> Rows {
    let row = |one: &'a Value| {
        let cells = fields.iter().map(|(name, kind)| of_kind(*kind, &one[*name]));
        cells.collect()
    };
    Rows { name, columns: Column::all(fields), rows: objects.map(row).collect() }
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

fn of_kind(kind: Kind, value: &Value) -> Cell<'static> {
    match kind {
        Kind::Text => text(value),
        Kind::Whole => whole(value),
        Kind::Number => number(value),
        Kind::Truth => value.as_bool().map_or(Cell::Empty, Cell::Truth),
        Kind::Texts => texts(value),
        Kind::Natural => value.as_u64().map_or(Cell::Empty, Cell::Natural),
        // No document has any of these.
        Kind::Instant | Kind::Seconds => Cell::Empty,
    }
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

fn whole(value: &Value) -> Cell<'static> {
    Cell::whole(value.as_i64())
}

fn number(value: &Value) -> Cell<'static> {
    Cell::number(value.as_f64())
}
