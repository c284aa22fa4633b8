//! What real kubelets were measured to do with containers that are probed, end or hang, and on a machine that goes off, beside the
//! model: each figure's measured range lies inside the simulated one, but for what a probe, a sync and a write take.
//!
//! `docs/model.md` has the table, and how it was measured. Where a container serves so long after its start, that was up to a second
//! before its kubelet saw it, and is drawn here, as here the first start lasts until then.

use super::plans::{plan, ran};
use std::collections::BTreeMap;
use taintsim::trace::{Record, Trace};

const SEEDS: u64 = 48;
/// When the machines are told to go off.
const SIGNAL: f64 = 215.0;
/// What is left for a machine that does not take no time.
const SLACK: f64 = 0.25;

/// As measured, but for spans to which the time from a container's start until it is seen belongs.
const SCENARIO: &str = r#"Scenario(version: 1, kubernetes: "1.34.4", horizon: "4m10s", timing: Custom(kubelet: Real(pod_start: "500ms")),
    flags: (kubelet: {"shutdown-grace-period": "30s", "shutdown-grace-period-critical-pods": "10s"}),
    nodes: [(names: "n{0..4}")],
    pods: [
        (name: "ready", on: Each(All), start: Pending, serves_after: Uniform("11s", "12s"), readinessProbe: (initialDelaySeconds: 5)),
        (name: "fails", on: Each(All), start: Pending, serves_after: Uniform("0s", "1s"), serves_for: "20s", readinessProbe: (periodSeconds: 5)),
        (name: "live", on: Each(All), start: Pending, pod_stop: "3s", serves_after: "1s", serves_for: "20s",
            readinessProbe: (periodSeconds: 5), livenessProbe: (periodSeconds: 5)),
        (name: "crash", on: Each(All), start: Pending, ends: (after: "3s", exit_code: 1)),
        (name: "startup", on: Each(All), start: Pending, serves_after: "6500ms",
            readinessProbe: (), startupProbe: (periodSeconds: 2, failureThreshold: 30)),
        (name: "hangs", on: Each(All), start: Pending, pod_stop: "1h", serves_for: "10s", terminationGracePeriodSeconds: 60,
            livenessProbe: (periodSeconds: 5, terminationGracePeriodSeconds: 4)),
        (name: "early", on: Each(All), start: Pending, pod_stop: "1s", serves_after: "1h", startupProbe: (periodSeconds: 2)),
        (name: "quick", on: Each(All), start: Pending, pod_stop: "3s", terminationGracePeriodSeconds: 60),
        (name: "slow", on: Each(All), start: Pending, pod_stop: "40s", terminationGracePeriodSeconds: 60),
        (name: "critical", on: Each(All), start: Pending, pod_stop: "5s", terminationGracePeriodSeconds: 60, priority: 2000000000),
    ],
    timeline: [(at: "215s", do: Shutdown(nodes: All, duration: "10m"))])"#;

/// When something comes about in a pod or a node, and what.
type Moment = (f64, &'static str);

type Figures = BTreeMap<String, Vec<f64>>;

/// Which pod or node a record is about, and what it says.
fn named(trace: &Trace, record: &Record) -> Option<(String, &'static str)> {
    let f = trace.fields(record);
    let what = match (f.what, f.kind, f.status, f.value) {
        ("pod-created", ..) => "created",
        ("pod-phase", _, Some("Running"), _) => "running",
        ("containers-started", ..) => "start",
        ("containers-stopped", ..) => "end",
        ("container-serves", .., Some(true)) => "serves",
        ("container-serves", .., Some(false)) => "idle",
        ("pod-condition" | "node-condition", Some("Ready"), Some("True"), _) => "ready",
        ("pod-condition" | "node-condition", Some("Ready"), Some("False"), _) => "unready",
        ("machine-off", ..) => "off",
        _ => return None,
    };
    Some((f.pod.or(f.node)?, what))
}

/// By pod, or by node.
fn courses(trace: &Trace) -> BTreeMap<String, Vec<Moment>> {
    let mut all: BTreeMap<String, Vec<Moment>> = BTreeMap::new();
    for r in trace.iter() {
        if let Some((of, what)) = named(trace, r) {
            all.entry(of).or_default().push((r.at.as_secs_f64(), what));
        }
    }
    all
}

/// The first of these from a time on.
fn first(course: &[Moment], what: &str, from: f64) -> Option<f64> {
    course.iter().find(|(at, w)| *w == what && *at >= from).map(|(at, _)| *at)
}

/// The figures of one course; those of pods that are not there for the shutdown's sake end with it.
fn figures(of: &str, course: &[Moment], into: &mut Figures) {
    let kind = of.trim_start_matches("default/").split('-').next().unwrap_or(of);
    let mut add = |name: &str, span: Option<f64>| {
        if let Some(span) = span {
            into.entry(name.to_owned()).or_default().push(span);
        }
    };
    let after = |what, from: f64| first(course, what, from).map(|at| at - from);
    if matches!(kind, "quick" | "slow" | "critical") {
        return add(kind, after("end", SIGNAL));
    }
    if kind.starts_with('n') {
        add("not ready", after("unready", SIGNAL));
        return add("off", after("off", SIGNAL));
    }
    let course: Vec<Moment> = course.iter().copied().filter(|(at, _)| *at < SIGNAL).collect();
    let course = course.as_slice();
    let after = |what, from: f64| first(course, what, from).map(|at| at - from);
    let created = first(course, "created", 0.0).unwrap();
    match kind {
        "ready" => add("ready", after("ready", first(course, "running", 0.0).unwrap())),
        "startup" => add("startup", after("ready", created)),
        "fails" => {
            let serves = first(course, "serves", 0.0).unwrap();
            add("serves", after("ready", serves));
            add("fails", after("unready", first(course, "idle", serves).unwrap()));
        }
        "early" => add("early", after("end", created)),
        _ => {}
    }
    // The containers that follow the first.
    let starts = course.iter().filter(|(_, what)| *what == "start").skip(1);
    for start in starts.map(|(at, _)| *at) {
        let end = first(course, "end", start + 0.01);
        let ready = first(course, "ready", start);
        match kind {
            "live" => {
                add("serves again", ready.map(|at| at - start));
                let unready = ready.and_then(|at| first(course, "unready", at));
                add("fails again", unready.map(|at| at - start - 21.0));
                add("killed", end.map(|at| at - start - 21.0));
            }
            "hangs" => add("hangs", end.map(|at| at - start - 10.0)),
            "early" => add("early again", end.map(|at| at - start)),
            _ => {}
        }
    }
    // The first starts again, and how long after the end before each.
    let ends = course.iter().filter(|(_, what)| *what == "end").map(|(at, _)| *at);
    let most = if kind == "crash" { 4 } else { 5 };
    for (n, end) in ends.take(most).enumerate().filter(|_| matches!(kind, "crash" | "early")) {
        add(&format!("{kind}, start {}", n + 2), after("start", end));
    }
}

#[test]
fn kubelets_probe_restart_and_shut_down_as_they_were_measured_to() {
    let plan = plan(SCENARIO);
    let mut simulated = Figures::new();
    for seed in 1..=SEEDS {
        for (of, course) in courses(&ran(&plan, seed)) {
            figures(&of, &course, &mut simulated);
        }
    }
    let measured: Figures =
        serde_json::from_str(include_str!("../real/probes.json")).expect("figures");
    let names = |figures: &Figures| figures.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&measured), names(&simulated));
    let ends = |of: &[f64]| {
        (of.iter().copied().fold(f64::MAX, f64::min), of.iter().copied().fold(0.0, f64::max))
    };
    let mut outside = Vec::new();
    for (name, seconds) in &measured {
        let (ours, theirs) = (ends(&simulated[name]), ends(seconds));
        if theirs.0 < ours.0 - SLACK || theirs.1 > ours.1 + SLACK {
            outside.push(format!("{name}: measured {theirs:?}, simulated {ours:?}"));
        }
    }
    assert!(outside.is_empty(), "{outside:#?}");
}
