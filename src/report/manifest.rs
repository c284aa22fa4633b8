//! `manifest.json`: what a folder of results came from, so that the run can be repeated.

use super::json::extend;
use super::model::Report;
use crate::files::{Fingerprint, InputFile, hash_text};
use crate::plan::{Delay, Flags, Limits, Plan};
use serde_json::{Map, Value, json};

/// The name of the file.
pub(crate) const FILE: &str = "manifest.json";

/// The name of the scenario's copy in a folder.
pub(crate) const SCENARIO: &str = "scenario.ron";

/// Which form the files of a folder have; a folder of another form is not read.
pub(crate) const FORMAT: u64 = 3;

/// The largest manifest, in bytes.
pub(crate) const BYTES_MAX: u64 = 64 << 20;

/// The files that a manifest of this program names, whether of a run, a sweep or a search.
///
/// # Errors
/// What shows that this program did not write it.
pub fn files(bytes: &[u8]) -> Result<Vec<String>, String> {
    let document = serde_json::from_slice::<Value>(bytes);
    let document = document.map_err(|e| format!("its {FILE} is no JSON: {e}"))?;
    if !document["taintsim"].is_string() || !document["format"].is_u64() {
        return Err(format!("its {FILE} is not one of taintsim's"));
    }
    let names = document["files"]
        .as_array()
        .and_then(|all| all.iter().map(|f| f["name"].as_str().map(str::to_owned)).collect());
    names.ok_or_else(|| format!("its {FILE} does not say which files are taintsim's"))
}

/// A whole manifest: by which program and in which form it is written, what the folder came from,
/// and its files with their sizes in bytes.
pub fn whole(came_from: Value, files: &[(String, u64)]) -> Value {
    let mut all = json!({ "taintsim": env!("CARGO_PKG_VERSION"), "format": FORMAT });
    extend(&mut all, came_from);
    let file = |(name, bytes): &(String, u64)| json!({ "name": name, "bytes": bytes });
    all["files"] = files.iter().map(file).collect();
    all
}

/// What the folder of a run came from; `records` is the hash of its records.
pub fn of_run(report: &Report<'_>, records: u64) -> Value {
    let plan = report.analysis.plan;
    json!({
        "scenario": scenario(&plan.name, &report.source.file, &report.source.fingerprint, &report.source.set),
        "seed": report.source.seed,
        "kubernetes": report.release(),
        "checked_against_recordings": plan.profile.recorded,
        "horizon_s": report.analysis.horizon().as_nanos() as f64 / 1e9,
        "timing": timing(plan),
        "flags": flags(&plan.flags, plan),
        "needless_window_s": report.summary.metrics.window.as_nanos() as f64 / 1e9,
        "records": report.analysis.trace.len(),
        "records_hash": hash_text(records),
    })
}

/// The scenario of a run or a sweep: its hash covers its text and the files that it points at.
pub(crate) fn scenario(name: &str, file: &str, from: &Fingerprint, set: &[String]) -> Value {
    let input =
        |i: &InputFile| json!({ "file": i.file, "bytes": i.bytes, "hash": hash_text(i.hash) });
    let inputs: Vec<Value> = from.inputs.iter().map(input).collect();
    json!({ "name": name, "file": file, "bytes": from.bytes, "hash": hash_text(from.hash), "inputs": inputs, "set": set })
}

/// What the figures of a document rest on, so that they come about again: by which program, from which scenario, how and with
/// which seed.
pub(crate) fn basis(scenario: Value, plan: &Plan, seed: u64) -> Value {
    json!({
        "taintsim": env!("CARGO_PKG_VERSION"),
        "scenario": scenario,
        "kubernetes": plan.profile.released(),
        "timing": plan.timing.name,
        "seed": seed,
    })
}

fn delay(d: Delay) -> Value {
    json!({ "min_s": d.min.as_nanos() as f64 / 1e9, "max_s": d.max.as_nanos() as f64 / 1e9 })
}

fn timing(plan: &Plan) -> Value {
    let t = &plan.timing;
    let limits = |l: Option<Limits>| l.map(|l| json!({ "qps": l.qps, "burst": l.burst }));
    json!({
        "name": t.name,
        "request": delay(t.request),
        "response": delay(t.response),
        "watch": delay(t.watch),
        "pass_overhead_s": t.pass_overhead.as_nanos() as f64 / 1e9,
        "node_lifecycle_client": limits(t.node_lifecycle_client),
        "taint_eviction_client": limits(t.taint_eviction_client),
    })
}

/// The settings of the components under their real names; those that the release does not have are
/// left out.
fn flags(f: &Flags, plan: &Plan) -> Value {
    let s = |d: crate::kernel::Dur| Value::from(super::short(d));
    let mut manager = Map::new();
    let mut put = |name: &str, value: Value| manager.insert(name.to_owned(), value);
    put("node-monitor-period", s(f.node_monitor_period));
    put("node-monitor-grace-period", s(f.node_monitor_grace_period));
    put("node-startup-grace-period", s(f.node_startup_grace_period));
    // As written: the nearest double of a float32 has digits that nobody gave.
    put("node-eviction-rate", number(f.node_eviction_rate));
    put("secondary-node-eviction-rate", number(f.secondary_node_eviction_rate));
    put("large-cluster-size-threshold", f.large_cluster_size_threshold.into());
    put("unhealthy-zone-threshold", number(f.unhealthy_zone_threshold));
    if plan.profile.node_lifecycle.timeout_mode_available {
        put("pod-eviction-timeout", s(f.pod_eviction_timeout));
        put("enable-taint-manager", f.enable_taint_manager.into());
    }
    json!({
        "kube-controller-manager": manager,
        "kube-apiserver": {
            "default-not-ready-toleration-seconds": f.default_not_ready_toleration_seconds,
            "default-unreachable-toleration-seconds": f.default_unreachable_toleration_seconds,
        },
    })
}

fn number(f: f32) -> Value {
    f.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}
