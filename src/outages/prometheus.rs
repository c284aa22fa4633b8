//! What Prometheus answers when it is asked for `kube_node_status_condition{condition="Ready"}` over
//! some time: a range query, or an instant query of `…[30d]`. Several answers may stand one behind
//! the other, as no range query gives more than 11,000 samples of a series.
//!
//! A node is away from the first sample in which it is not Ready to the next one in which it is. Of
//! the three series of a node the one of `status="true"` decides where it is there. The exporter's
//! own name is in the labels, so that there are two series where there are two exporters, and
//! another one where it was started anew: samples of a node are taken together, whichever series
//! they are from.
//!
//! A node that is not Ready in its first sample has just joined, or went away before anybody
//! looked: how long it was away, the file does not say.

use super::history::{Raw, of_kubectl};
use crate::language::Problem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Option<Data<'a>>,
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
    /// Of VictoriaMetrics: not all stores answered.
    #[serde(default, rename = "isPartial")]
    is_partial: bool,
    /// Of objects of Kubernetes, which are no answer.
    kind: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    result: Vec<Series<'a>>,
}

#[derive(Deserialize)]
struct Series<'a> {
    metric: BTreeMap<String, String>,
    // A long history has millions of samples: their texts, or numbers, stay where they are.
    #[serde(borrow)]
    values: Option<Vec<(f64, &'a RawValue)>>,
}

/// When a node was looked at, and whether it was up.
type Samples = Vec<(f64, bool)>;

pub(super) fn read(text: &str) -> Result<Raw, Problem> {
    let (mut series, mut raw) = (Vec::new(), Raw::default());
    raw.history.noticed = true;
    for answer in serde_json::Deserializer::from_str(text).into_iter::<Answer>() {
        let answer =
            answer.map_err(|e| Problem::new(format!("this is no answer of Prometheus: {e}")))?;
        if let Some(error) = answer.error {
            return Err(Problem::new(format!("Prometheus did not answer: {error}")).help(
                "a range query gives up to 11,000 samples of a series: ask for less at a time and put the answers one behind the other, or ask \
                 /api/v1/query for `…[30d]`",
            ));
        }
        let Some(data) = answer.data else {
            let none = "this is no answer of Prometheus: there is no `data` in it";
            return Err(answer.kind.map_or_else(|| Problem::new(none), |_| of_kubectl()));
        };
        series.extend(data.result);
        raw.history.warnings.extend(answer.warnings);
        raw.history.warnings.extend(answer.is_partial.then(|| "isPartial: true".to_owned()));
    }
    for (node, samples) in &mut by_node(&series)? {
        // Two exporters may tell of the same moment: up is what one of them has seen already.
        samples.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        samples.dedup_by_key(|sample| sample.0);
        add(&mut raw, node, samples)?;
    }
    Ok(raw)
}

fn by_node<'a>(series: &'a [Series]) -> Result<BTreeMap<&'a str, Samples>, Problem> {
    let status = |s: &Series| s.metric.get("status").map(|s| s.to_ascii_lowercase());
    let any_true = series.iter().any(|s| status(s).as_deref() == Some("true"));
    let mut found: BTreeMap<&str, Samples> = BTreeMap::new();
    // By label in which several clusters of one store are told apart, such as `cluster`.
    let mut clusters: BTreeMap<&str, &str> = BTreeMap::new();
    for series in series {
        if series.metric.get("condition").is_some_and(|c| c != "Ready") {
            continue;
        }
        let up_is_one = match status(series).as_deref() {
            Some("true") | None => true,
            Some(_) if any_true => continue,
            // Of an answer without `status="true"` the series tell when a node is not Ready.
            Some(_) => false,
        };
        let name = series.metric.get("node");
        let Some(node) = name.or_else(|| series.metric.get("instance")) else {
            return Err(Problem::new("a series has no label `node`"));
        };
        let values = series.values.as_ref().ok_or_else(|| {
            Problem::new(
                "this answer of Prometheus is about one moment, and says nothing of how long",
            )
            .help("ask /api/v1/query_range, or /api/v1/query for `…[30d]`")
        })?;
        for (label, cluster) in series.metric.iter().filter(|(label, _)| label.contains("cluster"))
        {
            let first = *clusters.entry(label).or_insert(cluster);
            if first != cluster {
                let text = format!(
                    "these are nodes of several clusters: {label}={first:?} and {label}={cluster:?}"
                );
                let help = format!(
                    "ask for one, `{{{label}={first:?}}}`: nodes of one name would be taken for one node"
                );
                return Err(Problem::new(text).help(help));
            }
        }
        let is_one = |v: &str| match v.parse::<f64>() {
            Ok(value) if [0.0, 1.0].contains(&value) => Ok(value > 0.0),
            _ => {
                let text = format!("a sample of `{node}` is {v}, and a condition is 0 or 1");
                Err(Problem::new(text).help(
                    "ask for the series as it is: a mean (avg_over_time, downsampled data) makes a long outage of a short one",
                ))
            }
        };
        let own = found.entry(node).or_default();
        for (at, v) in values {
            own.push((*at, is_one(v.get().trim_matches('"'))? == up_is_one));
        }
    }
    Ok(found)
}

fn add(raw: &mut Raw, node: &str, samples: &Samples) -> Result<(), Problem> {
    raw.node(node);
    if let (Some(first), Some(last)) = (samples.first(), samples.last()) {
        raw.there.insert(node.to_owned(), (first.0, last.0));
    }
    // Every series is an array of its own; lines mean nothing here.
    let since_up = samples.iter().position(|s| s.1).unwrap_or(samples.len());
    raw.history.open += usize::from(since_up > 0);
    let (before, after) = samples.split_at(since_up);
    before.iter().try_for_each(|(at, _)| raw.saw(*at, 1))?;
    after.iter().try_for_each(|(at, is_up)| raw.state(node, *at, *is_up, 1))
}
