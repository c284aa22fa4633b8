//! The rows of commands' documents as tables: what `-o csv` and
//! `-o parquet` print, and what Python hands on as
//! Arrow. What a document holds, and in which units, is said where it is made; its fields keep their
//! names and meanings, and so do the columns here.

use super::cells::{Cell, Column, Kind, are_numbers};
use super::table::{Each, Table};
use chrono::DateTime;
use serde_json::Value;
use std::io;

/// What a figure of a sweep comes to over the seeds, by its names in the document; an interval is
/// two columns.
const STATISTICS: [&str; 8] =
    ["mean", "mean_interval", "median", "median_interval", "p95", "p95_interval", "min", "max"];

/// What the first course of a forecast is called, in which nobody does anything.
const AS_IT_IS: &str = "as it is";

/// The rows of a document.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    name: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell<'a>>>,
}

impl Table for Rows<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        self.rows.iter().try_for_each(|row| each(row))
    }
}

/// A sweep: a row for each combination of values and each figure.
pub fn sweep(document: &Value) -> Rows<'_> {
    let paths: Vec<&str> =
        list(&document["axes"]).filter_map(|axis| axis["path"].as_str()).collect();
    let cases: Vec<&Value> = list(&document["rows"]).collect();
    let mut columns: Vec<Column> = paths
        .iter()
        .map(|path| setting(path, cases.iter().map(|case| &case["values"][*path])))
        .collect();
    columns.extend(Column::all(&[("figure", Kind::Text), ("n", Kind::Whole)]));
    columns.extend(STATISTICS.iter().flat_map(|name| numbers_of(name)));
    let mut rows = Vec::new();
    for case in cases {
        for (figure, said) in case["figures"].as_object().into_iter().flatten() {
            let values = paths.iter().map(|path| given(&case["values"][*path]));
            let mut row: Vec<Cell<'_>> = values.collect();
            row.extend([Cell::Text(figure.into()), whole(&said["n"])]);
            row.extend(STATISTICS.iter().flat_map(|name| ends(name, &said[*name])));
            rows.push(row);
        }
    }
    Rows { name: "sweep", columns, rows }
}

/// A survey: a row for each loss, worst first.
pub fn survey(document: &Value) -> Rows<'_> {
    let losses: Vec<&Value> = list(&document["rows"]).collect();
    let figures = names_in(losses.iter().map(|loss| &loss["figures"]));
    let mut columns = Column::all(&[
        ("lost", Kind::Text),
        ("like", Kind::Texts),
        ("nodes", Kind::Whole),
        ("pods", Kind::Whole),
    ]);
    columns.extend(figures.iter().map(|f| Column::new(f.clone(), Kind::Number)));
    columns.push(Column::new("at_least", Kind::Truth));
    let mut rows = Vec::new();
    for loss in losses {
        let mut row = vec![
            text(&loss["lost"]),
            texts(&loss["like"]),
            whole(&loss["nodes"]),
            whole(&loss["pods"]),
        ];
        row.extend(figures.iter().map(|f| number(&loss["figures"][f])));
        row.push(of_kind(Kind::Truth, &loss["at_least"]));
        rows.push(row);
    }
    Rows { name: "survey", columns, rows }
}

/// A survey: a row for each workload that a loss touches.
pub fn workloads(document: &Value) -> Rows<'_> {
    const OF_A_HIT: [(&str, Kind); 15] = [
        ("workload", Kind::Text),
        ("desired", Kind::Whole),
        ("spared", Kind::Whole),
        ("down_minutes", Kind::Number),
        ("missing_minutes", Kind::Number),
        ("pending", Kind::Whole),
        ("why_pending", Kind::Text),
        ("cores_missing", Kind::Number),
        ("gibibytes_missing", Kind::Number),
        ("stuck", Kind::Whole),
        ("left", Kind::Whole),
        ("still_below_need", Kind::Truth),
        ("held", Kind::Whole),
        ("evicted_after_s", Kind::Number),
        ("not_simulated", Kind::Text),
    ];
    let mut columns = vec![Column::new("lost", Kind::Text)];
    columns.extend(Column::all(&OF_A_HIT));
    let mut rows = Vec::new();
    for loss in list(&document["rows"]) {
        for hit in list(&loss["workloads"]) {
            let mut row = vec![text(&loss["lost"])];
            row.extend(OF_A_HIT.map(|(name, kind)| of_kind(kind, &hit[name])));
            rows.push(row);
        }
    }
    Rows { name: "workloads", columns, rows }
}

/// A plan: a row for each combination of values, the figures of a year. Of settings that are chosen
/// each for itself there are the rows of one after the other; what is no setting of a row is empty.
pub fn plan(document: &Value) -> Rows<'_> {
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
fn row_of_plan<'a>(
    (plan, row): (&'a Value, &'a Value),
    paths: &[String],
    figures: &[String],
    own: &[(String, String)],
) -> Vec<Cell<'a>> {
    let values = &row["values"];
    let is_named = |name: &str| list(&plan[name]).any(|other| other == values);
    let mut cells: Vec<Cell<'a>> = paths
        .iter()
        .map(|path| place(plan, path).map_or(Cell::Empty, |i| given(&values[i])))
        .collect();
    cells.push(number(&row["cost"]));
    cells.extend(ends("interval", &row["interval"]));
    cells.push(number(&row["more"]));
    cells.extend(ends("more_interval", &row["more_interval"]));
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

/// What a history of outages says: a row for what was measured and for each fit.
pub fn fits(document: &Value) -> Rows<'_> {
    let measured = Cell::Text("measured".into());
    let mut rows = vec![row_of_fit(measured, document)];
    rows.extend(list(&document["fits"]).map(|fit| row_of_fit(text(&fit["name"]), fit)));
    Rows {
        name: "fits",
        columns: Column::all(&[
            ("model", Kind::Text),
            ("distribution", Kind::Text),
            ("log_likelihood", Kind::Number),
            ("mean_s", Kind::Number),
            ("timeout_s", Kind::Number),
            ("toleration_seconds", Kind::Whole),
            ("cost_s", Kind::Number),
        ]),
        rows,
    }
}

fn row_of_fit<'a>(name: Cell<'a>, fit: &'a Value) -> Vec<Cell<'a>> {
    let best = &fit["best"];
    vec![
        name,
        text(&fit["distribution"]),
        number(&fit["log_likelihood"]),
        number(&fit["mean_s"]),
        number(&best["timeout_s"]),
        whole(&best["toleration_seconds"]),
        number(&best["cost_s"]),
    ]
}

/// What two sides cost: a row for each figure of all workloads together, then of each that differs.
/// What is only known of one seed, or of several, is empty where it is the other.
pub fn diff(document: &Value) -> Rows<'_> {
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
            let mut row = vec![Cell::text(name.clone()), Cell::Text(figure.into())];
            row.extend(OF_A_FIGURE.map(|(field, kind)| of_kind(kind, &said[field])));
            rows.push(row);
        }
    }
    Rows { name: "diff", columns, rows }
}

/// A forecast: a row for each thing that may happen on each course.
pub fn forecast(document: &Value) -> Rows<'_> {
    let mut rows: Vec<Vec<Cell<'_>>> = Vec::new();
    rows.extend(rows_of_course(document, AS_IT_IS, &document["events"]));
    for other in list(&document["what_if"]) {
        let course = other["course"].as_str().unwrap_or_default();
        rows.extend(rows_of_course(document, course, &other["events"]));
    }
    Rows {
        name: "forecast",
        columns: Column::all(&[
            ("course", Kind::Text),
            ("what", Kind::Text),
            ("object", Kind::Text),
            ("low", Kind::Instant),
            ("median", Kind::Instant),
            ("high", Kind::Instant),
            ("share", Kind::Number),
            ("node", Kind::Text),
            ("workload", Kind::Text),
            ("at", Kind::Instant),
        ]),
        rows,
    }
}

/// The rows of a course.
fn rows_of_course<'a>(
    document: &'a Value,
    course: &'a str,
    events: &'a Value,
) -> impl Iterator<Item = Vec<Cell<'a>>> {
    list(events).map(move |event| {
        vec![
            Cell::Text(course.into()),
            text(&event["what"]),
            text(&event["object"]),
            instant(&event["low"]),
            instant(&event["median"]),
            instant(&event["high"]),
            number(&event["share"]),
            text(&event["node"]),
            text(&event["workload"]),
            instant(&document["at"]),
        ]
    })
}

/// A search: a row for each property under each release, and where it does not hold one for each
/// outcome that violates it, with a run that leads there.
pub fn explore(document: &Value) -> Rows<'_> {
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
                let mut row = vec![of_search, Cell::Text(property.into()), text(says)];
                row.extend(OF_A_VIOLATION.map(|(name, kind)| of_kind(kind, &violation[name])));
                rows.push(row);
            }
        }
    }
    Rows { name: "explore", columns, rows }
}

/// A past outage: a row for each eviction that was recorded, and then for each that only the
/// simulation has.
pub fn incident(document: &Value) -> Rows<'_> {
    const OF_AN_EVICTION: [(&str, Kind); 8] = [
        ("pod", Kind::Text),
        ("recorded", Kind::Instant),
        ("simulated", Kind::Instant),
        ("share", Kind::Number),
        ("apart_s", Kind::Number),
        ("stands_in", Kind::Truth),
        ("reordered", Kind::Truth),
        ("explained", Kind::Truth),
    ];
    let all = ["evictions", "only_simulated"].map(|which| list(&document[which]));
    of_objects("incident", &OF_AN_EVICTION, all.into_iter().flatten())
}

/// The settings of a scenario: a row for each.
pub fn settings(document: &Value) -> Rows<'_> {
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
) -> Rows<'a> {
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

/// The columns of a statistic.
fn numbers_of(name: &str) -> Vec<Column> {
    match name.strip_suffix("_interval") {
        Some(of) => {
            ["low", "high"].map(|end| Column::new(format!("{of}_{end}"), Kind::Number)).to_vec()
        }
        None => vec![Column::new(name.to_owned(), Kind::Number)],
    }
}

/// A statistic, or both ends of an interval.
fn ends<'a>(name: &str, value: &Value) -> Vec<Cell<'a>> {
    match name.ends_with("interval") {
        true => vec![number(&value[0]), number(&value[1])],
        false => vec![number(value)],
    }
}

fn of_kind(kind: Kind, value: &Value) -> Cell<'_> {
    match kind {
        Kind::Text => text(value),
        Kind::Whole => whole(value),
        Kind::Number => number(value),
        Kind::Truth => value.as_bool().map_or(Cell::Empty, Cell::Truth),
        Kind::Texts => texts(value),
        Kind::Instant => instant(value),
        Kind::Natural => value.as_u64().map_or(Cell::Empty, Cell::Natural),
        // No document has any of these.
        Kind::Seconds => Cell::Empty,
    }
}

fn given(value: &Value) -> Cell<'_> {
    value.as_str().map_or(Cell::Empty, Cell::Given)
}

fn text(value: &Value) -> Cell<'_> {
    Cell::text(value.as_str())
}

/// A list, also one without items.
fn texts(value: &Value) -> Cell<'_> {
    let items = list(value).filter_map(Value::as_str);
    Cell::Texts(items.map(str::to_owned).collect())
}

fn whole<'a>(value: &Value) -> Cell<'a> {
    Cell::whole(value.as_i64())
}

fn number<'a>(value: &Value) -> Cell<'a> {
    Cell::number(value.as_f64())
}

/// A time of the clock on the wall.
fn instant<'a>(value: &Value) -> Cell<'a> {
    let time = value.as_str().map(DateTime::parse_from_rfc3339);
    let time = time.and_then(Result::ok);
    time.map_or(Cell::Empty, |t| Cell::Instant(t.timestamp_micros()))
}
