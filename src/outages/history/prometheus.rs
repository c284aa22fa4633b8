//! What Prometheus answers to a range query of `kube_node_status_condition{condition="Ready"}`.
//!
//! A node is away from the first sample in which it is not Ready to the next one in which it is. Of
//! the three series of a node the one of `status="true"` decides where it is there. That an outage
//! shows only once the controller has seen it, some fifty seconds late, does no harm: no eviction
//! comes before.

use super::raw::{HistoryError, Raw};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Answer {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    result: Vec<Series>,
}

#[derive(Deserialize)]
struct Series {
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<(f64, String)>,
}

pub(super) fn read(text: &str) -> Result<Raw, HistoryError> {
    let answer: Answer = serde_json::from_str(text).map_err(|e| {
        HistoryError::Whole(format!(
            "this is no answer to a range query of Prometheus: {e}"
        ))
    })?;
    let mut raw = Raw::default();
    let status = |s: &Series| s.metric.get("status").map(|s| s.to_ascii_lowercase());
    let any_true = answer
        .data
        .result
        .iter()
        .any(|s| status(s).as_deref() == Some("true"));
    for series in &answer.data.result {
        if series.metric.get("condition").is_some_and(|c| c != "Ready") {
            continue;
        }
        let up_is_one = match status(series).as_deref() {
            Some("true") | None => true,
            Some(_) if any_true => continue,
            // Of an answer without `status="true"` the series tell when a node is not Ready.
            Some(_) => false,
        };
        let Some(node) = series
            .metric
            .get("node")
            .or_else(|| series.metric.get("instance"))
        else {
            return Err(HistoryError::Whole(
                "a series has no label `node`".to_owned(),
            ));
        };
        raw.node(node);
        let mut since: Option<f64> = None;
        for (at, value) in &series.values {
            raw.saw(*at);
            let is_up = (value.as_str() == "1") == up_is_one;
            match (since, is_up) {
                (None, false) => since = Some(*at),
                (Some(begin), true) => {
                    // Every series is an array of its own; lines mean nothing here.
                    raw.add(node, begin, *at, 1)?;
                    since = None;
                }
                _ => {}
            }
        }
        raw.open += usize::from(since.is_some());
    }
    Ok(raw)
}
