//! Answers of Prometheus to range queries of kube-state-metrics, as `/api/v1/query_range` gives
//! them: `kube_node_status_condition`, `kube_pod_info`, `kube_pod_deletion_timestamp`.
//!
//! A sample tells how it was then, and one of a condition that is neither 0 nor 1 nothing; what changed did so at some time
//! since the sample before. A deletion's timestamp is when its grace period ends.

use super::heard::Heard;
use crate::evidence::prelude::*;

/// `terminationGracePeriodSeconds` of most pods.
const GRACE_US: i64 = 30 * SECOND_US;

/// Takes an answer in: how many series there are, how many tell something, and how many samples of Ready tell nothing.
pub(super) fn take(document: &Value, file: &str, heard: &mut Heard) -> [usize; 3] {
    let series = document["data"]["result"].as_array();
    let firsts = series.into_iter().flatten();
    let begins = firsts.filter_map(|s| Some(samples(s).first()?.0)).min();
    let (mut all, mut told, mut unclear) = (0, 0, 0);
    for (number, one) in (1..).zip(series.into_iter().flatten()) {
        all += 1;
        let place = Place { file: file.to_owned(), unit: "series", number };
        told += usize::from(take_series(one, begins, &place, heard));
        let means = samples(one).iter().filter(|s| !is_state(s)).count();
        unclear += if is_of_ready(one) { means } else { 0 };
    }
    [all, told, unclear]
}

/// The condition Ready of a node, in one of its three statuses.
fn is_of_ready(series: &Value) -> bool {
    let metric = &series["metric"];
    metric["__name__"] == "kube_node_status_condition" && metric["condition"] == "Ready"
}

/// Whether a sample is that of a condition, which is 0 or 1: a mean over some time is neither, and tells neither.
fn is_state((_, value): &(Stamp, f64)) -> bool {
    [0.0, 1.0].contains(value)
}

fn take_series(series: &Value, begins: Option<Stamp>, place: &Place, heard: &mut Heard) -> bool {
    let label = |name: &str| series["metric"][name].as_str().unwrap_or_default();
    let mut samples = samples(series);
    let pod = || format!("{}/{}", label("namespace"), label("pod"));
    let first = samples.first().map(|s| s.0);
    match (label("__name__"), first) {
        _ if is_of_ready(series) => {
            samples.retain(is_state);
            let node = label("node").to_owned();
            for pair in samples.windows(2) {
                let (before, now) = (pair[0], pair[1]);
                let said = match (label("status"), before.1 > 0.0, now.1 > 0.0) {
                    ("unknown", false, true) => Said::NodeUnknown { node: node.clone() },
                    ("true", true, false) => Said::NodeNotReady { node: node.clone() },
                    ("true", false, true) => Said::NodeReady { node: node.clone() },
                    _ => continue,
                };
                heard.say(now.0, now.0.0 - before.0.0, said, place.clone());
            }
            true
        }
        ("kube_pod_info", Some(at)) if !label("node").is_empty() => {
            let (pod, node) = (pod(), label("node").to_owned());
            let was_there = first == begins;
            let said = if was_there { Said::On { pod, node } } else { Said::Bound { pod, node } };
            heard.say(at, 0, said, place.clone());
            true
        }
        ("kube_pod_deletion_timestamp", Some(at)) => {
            let step_us = if let [a, b, ..] = &samples[..] { b.0.0 - a.0.0 } else { 60_000_000 };
            // Of one that is there from the first sample on it is not known since when.
            let before_us = if first == begins { i64::MAX } else { step_us };
            let ends = Stamp((samples[0].1 * 1e6) as i64);
            let (began, within_us) = end_of_second(Stamp(ends.0.saturating_sub(GRACE_US)));
            let fits = YEARS.contains(&began) && (0..=before_us).contains(&(at.0 - began.0));
            let (at, within_us) = if fits { (began, within_us) } else { (at, step_us) };
            let by = UNNAMED.to_owned();
            heard.say(at, within_us, Said::Deleted { pod: pod(), by, grace: None }, place.clone());
            true
        }
        _ => false,
    }
}

/// `[[1795228197, "1"], …]`, without those of times that no cluster has.
fn samples(series: &Value) -> Vec<(Stamp, f64)> {
    let one = |v: &Value| {
        let at = Stamp((v[0].as_f64()? * 1e6) as i64);
        YEARS.contains(&at).then_some((at, v[1].as_str()?.parse().ok()?))
    };
    series["values"].as_array().into_iter().flatten().filter_map(one).collect()
}
