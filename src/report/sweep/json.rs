//! The table of a sweep as JSON: `sweep.json`, and `sweep -o json`.
//!
//! Fields may be added; those that are there keep their names and meanings.

use super::heading::Swept;
use crate::analysis::{Interval, Sample};
use crate::lab::Case;
use serde_json::{Map, Value, json};

/// The whole table: what was run, and for each row its values and, under the name of each figure,
/// the results of its runs; with `against` also the differences from that row, seed by seed.
pub(crate) fn document(swept: Swept<'_>) -> Value {
    let (heading, columns, from) = (swept.heading, swept.columns_of_files(), swept.against());
    let row = |case: &Case| {
        let values = heading.axes.iter().zip(&case.values);
        let values: Map<String, Value> =
            values.map(|(axis, value)| (axis.path.clone(), value.clone().into())).collect();
        let figures: Map<String, Value> = columns
            .iter()
            .map(|column| {
                let mut said = column.sample(case).map_or(Value::Null, |s| statistics(&s));
                if let (Value::Object(said), Some(from)) = (&mut said, from) {
                    said.insert(
                        "difference".to_owned(),
                        column.difference(case, from).map_or(Value::Null, |s| mean(&s)),
                    );
                }
                (column.name(), said)
            })
            .collect();
        json!({ "values": values, "figures": figures })
    };
    json!({
        "version": 1,
        "scenario": heading.scenario,
        "doc": heading.doc,
        "fixed": heading.fixed,
        "notes": heading.notes,
        "axes": heading.axes.iter().map(|a| json!({ "path": a.path, "values": a.values })).collect::<Vec<_>>(),
        "seeds": heading.seeds,
        "needless_window_s": heading.window.as_secs_f64(),
        "confidence": 0.95,
        "against": swept.layout.against,
        "rows": swept.cases.iter().map(row).collect::<Vec<_>>(),
    })
}

fn interval(i: Option<Interval>) -> Value {
    i.map_or(Value::Null, |i| json!([i.low, i.high]))
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
